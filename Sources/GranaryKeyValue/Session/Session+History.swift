import GranaryCore

extension KeyValueStoreReader {
    func lastAssignedKey(of entity: Int) throws -> Int64 { 0 }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] { [] }
}

extension KeyValueStoreWriter {
    func lastAssignedKey(of entity: Int) throws -> Int64 { 0 }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] { [] }
    func record(into recorder: ChangeRecorder) throws {}
    func keepHistory(_ entry: HistoryEntry) throws {}
    func deleteHistory(through number: UInt64) throws {}
}
