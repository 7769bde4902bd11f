extension Overlay {
    package func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let rules = try rules(of: entity)
        try rules.checkKey(key)
        let key = StoredValue(key)
        return try statement { below in
            guard try exists(key, of: entity, over: below) else { return false }
            try delete([key], of: entity, over: below)
            return true
        }
    }

    package func deleteAll(_ request: FetchRequest) throws -> Int {
        let rules = try rules(of: request.entity)
        return try statement { below in
            let keys = try withReader { try Overlay.keys(request, rules, $0) }
            try delete(keys, of: request.entity, over: below)
            return keys.count
        }
    }

    /// Records with a common entity are asked about together, so many at a time.
    static let together = 500

    private func delete(_ keys: [StoredValue], of entity: Int, over below: any StoreReader) throws {
        var deletion = PlacedDeletion()
        for key in keys { deletion.doom(RecordChange.Place(entity: entity, key: key)) }
        var next = 0
        while next < deletion.work.doomed.count {
            let (entity, keys) = deletion.alike(from: next, limit: Overlay.together)
            next += keys.count
            for incoming in rules[entity].incoming {
                for referrer in try referrers(to: keys, incoming) {
                    deletion.note(referrer, incoming)
                }
            }
        }
        if let denial = deletion.work.denial {
            throw GranaryError.denied(by: schema.entities[denial.entity], denial.position)
        }
        let nullified = deletion.work.nullified.map { (deletion.places[$0.record], $0.positions) }
        for (place, positions) in nullified.sorted(by: { $0.0 < $1.0 }) {
            guard let old = try visible(place.key, of: place.entity) else { continue }
            let nils = positions.map { Assignment(position: $0, value: .null) }
            try replace(old, by: old.setting(nils), place.key, of: place.entity, over: below)
        }
        let doomed = deletion.work.doomed.map { deletion.places[$0] }
        // Looked at before any of them goes: those that go with another would not be shown without it. A link that is not
        // shown goes too.
        let olds = try doomed.map { place in
            try visible(place.key, of: place.entity) ?? pending.change(place.key, of: place.entity)?.current
        }
        for (place, old) in zip(doomed, olds) {
            guard let old else { continue }
            set(nil, place.key, of: place.entity, before: old)
            dropTwins(of: old, place.key, of: place.entity)
        }
    }

    /// The records whose reference holds one of these keys.
    func referrers(to keys: [StoredValue], _ incoming: ReferenceMap.Incoming) throws -> [RecordChange.Place] {
        let number = rules[incoming.entity].lookup(ofReferenceAt: incoming.position)
        let pending = lookup(number, of: incoming.entity)
        let found = try keysBelow(keys, number, of: incoming.entity) {
            keys.count == 1
                ? .compare(position: incoming.position, .equal, keys[0])
                : .among(position: incoming.position, keys.sorted())
        }
        return (found + keys.flatMap { pending.keys(of: $0) }).map {
            RecordChange.Place(entity: incoming.entity, key: $0)
        }
    }
}
