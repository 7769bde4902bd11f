// A delete rule can make a reference nil in a record that nothing has asked for. That record may have rules of its own, which a
// context asks when it is saved. A transaction asks them at once. What a deletion has changed is known to the recorder of changes:
// one is used only for deletions that can make a reference nil in records with rules.

/// Asks the records whose references a deletion makes nil whether they are valid.
final class NullifiedRecords {
    private let validator: RecordValidator
    private let writer: any StoreWriter
    private var recorder: ChangeRecorder?
    private var isUnknown = false

    /// - Parameter recorder: The one that notes what the transaction changes, if there is one already.
    init(_ validator: RecordValidator, _ writer: any StoreWriter, _ recorder: ChangeRecorder?) {
        (self.validator, self.writer, self.recorder) = (validator, writer, recorder)
    }

    /// Runs a deletion, which is undone if a record refuses what becomes of it.
    ///
    /// - Throws: What the first record, by entity and key, throws.
    func deleting<T>(from entity: Int, in transaction: Transaction, _ body: () throws -> T) throws -> T {
        guard validator.reachesRules(from: entity), let recorder = try recording() else { return try body() }
        return try transaction.savepoint {
            let start = recorder.count
            let result = try body()
            try check(recorder.updates(since: start))
            return result
        }
    }

    /// Nil for a store that cannot tell what it changes.
    private func recording() throws -> ChangeRecorder? {
        if let recorder { return recorder }
        if isUnknown { return nil }
        let recorder = ChangeRecorder()
        do {
            try writer.record(into: recorder)
        } catch let error as GranaryError where error.code == .unsupported {
            isUnknown = true
            return nil
        }
        self.recorder = recorder
        return recorder
    }

    private func check(_ places: [RecordChange.Place]) throws {
        for place in places where validator.hasRules(for: place.entity) {
            let row = try place.key.withCell { key in
                guard let row = try writer.find(key, in: place.entity) else { return nil as StoredRow? }
                return StoredRow(row)
            }
            if let row { try validator.check(row, of: place.entity) }
        }
    }
}
