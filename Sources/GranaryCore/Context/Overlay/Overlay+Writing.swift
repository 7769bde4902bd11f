extension Overlay {
    package func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? { throw Overlay.ended }
    package func update(_ row: borrowing Row, in entity: Int) throws -> Bool { throw Overlay.ended }
    package func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? { throw Overlay.ended }
    package func delete(_ key: Cell, from entity: Int) throws -> Bool { throw Overlay.ended }
    package func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int { throw Overlay.ended }
    package func deleteAll(_ request: FetchRequest) throws -> Int { throw Overlay.ended }
    package func deferReferences() throws {}
    package func checkReferences() throws {}
    package func beginSavepoint() throws {}
    package func releaseSavepoint() throws {}
    package func rollbackSavepoint() throws {}
}

// What only a store's own writer does.
extension Overlay {
    package func record(into recorder: ChangeRecorder) throws {}
    package func keepHistory(_ entry: HistoryEntry) throws {}
    package func deleteHistory(through number: UInt64) throws {}
    package func commit() throws -> UInt64 { transactionNumber }
}
