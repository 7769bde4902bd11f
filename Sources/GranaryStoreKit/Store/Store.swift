/// A place that keeps records: the protocol for an engine with queries of its own. An engine that only has ordered keys
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
/// ``RowSource`` and ``RowTarget`` provide nine of these from nine of their own: the reader's `schema`, `find`, `rows`,
/// the cursor, `insert`, `update`, `delete` and the two of ``ReferenceDeferring``. Everything else is optional. If an
/// option has a capability, the store declares it in its ``capabilities``, which are empty by default:
///
/// | what | requirements | without them |
/// |---|---|---|
/// | its name, its end | `kind`, `close` | its type gives the name; nothing needs to be closed |
/// | checks | `verify` | ``verifyRecords()`` reads all rows; further data of the engine is not checked |
/// | numbers and plans | `count`, `explain` | rows are counted one by one; a plan says that all are read |
/// | ``StatementWriting`` | `upsert`, `updateAll`, `deleteAll` | they use `insert`, `update` and `delete`, row by row |
/// | ``ChangeRecording`` (`changeRecording`) | `record`, `prepareCommit` | the changes of a ``ChangeSet`` are unknown |
/// | ``HistoryReading``, ``HistoryWriting`` (`history`) | `history`, `keepHistory`, `deleteHistory` | no history is kept; a history policy is `unsupported` |
/// | ``StoreFilling`` (`filling`) | `beginFilling`, `append`, `finishFilling`, and `open` with contents | copies, seeds and resets are `unsupported` |
/// | files | `location`, `compact`, `replaceContents`, `backUp`, `synchronize` | no path, nothing to compact, every commit is fully durable |
/// | indexes | `rebuildIndexes`, `removeDroppedIndexes` | the store has no indexes |
/// | ``StatementFollowing`` | `follow`, of the readers | the log has no statements |
/// | other processes | `foreignReads`, `foreignBlockage` | none are known |
/// | the provider | `exists`, `destroy`, `moveAside`, `openStored` (`storedSchema`) | nothing is known about a closed store, and `destroy`, `moveAside` and `openStored` are `unsupported` |
/// | reading | the provider's `readingOnly`, `access`, `place` | a plan of a migration opens the store with the provider itself |
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginRead` | the newest committed state, repeatable until `end()`; does not wait for the writer; any number at once |
/// | `beginWrite` | waits its turn up to the time-out, then `busy`; sees its own writes; begun and ended on one thread |
/// | `verify` | changes nothing; finds all faults that can be found without the program |
/// | `compact`, `replaceContents` | no transaction is lost or disturbed; a process that is killed leaves either the old or the new contents |
/// | `rebuildIndexes` | afterwards each index has exactly the entries of its rows, or nothing has changed |
/// | `backUp` | the newest committed state is complete at the path, or nothing exists there; reads and writes go on |
/// | `foreignReads` | disturbs no read or write; never lists reads of this process |
/// | `foreignBlockage` | disturbs no read or write; nil if a read of this process may be the cause |
/// | `synchronize` | when it returns, everything that was committed before the call survives a loss of power |
/// | `close` | called once, with nothing open |
///
/// Every call may block, and is made on threads that may block: never on Swift's cooperative pool. The conformance
/// suite (product `GranaryConformance`) tests everything in this and the other tables.
public protocol Store: AnyObject, Sendable {
    /// A short name: `sqlite`, `lmdb`, `memory`. By default the type's name in lower case, without `Store` at its end.
    var kind: String { get }
    /// The schema that the store was opened with, with the numbers that the store gives.
    var schema: Schema { get }
    /// The store's capabilities: none by default, with the default limits of ``Capabilities``.
    var capabilities: Capabilities { get }
    /// The path of the engine's main file, for people who want to look inside. Nil, the default, for a store without
    /// files.
    var location: String? { get }
    /// Made when the store is opened, one for all users of the store in this process.
    var coordinator: StoreCoordinator { get }

    /// Begins to read. The store checks the flag while it works; once it is set, calls throw `cancelled`.
    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader
    func beginWrite() throws -> any StoreWriter
    /// The same with another durability than the store was opened with, for this transaction alone. `off` counts as
    /// `relaxed`. By default the durability stays, for stores that have no other.
    func beginWrite(_ durability: Durability) throws -> any StoreWriter
    /// Checks every row, index and page it can, and returns the faults, one line each. By default it is
    /// ``verifyRecords()``: a store whose engine has pages, checksums or indexes should check these, too.
    func verify() throws -> [String]
    /// Gives free space back while stacks and contexts of this process have the store open. By default it does nothing,
    /// for stores without files.
    ///
    /// - Throws: `busy` if another process has the store open, `reentrantWrite` inside a write of the same thread,
    ///   `readOnly`, `full`.
    func compact() throws
    /// Replaces the contents of the store while stacks and contexts of this process have it open. Running reads finish
    /// on the old contents; writes wait, and then go to the new ones. By default a store cannot be filled.
    ///
    /// It calls ``StoreContents/fill(_:replacing:)``, and ``StoreContents/didGoLive()`` once the new contents are live.
    /// Stores opened by ``FolderStores`` get this and `compact` from it.
    ///
    /// - Throws: The errors of `compact`, `unsupported` if the store cannot be filled, and the errors of filling it.
    ///   Then the old contents stay.
    func replaceContents(with contents: StoreContents) throws
    /// Makes all indexes anew from the rows. By default it does nothing, for stores without indexes.
    ///
    /// - Throws: `uniqueness` if rows have equal values of a unique index; nothing has changed then.
    func rebuildIndexes() throws
    /// Gives back the space of the indexes that migrations have dropped. A migration may postpone this, so that opening
    /// does not wait for it: no read uses such an index, and its uniqueness is no longer checked. A stack calls this on
    /// its thread for writing, after it was opened. By default it does nothing, for stores without such indexes.
    ///
    /// - Throws: `busy`, `full`, `io`. Then the dropped indexes stay until the store is opened again.
    func removeDroppedIndexes() throws
    /// Copies the newest committed state into a store of the same kind, in a folder that does not exist yet, while
    /// reads and writes go on. By default it throws `unsupported`: a store without files has nothing to back up.
    ///
    /// - Throws: `invalidPath`, `full`, `io`, `corrupt`; nothing is left at the path then.
    func backUp(to path: String) throws
    /// The reads that other processes have open, as far as the engine can see them. Empty by default: for stores that
    /// other processes cannot read, or whose readers cannot be seen.
    func foreignReads() -> [ForeignRead]
    /// How long the same read of another process has kept the store's files from reusing space, as observed at the last
    /// commits. For engines that know nothing else about the read. Nil, the default, if there is no such read, or if
    /// ``foreignReads()`` lists it.
    func foreignBlockage() -> Duration?
    /// Returns when everything committed survives a loss of power, whatever the durability of the store is. By default
    /// it does nothing, for stores whose commits always survive.
    func synchronize() throws
    /// Closes the store: releases files and locks. By default it does nothing, for a store that has neither.
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
    public func beginWrite(_ durability: Durability) throws -> any StoreWriter { try beginWrite() }
    public func foreignReads() -> [ForeignRead] { [] }
    public func foreignBlockage() -> Duration? { nil }
    public func synchronize() throws {}
    public func verify() throws -> [String] { try verifyRecords() }
    public func close() throws {}
    public func backUp(to path: String) throws {
        throw GranaryError.unsupported(
            .persistence,
            "A \(kind) store has no files to back up, which \(Capability.persistence) needs. Copy its records to a store of another kind."
        )
    }
}

/// A read that another process has open. While it is open, the space of data that was changed or deleted since cannot
/// be reused.
public struct ForeignRead: Sendable, Hashable {
    /// The number of the process.
    public let process: Int32
    /// The state that it reads, by the engine's own number.
    public let state: UInt64
    /// The number of transactions that were committed after that state.
    public let transactionsBehind: UInt64

    public init(process: Int32, state: UInt64, transactionsBehind: UInt64) {
        (self.process, self.state, self.transactionsBehind) = (process, state, transactionsBehind)
    }
}
