/// The effect of a change set on each entity, computed once for all observers.
struct ChangeSummary: Sendable {
    struct OfEntity: Sendable {
        let entity: Int
        /// The entity's range in `changes`.
        let range: Range<Int>
        /// Whether any record was inserted or deleted.
        let hasOthers: Bool
        /// The attributes that were changed in updated records.
        let attributes: AttributeSet
    }

    let number: UInt64
    /// The changes by entity and key; nil if unknown.
    let changes: [RecordChange]?
    let entities: [OfEntity]

    init(_ set: ChangeSet) {
        number = set.transactionNumber
        changes = set.changes
        var found: [OfEntity] = []
        let changes = set.changes ?? []
        var start = 0
        while start < changes.count {
            let entity = changes[start].entity
            var (end, hasOthers, attributes) = (start, false, AttributeSet())
            while end < changes.count, changes[end].entity == entity {
                if case .updated(let positions) = changes[end].kind {
                    attributes.formUnion(positions)
                } else {
                    hasOthers = true
                }
                end += 1
            }
            found.append(OfEntity(entity: entity, range: start..<end, hasOthers: hasOthers, attributes: attributes))
            start = end
        }
        entities = found
    }
}
