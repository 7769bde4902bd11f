/// The times that a stack sets in the records of one entity: `@CreatedAt`, `@UpdatedAt`.
struct KeptTimes: Sendable {
    private let positions: [(position: Int, stamp: Attribute.Stamp)]

    /// Nil if the entity has none.
    init?(_ entity: Entity) {
        positions = entity.attributes.enumerated().compactMap { position, attribute in
            attribute.stamp.map { (position, $0) }
        }
        if positions.isEmpty { return nil }
    }

    /// Sets the time of a write in a record that it has inserted or updated.
    func set(_ time: StoredValue, _ change: RecordChange, _ transaction: Transaction) throws {
        guard let row = try transaction.storedRow(change.key, in: change.entity) else { return }
        let due = positions.filter { isDue($0.position, $0.stamp, row, change.kind) }
        guard !due.isEmpty else { return }
        let values = due.map { Assignment(position: $0.position, value: time) }
        try transaction.overwrite(with: row.setting(values), in: change.entity)
    }

    private func isDue(
        _ position: Int, _ stamp: Attribute.Stamp, _ row: StoredRow, _ kind: RecordChange.Kind
    ) -> Bool {
        let isNil = row.value(at: position) == .null
        switch kind {
        case .deleted: return false
        case .inserted: return isNil
        // A record is often written as a whole, with the times that it was read with. One that was there before times
        // were kept gets no time of creation.
        case .updated(let attributes): return stamp == .updated || (isNil && attributes.contains(position))
        }
    }
}
