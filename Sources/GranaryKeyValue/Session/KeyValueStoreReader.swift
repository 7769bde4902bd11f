import GranaryStoreKit

/// One consistent state of a ``KeyValueStore``.
final class KeyValueStoreReader: StoreReader, SeedReading, WordKeeping {
    private let session: KeyValueSession

    init(_ session: KeyValueSession) { self.session = session }

    var schema: Schema { session.store.schema }
    var transactionNumber: UInt64 { session.transactionNumber }
    func seed() throws -> SeedIdentity? {
        try KeyValueStore.description(session.engine, session.store.kind)?.schema.seed
    }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try session.find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try session.rows(request) }
    func count(_ request: FetchRequest) throws -> Int { try session.count(request) }
    func explain(_ request: FetchRequest) throws -> QueryPlan { try session.explain(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try session.lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try session.history(after: number, limit: limit)
    }
    func wordBlocks() throws -> (any WordBlocks)? {
        try session.check()
        return KeyValueWords(session)
    }
    func end() { session.end() }
}
