// A deletion first works out everything it will do, with a list of records still to be looked at and no recursion: records
// that go by cascade join the list, records that lose a reference are noted, records that forbid it too. Only records that
// stay can forbid: after the list is worked off, one that forbids and does not go itself makes the call throw, and nothing
// has been done. Circles end because each record joins the list once.

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
        let rules = try rules(of: request.entity)
        return try statement { _ in
            let keys = try withReader { try Overlay.keys(request, rules, $0) }
            try delete(keys, of: request.entity)
            return keys.count
        }
    }

    /// Records with a common entity are asked about together, so many at a time.
    static let together = 500

    private func delete(_ keys: [StoredValue], of entity: Int) throws {
        var deletion = Deletion()
        for key in keys { deletion.doom(RecordChange.Place(entity: entity, key: key)) }
        var next = 0
        while next < deletion.doomed.count {
            let entity = deletion.doomed[next].entity
            let rest = deletion.doomed[next...].prefix(Overlay.together)
            let keys = rest.prefix { $0.entity == entity }.map(\.key)
            next += keys.count
            for incoming in rules[entity].incoming {
                for referrer in try referrers(to: keys, incoming) { deletion.note(referrer, incoming, to: entity) }
            }
        }
        if let (incoming, _) = deletion.forbidding { throw denied(by: incoming) }
        for (place, positions) in deletion.nullified {
            guard let old = try visible(place.key, of: place.entity) else { continue }
            let nils = positions.map { Assignment(position: $0, value: .null) }
            try replace(old, by: old.setting(nils), place.key, of: place.entity)
        }
        // Looked at before any of them goes: those that go with another would not be shown without it. A link that is not
        // shown goes too.
        let olds = try deletion.doomed.map { place in
            try visible(place.key, of: place.entity) ?? pending.change(place.key, of: place.entity)?.current
        }
        for (place, old) in zip(deletion.doomed, olds) {
            guard let old else { continue }
            set(nil, place.key, of: place.entity, before: old)
            dropTwins(of: old, place.key, of: place.entity)
        }
    }

    /// The records whose reference holds one of these keys.
    func referrers(to keys: [StoredValue], _ incoming: EntityRules.Incoming) throws -> [RecordChange.Place] {
        let pending = lookup(incoming.lookup, of: incoming.entity)
        let found = try keysBelow(keys, incoming.lookup, of: incoming.entity) {
            keys.count == 1
                ? .compare(position: incoming.position, .equal, keys[0])
                : .among(position: incoming.position, keys.sorted())
        }
        return (found + keys.flatMap { pending.keys(of: $0) }).map {
            RecordChange.Place(entity: incoming.entity, key: $0)
        }
    }

    private func denied(by incoming: EntityRules.Incoming) -> GranaryError {
        .denied(by: schema.entities[incoming.entity], incoming.position)
    }
}

/// What a deletion comes to, while it is worked out.
private struct Deletion {
    typealias Place = RecordChange.Place

    /// What goes, each once.
    private(set) var doomed: [Place] = []
    private var isDoomed: Set<Place> = []
    private var losing: [Place: [Int]] = [:]
    private var denying: [Place: (EntityRules.Incoming, target: Int)] = [:]

    mutating func doom(_ place: Place) {
        if isDoomed.insert(place).inserted { doomed.append(place) }
    }

    mutating func note(_ referrer: Place, _ incoming: EntityRules.Incoming, to target: Int) {
        switch incoming.rule {
        case .cascade: doom(referrer)
        case .nullify: losing[referrer, default: []].append(incoming.position)
        case .deny: if denying[referrer] == nil { denying[referrer] = (incoming, target) }
        case .noAction: break
        }
    }

    /// What stays and forbids it: the least by key, so that it is always the same.
    var forbidding: (EntityRules.Incoming, target: Int)? {
        denying.filter { !isDoomed.contains($0.key) }.min { $0.key < $1.key }?.value
    }

    /// What stays and loses references, by key.
    var nullified: [(Place, [Int])] {
        losing.filter { !isDoomed.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
