/// The store under a snapshot or transaction, for a store's own module, which adds what that store alone can do.
package struct EngineAccess {
    private let session: StoreSession

    init(_ session: StoreSession) { self.session = session }

    /// The reader; of a transaction, its writer.
    ///
    /// - Throws: `closed` once the snapshot or transaction has ended.
    package func reader() throws -> any StoreReader {
        try session.checkOpen()
        return session.reader
    }

    /// The position of a record type's entity in the schema.
    package func entity<R: Record>(of type: R.Type) throws -> Int { try session.entity(of: type) }

    /// Makes a record, and names entity and attribute where it cannot.
    package func record<R: Record>(_ type: R.Type, of entity: Int, from row: borrowing Row) throws -> R {
        try session.schema.entities[entity].record(type, from: row)
    }
}

extension Snapshot {
    package var engine: EngineAccess { EngineAccess(session) }
}

extension Transaction {
    package var engine: EngineAccess { EngineAccess(session) }
}
