import ConformanceKit
import ConformanceModels
import GranaryCore

final class ReferenceWriter: ReferenceReader, StoreWriter {
    struct Savepoint {
        var state: ReferenceState
        var history: [HistoryEntry]
        var hasKept: Bool
    }

    let contents: ReferenceContents
    private var savepoints: [Savepoint] = []
    private var hasChanged = false
    private var hasKept = false
    private var recorder: ChangeRecorder?

    init(_ contents: ReferenceContents) {
        self.contents = contents
        super.init(contents.newest)
    }

    /// - Parameter row: The one row that the statement can change; if nil, it may be any.
    private func statement<T>(
        on row: RecordChange.Place? = nil, changes: (T) -> Bool = { _ in true },
        _ body: (inout ReferenceState) throws -> T
    ) throws -> T {
        try check()
        do {
            let before = recorder.map { _ in Before(state, row) }
            let result = try body(&state)
            if changes(result) {
                hasChanged = true
                writes += 1
            }
            if let recorder { before?.note(state, into: recorder) }
            return result
        } catch let breach as ReferenceState.Breach {
            let entity = state.schema.entities.first { $0.name == breach.entity }
            let text = entity?.ruleTexts(breach.codes[0], breach.attributes).first
            throw GranaryError(
                breach.codes[0], text ?? "The statement would break a rule of the schema. Change its values.",
                entity: breach.entity, attributes: breach.attributes)
        }
    }

    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let (values, made) = try withKey(row.values, entity)
        return try statement(on: place(values, entity)) { try $0.insert(values, into: entity) } ?? made
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let values = row.values
        return try statement(on: place(values, entity), changes: { $0 }) { try $0.update(values, in: entity) }
    }

    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let key = StoredValue(key)
        return try statement(changes: { $0 }) { state in
            guard state.row(key, in: entity) != nil else { return false }
            try state.delete([key], from: entity)
            return true
        }
    }

    func deferReferences() throws {
        try check()
        state.defersReferences = true
    }

    func checkReferences() throws {
        state.defersReferences = false
        try statement(changes: { _ in false }) { try $0.checkReferences() }
    }

    func beginSavepoint() throws {
        try check()
        try Capabilities.Limits().checkSavepoint(insideOf: savepoints.count)
        savepoints.append(Savepoint(state: state, history: history, hasKept: hasKept))
        recorder?.beginSavepoint()
    }

    func releaseSavepoint() throws {
        try check()
        _ = savepoints.popLast()
        recorder?.releaseSavepoint()
    }

    func rollbackSavepoint() throws {
        try check()
        writes += 1
        if let before = savepoints.popLast() {
            state = before.state
            history = before.history
            hasKept = before.hasKept
        }
        recorder?.rollbackSavepoint()
        // Also when the check at the end of a part has thrown.
        state.defersReferences = false
    }

    func record(into recorder: ChangeRecorder) throws {
        try check()
        for _ in savepoints { recorder.beginSavepoint() }
        self.recorder = recorder
    }

    func keepHistory(_ entry: HistoryEntry) throws {
        try check()
        history.removeAll { $0.number == entry.number }
        history.append(entry)
        history.sort { $0.number < $1.number }
        hasKept = true
        writes += 1
    }

    func deleteHistory(through number: UInt64) throws {
        try check()
        history.removeAll { $0.number <= number }
        writes += 1
    }

    func commit() throws -> UInt64 {
        try check()
        super.end()
        var new = contents.newest
        if hasKept || hasChanged && state.tables != new.state.tables {
            new.state = state
            new.number += 1
        }
        new.history = history
        contents.endTurn(new)
        return new.number
    }

    override func end() {
        if isEnded { return }
        super.end()
        contents.endTurn(nil)
    }
}

extension Row {
    /// The cells, copied.
    var values: [StoredValue] { (0..<count).map { StoredValue(self[$0]) } }
}
