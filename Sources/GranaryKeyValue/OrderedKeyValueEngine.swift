public import GranaryStoreKit

/// An engine with ordered byte keys, snapshots and one write transaction at a time: all that ``KeyValueStore`` needs to
/// be a complete ``/Granary/Store``.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | keys | ordered by `memcmp`, the shorter first where one is a prefix of the other; 1 to `limits.keySize` bytes |
/// | values | 0 to `limits.valueSize` bytes |
/// | `beginRead` | one committed state, the newest; never waits for the writer; repeatable until `end()`; any thread |
/// | `beginWrite` | waits its turn; sees its own writes; only one is open at a time, begun and ended on one thread |
/// | `commit` | all or nothing; returns when the durability asked for holds; a failed commit changed nothing |
/// | pointers | what `get` and a cursor return stays valid until the next write of the same transaction, or its end |
/// | cursors | end with the transaction's next write; used after it they throw `cursorInvalidated` |
/// | `verify` | a structure that could end the process when it is read is reported, not followed |
/// | open twice | the engine is shared: one per file and process |
///
/// `Conformance/Examples/OutsideStores` is a package with an engine of its own, step by step;
/// `Tests/GranaryKeyValueTests/SortedArrayEngine.swift` is one over sorted arrays, with nothing but what is required. The
/// conformance suite says whether an engine is right:
///
/// ```swift
/// ConformanceSubject("mine", capabilities: [.rowChecksums, .changeRecording]) { path, _ in MyProvider(path) }
/// ```
///
/// An engine with files is also a ``/Granary/GenerationEngine``, and its stores are opened with ``/Granary/FolderStores``. One that
/// keeps a log is helped by ``JournalingWriter``.
///
/// Keyspaces are independent ordered maps, numbered by the caller and created by ``prepare(keyspaces:)``.
public protocol OrderedKeyValueEngine: AnyObject, Sendable {
    /// A short name for messages and the tool: `lmdb`, `memory`.
    var kind: String { get }
    var limits: KeyValueLimits { get }

    /// Makes the keyspaces usable, creating those that do not exist, in a transaction of its own. Called after opening and
    /// after a change of schema, with no transaction open that writes, unless all of them are prepared already: then it does
    /// nothing.
    func prepare(keyspaces: [Keyspace]) throws
    func beginRead() throws -> any KeyValueReader
    func beginWrite() throws -> any KeyValueWriter
    /// Whether the next write transaction has more room than one that has just failed with `full`. False by default.
    var hasMoreRoom: Bool { get }
    /// Checks the engine's own structure, before the entries in it are read, and says what is wrong, one line a fault.
    /// Empty by default.
    func verify() throws -> [String]
    /// The reads that other processes have open, as far as the engine knows. Empty by default.
    func foreignReads() -> [ForeignRead]
    /// Returns when all that is committed survives a loss of power, whatever durability was asked for. By default it does
    /// nothing, for engines whose commits do.
    func synchronize() throws
    /// Releases everything. No transaction is open when it is called.
    func close() throws
}

extension OrderedKeyValueEngine {
    public var hasMoreRoom: Bool { false }
    public func verify() throws -> [String] { [] }
    public func foreignReads() -> [ForeignRead] { [] }
    public func synchronize() throws {}
}

/// The number of an independent ordered map inside an engine.
public struct Keyspace: Hashable, Sendable {
    public var number: UInt32
    public init(_ number: UInt32) { self.number = number }
}

/// What an engine can hold.
public struct KeyValueLimits: Sendable, Hashable {
    /// The longest key, in bytes; at least 480.
    public var keySize: Int
    /// The longest value, in bytes.
    public var valueSize: Int

    public init(keySize: Int, valueSize: Int) {
        self.keySize = keySize
        self.valueSize = valueSize
    }
}

/// A key and its value where they lie in the engine. The bytes stay valid until the transaction's next write or its end.
public struct KeyValueEntry {
    public var key: UnsafeRawBufferPointer
    public var value: UnsafeRawBufferPointer

    @inlinable public init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.key = key
        self.value = value
    }
}

/// One consistent state of every keyspace. Not for use from two threads at once; may move between threads.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | all | only keyspaces that were prepared before the transaction began are used; after `end` each throws `closed` |
/// | `get` | the value of exactly this key, where it lies in the engine; nil if the key does not exist |
/// | `cursor` | any number at a time, also in one keyspace; each has its own place and outlives no transaction |
/// | `count` | the number of entries in this state; a writer's own writes are among them |
/// | `end` | releases what the transaction holds; what a writer has not committed is undone; a second call does nothing |
public protocol KeyValueReader: AnyObject {
    func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer?
    /// A cursor that stands nowhere until it is moved.
    func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor
    /// The number of entries, without walking them when the engine knows.
    func count(in keyspace: Keyspace) throws -> Int
    /// Ends the transaction (a writer: aborts it). Cursors and pointers are dead afterwards. Calling it again does nothing.
    func end()
}

/// A place in a keyspace. Each move returns the entry it arrives at, or nil past either end, where it then stands nowhere.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `first`, `last`, `seek` | place the cursor again, also after a write of its transaction; `seek` returns the least key that is not before the given one |
/// | `next`, `previous` | the entry after or before the one at which the cursor stands, in the order of the keys; nil past either end |
/// | after a write | `next`, `previous` and `skip` throw `cursorInvalidated` until `first`, `last` or `seek` has placed the cursor again |
/// | `next(into:)` | the entries that the same number of calls of `next` would return, and at least one unless the cursor is at the end |
/// | `skip` | passes the entries that calls of `next` would return; an entry at or after the bound is not counted |
/// | entries | their bytes stay valid until the transaction's next write or its end, not only until the next move |
public protocol KeyValueCursor: AnyObject {
    func first() throws -> KeyValueEntry?
    func last() throws -> KeyValueEntry?
    /// The first entry whose key is at or after this one.
    func seek(atOrAfter key: UnsafeRawBufferPointer) throws -> KeyValueEntry?
    func next() throws -> KeyValueEntry?
    func previous() throws -> KeyValueEntry?
    /// Goes to following entries, at most `entries.count`, and returns their number; 0 at the end. The cursor stands at the
    /// last of them.
    ///
    /// Fewer does not mean the end: an engine gives what lies side by side, such as the rest of a page.
    func next(into entries: UnsafeMutableBufferPointer<KeyValueEntry>) throws -> Int
    /// Goes over following entries whose keys are before `bound` (nil: all), at most `most`, and returns their number. If
    /// this is `most`, the cursor stands at the last entry. If it is less, place the cursor anew.
    ///
    /// An engine whose pages tell how many entries they hold can do without looking at each.
    func skip(_ most: Int, before bound: UnsafeRawBufferPointer?) throws -> Int
}

extension KeyValueCursor {
    /// One entry after the other.
    public func next(into entries: UnsafeMutableBufferPointer<KeyValueEntry>) throws -> Int {
        var count = 0
        while count < entries.count, let entry = try next() {
            entries.initializeElement(at: count, to: entry)
            count += 1
        }
        return count
    }

    /// One entry after the other.
    public func skip(_ most: Int, before bound: UnsafeRawBufferPointer?) throws -> Int {
        var count = 0
        while count < most, let entry = try next() {
            if let bound, compareBytes(entry.key, bound) >= 0 { break }
            count += 1
        }
        return count
    }
}

/// What ``KeyValueWriter/reserve(_:count:in:mode:)`` does when the key is there already, or not.
public enum KeyValuePutMode: Sendable {
    /// Writes only a key that is not there.
    case insert
    /// Writes either way.
    case replace
    /// Writes; the caller knows that the key is after every key of the keyspace, which lets the engine skip the search.
    /// An engine must still be right when the caller is wrong.
    case append
}

/// The one write transaction.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | reading | sees what the transaction has written so far |
/// | `reserve` | the caller fills all of the bytes before any other call; with `.insert` an existing key returns nil and nothing changes |
/// | `reserve` with `.append` | right also if the key is not the last one: it is written in its place |
/// | `delete` | returns whether the key existed; of several keys, how many did; `deleteAll` leaves the other keyspaces alone |
/// | savepoints | nest 1001 deep: 1000 of the caller, which the store counts, and one that the store begins for a statement |
/// | `releaseSavepoint` | what was written in it belongs to the savepoint around it, or to the transaction |
/// | `rollbackSavepoint` | every keyspace is as it was when the savepoint began; cursors and pointers end |
/// | `commit` | is called with no savepoint open; all or nothing, also after a crash; ends the transaction even if it throws |
/// | `commit(beforeNextWriter:)` | calls the closure only after a commit that succeeded |
/// | failures | after an error of a write the transaction may be unusable: the store then only ends it |
public protocol KeyValueWriter: KeyValueReader {
    /// Makes room for a value of `count` bytes under the key and returns it for the caller to fill before any other call.
    /// Returns nil, and changes nothing, if `mode` is `.insert` and the key is there already.
    func reserve(_ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode) throws
        -> UnsafeMutableRawBufferPointer?
    /// Removes the key and says whether it was there.
    func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool
    /// Removes keys, which ascend, and returns how many of them were there. Their bytes are not the engine's.
    ///
    /// An engine whose cursors can delete need not search for each.
    func delete(_ keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in keyspace: Keyspace) throws -> Int
    /// Removes every entry of the keyspace.
    func deleteAll(in keyspace: Keyspace) throws

    /// Begins a savepoint inside the innermost open one. At least 1001 levels.
    func beginSavepoint() throws
    /// Keeps what was written since the innermost savepoint began.
    func releaseSavepoint() throws
    /// Undoes what was written since the innermost savepoint began, and ends that savepoint.
    func rollbackSavepoint() throws

    /// Makes everything durable and ends the transaction. After an error nothing was changed and the transaction is over.
    func commit() throws
    /// The same, and calls a closure after the commit and before the next writer has its turn. By default the next writer may
    /// be first.
    func commit(beforeNextWriter body: () -> Void) throws
    /// Called now and then while a new engine is filled, outside of savepoints: what was written so far
    /// need not be undone by ``KeyValueReader/end()``, and so need not be kept in memory. Does nothing by default.
    func commitPart() throws
}

extension KeyValueWriter {
    public func commit(beforeNextWriter body: () -> Void) throws {
        try commit()
        body()
    }
    public func commitPart() throws {}

    /// One key after the other.
    public func delete(_ keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in keyspace: Keyspace) throws -> Int {
        var count = 0
        for key in keys where try delete(key, in: keyspace) { count += 1 }
        return count
    }
}
