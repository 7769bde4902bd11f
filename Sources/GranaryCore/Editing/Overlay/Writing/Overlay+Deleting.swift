extension Overlay {
    package func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let rules = try rules(of: entity)
        try rules.checkKey(key)
        let key = StoredValue(key)
        return try statement { _ in
            guard try exists(key, of: entity) else { return false }
            try delete([key], of: entity)
            return true
        }
    }

    package func deleteAll(_ request: FetchRequest) throws -> Int {
        _ = try rules(of: request.entity)
        return try statement { _ in
            let keys = try withReader { try $0.keys(request) }
            try delete(keys, of: request.entity)
            return keys.count
        }
    }

    private func delete(_ keys: [StoredValue], of entity: Int) throws {
        var deletion = PlacedDeletion()
        for key in keys { deletion.doom(RecordChange.Place(entity: entity, key: key)) }
        try deletion.follow(rules, among: self)
        let nullified = deletion.work.nullified.map { (deletion.places[$0.record], $0.positions) }
        for (place, positions) in nullified.sorted(by: { $0.0 < $1.0 }) {
            guard let old = try visible(place.key, of: place.entity) else { continue }
            let nils = positions.map { Assignment(position: $0, value: .null) }
            try replace(old, by: old.setting(nils), place.key, of: place.entity)
        }
        let doomed = deletion.work.doomed.map { deletion.places[$0] }
        // All records are read before any is deleted: those that a cascade deletes would not be shown afterwards. A
        // hidden link is deleted too.
        let olds = try doomed.map { place in
            try visible(place.key, of: place.entity) ?? pending.change(place.key, of: place.entity)?.current
        }
        for (place, old) in zip(doomed, olds) {
            guard let old else { continue }
            set(nil, place.key, of: place.entity, before: old)
            dropTwins(of: old, place.key, of: place.entity)
        }
    }
}
