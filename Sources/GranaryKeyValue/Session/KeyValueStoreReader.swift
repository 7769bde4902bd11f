import GranaryStoreKit

/// One consistent state of a ``KeyValueStore``.
final class KeyValueStoreReader: StoreReader, SeedReading, WordKeeping {
    private let session: KeyValueSession
    private let shelf: SessionShelf
    /// Afterwards the session may belong to another reader.
    @exclusivity(unchecked) private var isEnded = false

    /// - Parameter shelf: Gets the session when the transaction has ended.
    init(_ session: KeyValueSession, _ shelf: SessionShelf) {
        (self.session, self.shelf) = (session, shelf)
        transactionNumber = session.transactionNumber
    }

    deinit { end() }

    /// The session, until the transaction has ended.
    @inline(__always) private func live() throws -> KeyValueSession {
        if isEnded { throw KeyValueSession.closed() }
        return session
    }

    var schema: Schema { session.base.schema }
    let transactionNumber: UInt64
    func seed() throws -> SeedIdentity? {
        try KeyValueStore.description(live().engine, session.base.kind)?.schema.seed
    }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try live().find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try live().rows(request) }
    func count(_ request: FetchRequest) throws -> Int { try live().count(request) }
    func explain(_ request: FetchRequest) throws -> QueryPlan { try live().explain(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try live().lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try live().history(after: number, limit: limit)
    }
    func wordBlocks() throws -> (any WordBlocks)? {
        try live().check()
        return KeyValueWords(session)
    }
    func end() {
        guard !isEnded else { return }
        isEnded = true
        session.end()
        shelf.putBack(session)
    }
}
