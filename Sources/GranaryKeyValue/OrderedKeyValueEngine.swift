public import GranaryStoreKit

/// An engine with ordered byte keys, snapshots and one write transaction at a time: with these, ``KeyValueStore`` is a
/// complete ``/Granary/Store``.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | keys | ordered by `memcmp`, with a prefix first; 1 to `limits.keySize` bytes |
/// | values | 0 to `limits.valueSize` bytes |
/// | `beginRead` | one committed state, the newest; never waits for the writer; repeatable until `end()`; any thread |
/// | `beginWrite` | waits its turn; sees its own writes; only one is open at a time, begun and ended on one thread |
/// | `commit` | all or nothing; returns when the requested durability is reached; a failed commit changed nothing |
/// | pointers | of `get` and cursors stay valid until the next write of the same transaction, or its end |
/// | cursors | end with the transaction's next write; later use throws `cursorInvalidated` |
/// | `verify` | a structure that could end the process when it is read is reported, not followed |
/// | open twice | the engine is shared: one for each file and process |
///
/// `Conformance/Examples/OutsideStores` is a package with an engine of its own, step by step.
/// `Tests/GranaryKeyValueTests/SortedArrayEngine.swift` is an engine over sorted arrays with only the requirements. The
/// conformance suite tests whether an engine is right:
///
/// ```swift
/// ConformanceSubject("mine", capabilities: [.rowChecksums, .changeRecording]) { path, _ in MyProvider(path) }
/// ```
///
/// An engine with files is also a ``/Granary/GenerationEngine``, and ``/Granary/FolderStores`` opens its stores.
/// ``JournalingWriter`` helps an engine that keeps a log.
///
/// Keyspaces are independent ordered maps, numbered by the caller and created by ``prepare(keyspaces:)``.
public protocol OrderedKeyValueEngine: AnyObject, Sendable {
    /// A short name for messages and the tool: `lmdb`, `memory`.
    var kind: String { get }
    var limits: KeyValueLimits { get }

    /// Makes the keyspaces usable, creating those that do not exist, in a transaction of its own. Called after opening
    /// and after a change of schema, while no write transaction is open. If all keyspaces are prepared already, it does
    /// nothing and may be called at any time.
    func prepare(keyspaces: [Keyspace]) throws
    func beginRead() throws -> any KeyValueReader
    func beginWrite() throws -> any KeyValueWriter
    /// The same with another durability than the engine was opened with, for this transaction alone. `off` counts as
    /// `relaxed`. By default the durability stays, for engines that have no other.
    func beginWrite(_ durability: Durability) throws -> any KeyValueWriter
    /// Whether the next write transaction has more room than one that has just failed with `full`. False by default.
    var hasMoreRoom: Bool { get }
    /// Checks the engine's own structure, before its entries are read, and returns the faults, one line each.
    /// Empty by default.
    func verify() throws -> [String]
    /// The reads that other processes have open, as far as the engine can see them. Empty by default.
    func foreignReads() -> [ForeignRead]
    /// Returns when everything committed survives a loss of power, whatever the durability is. By default it does
    /// nothing, for engines whose commits always survive.
    func synchronize() throws
    /// Releases everything. No transaction is open when it is called.
    func close() throws
}

extension OrderedKeyValueEngine {
    public func beginWrite(_ durability: Durability) throws -> any KeyValueWriter { try beginWrite() }
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

/// The limits of an engine.
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

/// A key and its value in the engine's memory. The bytes stay valid until the transaction's next write or its end.
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
/// | all | only keyspaces that were prepared before the transaction began are used; after `end` each call throws `closed` |
/// | `get` | the value of exactly this key, in the engine's memory; nil if the key does not exist |
/// | `cursor` | any number at a time, also in one keyspace; each has its own position and ends with the transaction |
/// | `count` | the number of entries in this state, including a writer's own writes |
/// | `end` | releases the resources of the transaction; uncommitted writes are undone; a second call does nothing |
/// | `renew` | after `end`: the newest state, as `beginRead` gives it, and true; or false, and nothing has changed |
public protocol KeyValueReader: AnyObject {
    func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer?
    /// A cursor without a position until it is moved.
    func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor
    /// The number of entries, without counting them if the engine knows it.
    func count(in keyspace: Keyspace) throws -> Int
    /// Ends the transaction (a writer aborts it). Cursors and pointers become invalid. Calling it again does nothing.
    func end()
    /// Begins the next read with the same object, after ``end()``, and returns true. By default it returns false, and each read
    /// gets a new reader.
    func renew() throws -> Bool
}

extension KeyValueReader {
    public func renew() throws -> Bool { false }
}

/// A position in a keyspace. Each move returns the entry that it reaches. Past either end it returns nil, and the
/// cursor has no position.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `first`, `last`, `seek` | place the cursor again, also after a write of its transaction; `seek` returns the least key that is not before the given one |
/// | `next`, `previous` | the entry after or before the current one, in the order of the keys; nil past either end |
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
    /// Goes to following entries, at most `entries.count`, and returns their number; 0 at the end. The cursor is then
    /// at the last of them.
    ///
    /// A smaller number does not mean the end: an engine may return only neighbouring entries, such as the rest of a
    /// page.
    func next(into entries: UnsafeMutableBufferPointer<KeyValueEntry>) throws -> Int
    /// Skips following entries whose keys are before `bound` (nil: all), at most `most`, and returns their number. If
    /// the number is `most`, the cursor is at the last entry. If it is less, the caller must place the cursor again.
    ///
    /// An engine whose pages record their number of entries need not look at each entry.
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

/// What ``KeyValueWriter/reserve(_:count:in:mode:)`` does with an existing or a new key.
public enum KeyValuePutMode: Sendable {
    /// Writes only if the key does not exist.
    case insert
    /// Writes in both cases.
    case replace
    /// Writes. The caller expects the key to be after every key of the keyspace, so the engine may skip the search. The
    /// result must still be right if the caller is wrong.
    case append
}

/// The single write transaction.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | reading | sees what the transaction has written so far |
/// | `reserve` | the caller fills all of the bytes before any other call; with `.insert` an existing key returns nil and nothing changes |
/// | `reserve` with `.append` | right also if the key is not the last one: it is written in its place |
/// | `delete` | returns whether the key existed; of several keys, how many did; `deleteAll` leaves the other keyspaces alone |
/// | savepoints | nest 1001 deep: 1000 of the caller, which the store counts, and one that the store begins for a statement |
/// | `releaseSavepoint` | its writes belong to the enclosing savepoint, or to the transaction |
/// | `rollbackSavepoint` | every keyspace is as it was when the savepoint began; cursors and pointers end |
/// | `commit` | is called with no savepoint open; all or nothing, also after a crash; ends the transaction even if it throws |
/// | `commit(beforeNextWriter:)` | calls the closure only after a commit that succeeded |
/// | failures | after an error of a write the transaction may be unusable: the store then only ends it |
public protocol KeyValueWriter: KeyValueReader {
    /// Makes room for a value of `count` bytes under the key and returns it for the caller to fill before any other
    /// call. Returns nil, and changes nothing, if `mode` is `.insert` and the key exists.
    func reserve(_ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode) throws
        -> UnsafeMutableRawBufferPointer?
    /// Removes the key. Returns whether it existed.
    func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool
    /// Removes keys, which must ascend, and returns how many of them existed. Their bytes must not belong to the
    /// engine.
    ///
    /// An engine whose cursors can delete need not search for each key.
    func delete(_ keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in keyspace: Keyspace) throws -> Int
    /// Removes every entry of the keyspace.
    func deleteAll(in keyspace: Keyspace) throws

    /// Begins a savepoint inside the innermost open one. At least 1001 levels.
    func beginSavepoint() throws
    /// Keeps all writes since the innermost savepoint began, and ends that savepoint.
    func releaseSavepoint() throws
    /// Undoes all writes since the innermost savepoint began, and ends that savepoint.
    func rollbackSavepoint() throws

    /// Makes everything durable and ends the transaction. After an error nothing was changed and the transaction is
    /// over.
    func commit() throws
    /// The same, and calls a closure after the commit and before the next writer's turn. By default the next writer may
    /// come first.
    func commit(beforeNextWriter body: () -> Void) throws
    /// Whether a further write of several should begin in this transaction. False once the transaction has become so
    /// large that the engine's limit for one could be reached. True by default.
    var hasRoom: Bool { get }
    /// Called now and then while a new engine is filled, outside of savepoints: earlier writes need not be undone by
    /// ``KeyValueReader/end()``, and so need not be kept in memory. Does nothing by default.
    func commitPart() throws
}

extension KeyValueWriter {
    public func commit(beforeNextWriter body: () -> Void) throws {
        try commit()
        body()
    }
    public func commitPart() throws {}
    public var hasRoom: Bool { true }

    /// One key after the other.
    public func delete(_ keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in keyspace: Keyspace) throws -> Int {
        var count = 0
        for key in keys where try delete(key, in: keyspace) { count += 1 }
        return count
    }
}
