/// What a change set did to each entity, worked out once for all who ask.
struct ChangeSummary: Sendable {
    struct OfEntity: Sendable {
        let entity: Int
        /// Where its changes are.
        let range: Range<Int>
        /// Whether any record was inserted or deleted.
        let hasOthers: Bool
        /// What was changed in records that were there before and after.
        let attributes: AttributeSet
    }

    let number: UInt64
    /// By entity and key; nil if not known.
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
