extension ChangeMerger {
    /// The records that delete rules will delete together with the planned deletions, and that the context did not know
    /// of: others have added them, or made them refer to records that the context deletes.
    func cascaded(_ plan: Plan, in writer: any StoreWriter) throws -> Set<RecordChange.Place> {
        let rules = EntityRules.all(of: schema)
        // Without a commit in between, a cascade deletes only records that the context has shown as deleted. After a
        // refresh such a record may be missing from the pending deletions, which matters only if a record to be written
        // refers to it.
        if isNewest(writer) && !refersToDependents(plan, rules) { return [] }
        let deleted = plan.deleted.flatMap { entity, keys in keys.map { RecordChange.Place(entity: entity, key: $0) } }
        let updated = Dictionary(plan.updated.map { (place(of: $0), $0) }) { first, _ in first }
        let known = Set(deleted)
        var found: Set<RecordChange.Place> = []
        try rules.followCascades(from: deleted) { request, position in
            let keys = try writer.keys(request)
            return keys.map { RecordChange.Place(entity: request.entity, key: $0) }.filter { place in
                // The plan may give the record another reference before anything is deleted.
                if let write = updated[place], changedReferences(write).contains(position) { return false }
                return !known.contains(place) && found.insert(place).inserted
            }
        }
        return found
    }

    /// The cascaded deletions for the result of a save. Links are not listed.
    func deletions(_ cascaded: Set<RecordChange.Place>) -> [CascadedDeletion] {
        cascaded.filter { rules[$0.entity].linked == nil }.sorted().map {
            CascadedDeletion(entity: schema.entities[$0.entity].name, key: $0.key)
        }
    }

    /// Whether a record to be written refers to an entity whose records a cascade can delete.
    private func refersToDependents(_ plan: Plan, _ rules: [EntityRules]) -> Bool {
        let dependents = Set(rules.flatMap(\.incoming).filter { $0.rule == .cascade }.map(\.entity))
        return !dependents.isEmpty
            && [plan.updated, plan.inserted].joined().contains { write in
                targets(of: write, withLoose: false).contains { dependents.contains($0.place.entity) }
            }
    }
}
