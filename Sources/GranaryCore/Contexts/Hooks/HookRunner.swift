import Foundation

/// Runs the hooks of a stack's record types at the end of a write, and sets the times that a stack keeps; see
/// ``RecordHooks`` and ``Attribute/stamp``.
struct HookRunner: Sendable {
    /// How many times hooks may write further records that have hooks.
    private static let maximumRounds = 100

    /// By entity; nil where the record type has no hooks.
    private var hooks: [Hooks?]
    /// By entity; nil where it has no attribute with a time.
    private let times: [KeptTimes?]
    let isEmpty: Bool

    init(_ types: [any Record.Type], _ schema: Schema) {
        hooks = schema.entities.map { _ in nil }
        for case let type as any RecordHooks.Type in types {
            guard let entity = try? schema.position(ofEntity: type.entityName) else { continue }
            hooks[entity] = Hooks(type, entity)
        }
        times = schema.entities.map { KeptTimes($0) }
        isEmpty = !hooks.contains { $0 != nil } && !times.contains { $0 != nil }
    }

    /// - Parameters:
    ///   - recorder: What the write has changed so far, and what the hooks change.
    ///   - time: That of the write.
    /// - Throws: What hooks throw; `limit` if hooks write records whose hooks write records, without end; `range` if the
    ///   time cannot be stored.
    func run(in transaction: Transaction, _ recorder: ChangeRecorder, at time: Date) throws {
        let time = try StoredValue(encoding: time)
        var asked: Set<RecordChange.Place> = []
        for _ in 0..<HookRunner.maximumRounds {
            try transaction.writer.prepareCommit()
            let changes = recorder.changes().filter { change in
                (hooks[change.entity] != nil || times[change.entity] != nil) && !asked.contains(change.place)
            }
            guard !changes.isEmpty else { return }
            for change in changes where change.kind != .deleted {
                try times[change.entity]?.set(time, change, transaction)
                try hooks[change.entity]?.willSave(change.key, transaction)
            }
            for change in changes {
                asked.insert(change.place)
                try hooks[change.entity]?.didChange(change, transaction)
            }
        }
        throw GranaryError(
            .limit,
            "The hooks of records have written further records \(HookRunner.maximumRounds) times in one write. Let a hook write only records whose hooks do not write such records again."
        )
    }

    /// The hooks of one record type.
    private struct Hooks: Sendable {
        let willSave: @Sendable (StoredValue, Transaction) throws -> Void
        let didChange: @Sendable (RecordChange, Transaction) throws -> Void

        init<R: RecordHooks>(_ type: R.Type, _ entity: Int) {
            willSave = { key, transaction in
                guard let (record, stored) = try HookRunner.find(R.self, key, entity, transaction) else { return }
                var changed = record
                try changed.willSave(in: transaction)
                guard changed.id == record.id else { throw Context.keyNeverChanges(R.entity) }
                let row = try transaction.row(of: changed, entity)
                guard !row.isSame(as: stored) else { return }
                // The version was raised by what has changed the record.
                try transaction.overwrite(with: row, in: entity)
            }
            didChange = { change, transaction in
                if change.kind == .deleted {
                    return try R.didDelete(try change.key.withCell { try R.Key.decode($0) }, in: transaction)
                }
                guard let (record, _) = try HookRunner.find(R.self, change.key, entity, transaction) else { return }
                if change.kind == .inserted {
                    try record.didInsert(in: transaction)
                } else {
                    try record.didUpdate(in: transaction)
                }
            }
        }
    }

    /// A record as it is in the write; nil if it is gone, or if the type cannot read its values.
    private static func find<R: Record>(
        _ type: R.Type, _ key: StoredValue, _ entity: Int, _ transaction: Transaction
    ) throws -> (record: R, row: StoredRow)? {
        guard let stored = try transaction.storedRow(key, in: entity) else { return nil }
        let described = transaction.schema.entities[entity]
        let record = try? stored.withRow { (row: borrowing Row) throws in try described.record(R.self, from: row) }
        return record.map { ($0, stored) }
    }
}
