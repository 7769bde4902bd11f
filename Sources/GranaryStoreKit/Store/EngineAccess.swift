/// A type that reads from a store in one state: in core, snapshots and transactions. A store's own module extends it
/// with the special features of that store, as SQLite's does with SQL.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `engine` | belongs to this state alone: another snapshot or transaction has another one |
/// | `engine.reader()` | the store's own reader, of the type that the store returned from `beginRead`; throws `closed` after the end |
/// | `engine.entity(of:)` | the position in the schema of the stack; `unknownEntity` or `schemaMismatch` for other types |
/// | `engine.record(_:of:from:)` | the record as the stack's own requests would return it, including external values |
public protocol EngineReading {
    /// The underlying store.
    var engine: EngineAccess { get }
}

/// An ``EngineReading`` that also writes: in core, transactions. The reader of its engine is a ``StoreWriter``.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `engine.reader()` | the store's own writer, of the type that the store returned from `beginWrite`; the one that the transaction writes to |
/// | writes | are seen by the transaction, and committed or undone with it; changes are recorded as for other writes |
/// | rules of records | are the store's to keep: the checks of core before a write, such as `validate()`, are left out |
public protocol EngineWriting: EngineReading {}

/// The store under a snapshot or transaction.
public struct EngineAccess {
    private let session: any EngineSession

    /// Looked up once and not for each row.
    private let external: ExternalReader?

    package init(_ session: any EngineSession) {
        self.session = session
        external = session.reader as? ExternalReader
    }

    /// The reader; for a transaction, its writer.
    ///
    /// - Throws: `closed` once the snapshot or transaction has ended.
    public func reader() throws -> any StoreReader {
        try session.checkOpen()
        return try session.reader.lowestReader()
    }

    /// The files of external values that no record of this state names, and their bytes. Files that are being written
    /// may be included. Cost: reads the external attributes of all rows, without their files.
    package func unusedExternalFiles() throws -> (count: Int, bytes: Int) {
        try session.checkOpen()
        return try external?.unusedFiles() ?? (0, 0)
    }

    /// The position of a record type's entity in the schema.
    public func entity<R: Record>(of type: R.Type) throws -> Int { try session.entity(of: type) }

    /// Makes a record. An error of this names the entity and the attribute.
    public func record<R: Record>(_ type: R.Type, of entity: Int, from row: borrowing Row) throws -> R {
        do {
            guard let external else { return try R(row: row) }
            return try R(row: external.loading(row, of: entity))
        } catch {
            throw session.explain(error, entity, row)
        }
    }
}

/// The parts of a snapshot or transaction in core that ``EngineAccess`` uses.
package protocol EngineSession: AnyObject {
    var reader: any StoreReader { get }

    func checkOpen() throws
    func entity<R: Record>(of type: R.Type) throws -> Int
    func explain(_ error: any Error, _ entity: Int, _ row: borrowing Row) -> any Error
}
