/// A place that keeps records: the protocol for an engine with queries of its own. An engine with ordered keys alone
/// implements `OrderedKeyValueEngine` instead and gets all of this.
///
/// An author writes 21 requirements, those without a default:
///
/// | type | what its author writes |
/// |---|---|
/// | ``StoreProvider`` | `open(_:migration:)` |
/// | ``Store`` | `schema`, `coordinator`, `beginRead`, `beginWrite` |
/// | ``StoreReader`` | `schema`, `transactionNumber`, `find`, `rows`, `lastAssignedKey`, `end` |
/// | ``RowCursor`` | `next` |
/// | ``StoreWriter`` | `insert`, `update`, `delete`, `commit` |
/// | ``SavepointWriting`` | `beginSavepoint`, `releaseSavepoint`, `rollbackSavepoint` |
/// | ``ReferenceDeferring`` | `deferReferences`, `checkReferences` |
///
/// ``RowSource`` and ``RowTarget`` write nine of these from nine of their own: the reader's `schema`, `find`, `rows`, the
/// cursor, `insert`, `update`, `delete` and the two of ``ReferenceDeferring``. Everything else a store may adopt. Where a
/// capability stands behind it, the store says so by its ``capabilities``, which are none by default:
///
/// | what | requirements | without them |
/// |---|---|---|
/// | its name, its end | `kind`, `close` | its type gives the name; nothing is to be closed |
/// | checks | `verify` | ``verifyRecords()`` reads all rows; what an engine keeps besides is not looked at |
/// | numbers and plans | `count`, `explain` | rows are counted one by one; a plan says that all are read |
/// | ``StatementWriting`` | `upsert`, `updateAll`, `deleteAll` | they are made of `insert`, `update` and `delete`, row by row |
/// | ``ChangeRecording`` (`changeRecording`) | `record`, `prepareCommit` | the changes of a ``ChangeSet`` are not known |
/// | ``HistoryReading``, ``HistoryWriting`` (`history`) | `history`, `keepHistory`, `deleteHistory` | none is kept; a history policy is `unsupported` |
/// | ``StoreFilling`` (`filling`) | `beginFilling`, `append`, `finishFilling`, and `open` with contents | copies, seeds and resets are `unsupported` |
/// | files | `location`, `compact`, `replaceContents`, `backUp`, `synchronize` | no path, nothing to compact, a commit is as durable as it gets |
/// | indexes | `rebuildIndexes`, `removeDroppedIndexes` | a store has no indexes |
/// | other processes | `foreignReads`, `foreignBlockage` | none are known |
/// | the provider | `exists`, `destroy`, `moveAside`, `openStored` (`storedSchema`) | nothing is known of a store that is closed, and `destroy`, `moveAside` and `openStored` are `unsupported` |
/// | reading | the provider's `readingOnly` | a plan of a migration opens the store as the provider does |
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginRead` | the newest committed state, repeatable until `end()`; does not wait for the writer; as many at once as asked |
/// | `beginWrite` | waits its turn up to the time-out, then `busy`; sees its own writes; begun and ended on one thread |
/// | `verify` | changes nothing; finds what it can without knowing the program |
/// | `compact`, `replaceContents` | no transaction is lost or disturbed; a process that is killed leaves the old contents or the new |
/// | `rebuildIndexes` | afterwards each index has exactly the entries of its rows, or nothing has changed |
/// | `backUp` | the newest committed state is whole at the path, or nothing is there; reads and writes go on |
/// | `foreignReads` | disturbs no read or write; never lists reads of this process |
/// | `foreignBlockage` | disturbs no read or write; nil if a read of this process may be the cause |
/// | `synchronize` | what was committed before it was called survives a loss of power when it returns |
/// | `close` | called once, with nothing open |
///
/// Every call may block, and is made on threads that may: never on Swift's cooperative pool. The conformance suite (product
/// `GranaryConformance`) tries all that is said here and in the other tables.
public protocol Store: AnyObject, Sendable {
    /// A short name: `sqlite`, `lmdb`, `memory`. By default that of the type in lower case, without `Store` at its end.
    var kind: String { get }
    /// The schema the store was opened with, with the numbers the store gives.
    var schema: Schema { get }
    /// What the store can do beyond what every store must: nothing by default, with the limits that ``Capabilities`` have.
    var capabilities: Capabilities { get }
    /// The path of the engine's main file, for people who want to look inside. Nil, the default, for a store without files.
    var location: String? { get }
    /// Made when the store is opened, one for all that use it in this process.
    var coordinator: StoreCoordinator { get }

    /// Begins to read. The flag is looked at while the store works; once it is set, calls throw `cancelled`.
    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader
    func beginWrite() throws -> any StoreWriter
    /// Checks every row, index and page it can, and says what is wrong, one line a fault. By default it is
    /// ``verifyRecords()``: a store whose engine has pages, checksums or indexes checks these, too.
    func verify() throws -> [String]
    /// Gives free space back, under the stacks and contexts of this process that have the store open. A store without files
    /// has none, and by default does nothing.
    ///
    /// - Throws: `busy` if another process has the store open, `reentrantWrite` inside a write of the same thread,
    ///   `readOnly`, `full`.
    func compact() throws
    /// Puts new contents in the place of those the store has, under the stacks and contexts of this process that have it
    /// open. Reads that are under way finish on the old contents; writes wait, and then go to the new ones. By default a
    /// store cannot be filled.
    ///
    /// It calls ``StoreContents/fill(_:replacing:)``, and ``StoreContents/didGoLive()`` once the contents are the store's. Stores
    /// that ``FolderStores`` opens have this and `compact` from it.
    ///
    /// - Throws: What `compact` throws, `unsupported` if the store cannot be filled, and what filling it throws. The old
    ///   contents stay then.
    func replaceContents(with contents: StoreContents) throws
    /// Makes all indexes anew from the rows. By default a store has none, and does nothing.
    ///
    /// - Throws: `uniqueness` if rows do not have the uniqueness that an index asks for; nothing has changed then.
    func rebuildIndexes() throws
    /// Gives back the space of the indexes that migrations have dropped. A migration may leave that for later, so that opening
    /// does not wait for it: no read uses such an index, and its uniqueness is not checked any more. A stack calls this on its
    /// thread for writing, after it was opened. By default a store has no such indexes, and nothing is done.
    ///
    /// - Throws: `busy`, `full`, `io`. Then the dropped indexes stay until the store is opened again.
    func removeDroppedIndexes() throws
    /// Makes a store of the same kind of the newest committed state, in a folder that does not exist yet, while reads and
    /// writes go on. By default it throws `unsupported`: a store without files has nothing to back up.
    ///
    /// - Throws: `invalidPath`, `full`, `io`, `corrupt`; nothing is left at the path then.
    func backUp(to path: String) throws
    /// The reads that other processes have open, as far as the engine knows. None by default: where other processes do not read, or
    /// cannot be seen.
    func foreignReads() -> [ForeignRead]
    /// How long the same read of another process has kept the store's files from using space again, as the last commits found,
    /// where the engine knows no more of the read than that. Nil, the default, if no read does, or ``foreignReads()`` lists it.
    func foreignBlockage() -> Duration?
    /// Returns when all that is committed survives a loss of power, whatever durability was asked for. By default it does
    /// nothing, for stores whose commits do.
    func synchronize() throws
    /// Ends the store: files and locks are given back. By default it does nothing, for a store that holds neither.
    func close() throws
}

extension Store {
    public var kind: String {
        let type = "\(Self.self)"
        let name = type.hasSuffix("Store") ? String(type.dropLast(5)) : type
        return (name.isEmpty ? type : name).lowercased()
    }
    public var capabilities: Capabilities { Capabilities(features: []) }
    public var location: String? { nil }
    public func compact() throws {}
    public func replaceContents(with contents: StoreContents) throws { throw GranaryError.cannotBeFilled }
    public func rebuildIndexes() throws {}
    public func removeDroppedIndexes() throws {}
    public func foreignReads() -> [ForeignRead] { [] }
    public func foreignBlockage() -> Duration? { nil }
    public func synchronize() throws {}
    public func verify() throws -> [String] { try verifyRecords() }
    public func close() throws {}
    public func backUp(to path: String) throws {
        throw GranaryError(
            .unsupported,
            "A \(kind) store has no files to back up, which \(Capability.persistence) needs. Copy its records to a store of another kind."
        )
    }
}

/// A read that another process has open. As long as it is, the space of what was changed or deleted since cannot be used again.
public struct ForeignRead: Sendable, Hashable {
    /// The number of the process.
    public let process: Int32
    /// Which state it reads, as the engine counts them.
    public let state: UInt64
    /// How many transactions were committed after that state.
    public let transactionsBehind: UInt64

    public init(process: Int32, state: UInt64, transactionsBehind: UInt64) {
        (self.process, self.state, self.transactionsBehind) = (process, state, transactionsBehind)
    }
}
