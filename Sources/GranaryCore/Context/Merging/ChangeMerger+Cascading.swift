extension ChangeMerger {
    /// The records that delete rules will take along with those to be deleted, and that the context did not know of: others
    /// have added them, or made them refer to what it deletes. Links are not listed.
    func cascaded(_ deleted: [Int: [StoredValue]], in writer: any StoreWriter) throws -> [CascadedDeletion] {
        // What nobody has changed since goes as the context has shown it.
        if isNewest(writer) { return [] }
        let places = deleted.flatMap { entity, keys in keys.map { RecordChange.Place(entity: entity, key: $0) } }
        var seen = Set(places)
        var found: [RecordChange.Place] = []
        let rules = EntityRules.all(of: schema)
        try rules.followCascades(from: places) { request in
            let keys = try Overlay.keys(request, rules[request.entity], writer)
            let joining = keys.map { RecordChange.Place(entity: request.entity, key: $0) }
                .filter { seen.insert($0).inserted }
            found += joining
            return joining
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
