extension ChangeMerger {
    /// The records that delete rules will take along with those to be deleted, and that the context did not know of: others
    /// have added them, or made them refer to what it deletes. Links are not listed.
    func cascaded(_ deleted: [Int: [StoredValue]], in writer: any StoreWriter) throws -> [CascadedDeletion] {
        // What nobody has changed since goes as the context has shown it.
        if isNewest(writer) { return [] }
        var seen: Set<RecordChange.Place> = []
        var left: [RecordChange.Place] = []
        for (entity, keys) in deleted {
            for key in keys { left.append(RecordChange.Place(entity: entity, key: key)) }
        }
        seen.formUnion(left)
        var found: [RecordChange.Place] = []
        let rules = EntityRules.all(of: schema)
        while !left.isEmpty {
            let groups = Dictionary(grouping: left, by: \.entity)
            left = []
            for (entity, places) in groups {
                for incoming in rules[entity].incoming where incoming.rule == .cascade {
                    for keys in places.map(\.key).sorted().chunks(of: Overlay.together) {
                        let request = FetchRequest(
                            entity: incoming.entity, condition: .isListed(keys, at: incoming.position))
                        for key in try Overlay.keys(request, rules[incoming.entity], writer) {
                            let place = RecordChange.Place(entity: incoming.entity, key: key)
                            if seen.insert(place).inserted { left.append(place) }
                        }
                    }
                }
            }
            found += left
        }
        return found.filter { self.rules[$0.entity].linked == nil }.sorted().map {
            CascadedDeletion(entity: schema.entities[$0.entity].name, key: $0.key)
        }
    }
}

extension Array {
    /// The elements in parts of at most `count`.
    func chunks(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
