import GranaryConformance
import GranaryCore

final class ReferenceWriter: ReferenceReader, StoreWriter {
    private let contents: ReferenceContents
    private var savepoints: [ReferenceState] = []
    private var hasChanged = false

    init(_ contents: ReferenceContents, _ state: ReferenceState, _ number: UInt64) {
        self.contents = contents
        super.init(state, number)
    }

    private func statement<T>(changes: (T) -> Bool = { _ in true }, _ body: (inout ReferenceState) throws -> T) throws
        -> T
    {
        try check()
        do {
            let result = try body(&state)
            if changes(result) {
                hasChanged = true
                writes += 1
            }
            return result
        } catch let breach as ReferenceState.Breach {
            throw GranaryError(
                breach.codes[0], "The statement would break a rule of the schema. Change its values.",
                entity: breach.entity, attributes: breach.attributes)
        }
    }

    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let values = row.values
        return try statement { try $0.insert(values, into: entity) }
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let values = row.values
        return try statement(changes: { $0 }) { try $0.update(values, in: entity) }
    }

    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let values = row.values
        return try statement { try $0.upsert(values, into: entity) }
    }

    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let key = StoredValue(key)
        return try statement(changes: { $0 }) { state in
            guard state.row(key, in: entity) != nil else { return false }
            try state.delete([key], from: entity)
            return true
        }
    }

    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let rows = try matching(request)
        return try statement(changes: { $0 > 0 }) { state in
            try state.set(values.map { ($0.position, $0.value) }, in: rows, of: request.entity)
            return rows.count
        }
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        let rows = try matching(request)
        return try statement(changes: { $0 > 0 }) { state in
            try state.delete(rows.map { $0[state.keyPosition(request.entity)] }, from: request.entity)
            return rows.count
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
        savepoints.append(state)
    }

    func releaseSavepoint() throws {
        try check()
        _ = savepoints.popLast()
    }

    func rollbackSavepoint() throws {
        try check()
        writes += 1
        if let before = savepoints.popLast() { state = before }
        // Also when the check at the end of a part has thrown.
        state.defersReferences = false
    }

    func record(into recorder: ChangeRecorder) throws {}
    func keepHistory(_ entry: HistoryEntry) throws {}
    func deleteHistory(through number: UInt64) throws {}

    func commit() throws -> UInt64 {
        try check()
        super.end()
        let isNew = hasChanged && state.tables != contents.newest.state.tables
        contents.endTurn(isNew ? state : nil)
        return transactionNumber + (isNew ? 1 : 0)
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
