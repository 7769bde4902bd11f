import GranaryPlatform
import GranaryCore
import GranaryKeyValue

// An engine written from scratch, with what the protocol asks and nothing more: each keyspace is a sorted array of
// entries. A transaction works on a copy of the arrays, a commit puts the copy in place of what was there. Entries are
// objects that never change, so that pointers into them stay good for as long as a transaction holds its copy.

/// Keyspaces as sorted arrays. Slow to write, easy to read.
final class SortedArrayEngine: OrderedKeyValueEngine {
    let kind = "array"
    let limits = KeyValueLimits(keySize: 511, valueSize: 1 << 30)

    private let lock = Lock()
    private let writerLeft = Lock.Condition()
    // Both are read and written with the lock held.
    nonisolated(unsafe) private var committed = Spaces()
    nonisolated(unsafe) private var isWriting = false
    /// How many more writes succeed; nil is all of them. Set between transactions by tests of failing engines.
    nonisolated(unsafe) var writesLeft: Int?

    /// Called by ``synchronize()``, and by a commit that is to fail, once its transaction is over. Set between transactions.
    nonisolated(unsafe) var onSynchronize: () throws -> Void = {}
    nonisolated(unsafe) var onFailingCommit: (() throws -> Void)?
    /// Called before a cursor is made. Set between transactions.
    nonisolated(unsafe) var onCursor: ((Keyspace) throws -> Void)?

    func prepare(keyspaces: [Keyspace]) {}
    func synchronize() throws { try onSynchronize() }

    func beginRead() -> any KeyValueReader {
        let transaction = SortedArrayTransaction(lock.withLock { committed }) { _ in }
        transaction.onCursor = onCursor
        return transaction
    }

    /// Waits for the writer before. Begun twice on one thread it waits for ever; real engines throw `reentrantWrite`.
    func beginWrite() -> any KeyValueWriter {
        let start = lock.withLock {
            while isWriting { writerLeft.wait(lock) }
            isWriting = true
            return committed
        }
        let transaction = SortedArrayTransaction(start) { [self] result in
            lock.withLock {
                if let result { committed = result }
                isWriting = false
                writerLeft.signal()
            }
        }
        transaction.writesLeft = writesLeft
        transaction.onFailingCommit = onFailingCommit
        transaction.onCursor = onCursor
        return transaction
    }

    func close() {}
}

typealias Spaces = [Keyspace: [SortedArrayEntry]]

/// A key and its value at addresses that do not change.
final class SortedArrayEntry {
    let key: UnsafeMutableRawBufferPointer
    let value: UnsafeMutableRawBufferPointer

    init(_ key: UnsafeRawBufferPointer, count: Int) {
        self.key = .allocate(byteCount: key.count, alignment: 1)
        self.key.copyMemory(from: key)
        value = .allocate(byteCount: count, alignment: 8)
    }

    deinit {
        key.deallocate()
        value.deallocate()
    }

    var lent: KeyValueEntry { KeyValueEntry(key: UnsafeRawBufferPointer(key), value: UnsafeRawBufferPointer(value)) }
}

/// A reader, and a writer too: the one takes its end as all there is to do.
final class SortedArrayTransaction: KeyValueWriter {
    fileprivate(set) var spaces: Spaces
    private var savepoints: [Spaces] = []
    private var finish: ((Spaces?) -> Void)?
    var writesLeft: Int?
    var onFailingCommit: (() throws -> Void)?
    var onCursor: ((Keyspace) throws -> Void)?

    init(_ spaces: Spaces, finish: @escaping (Spaces?) -> Void) {
        self.spaces = spaces
        self.finish = finish
    }

    /// Where a key is, or would be.
    fileprivate func place(of key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> (index: Int, isThere: Bool) {
        guard let entries = spaces[keyspace] else { return (0, false) }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let order = compareBytes(UnsafeRawBufferPointer(entries[middle].key), key)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> UnsafeRawBufferPointer? {
        let (index, isThere) = place(of: key, in: keyspace)
        return isThere ? spaces[keyspace]?[index].lent.value : nil
    }

    func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor {
        try onCursor?(keyspace)
        return SortedArrayCursor(self, keyspace)
    }
    func count(in keyspace: Keyspace) -> Int { spaces[keyspace]?.count ?? 0 }

    func reserve(
        _ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode
    ) throws -> UnsafeMutableRawBufferPointer? {
        try countWrite()
        let (index, isThere) = place(of: key, in: keyspace)
        if isThere && mode == .insert { return nil }
        let entry = SortedArrayEntry(key, count: count)
        if isThere {
            spaces[keyspace]?[index] = entry
        } else {
            spaces[keyspace, default: []].insert(entry, at: index)
        }
        return entry.value
    }

    func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
        try countWrite()
        let (index, isThere) = place(of: key, in: keyspace)
        if isThere { spaces[keyspace]?.remove(at: index) }
        return isThere
    }

    func deleteAll(in keyspace: Keyspace) throws {
        try countWrite()
        spaces[keyspace] = nil
    }

    private func countWrite() throws {
        guard let left = writesLeft else { return }
        guard left > 0 else { throw GranaryError(.full, "The engine is full.") }
        writesLeft = left - 1
    }

    func beginSavepoint() { savepoints.append(spaces) }
    func releaseSavepoint() { _ = savepoints.popLast() }
    func rollbackSavepoint() { spaces = savepoints.popLast() ?? spaces }

    func commit() throws {
        guard let onFailingCommit else { return finish(with: spaces) }
        finish(with: nil)
        try onFailingCommit()
    }
    func end() { finish(with: nil) }

    private func finish(with result: Spaces?) {
        finish?(result)
        finish = nil
    }
}

final class SortedArrayCursor: KeyValueCursor {
    private let transaction: SortedArrayTransaction
    private let keyspace: Keyspace
    private var index: Int?

    init(_ transaction: SortedArrayTransaction, _ keyspace: Keyspace) {
        self.transaction = transaction
        self.keyspace = keyspace
    }

    private func move(to target: Int) -> KeyValueEntry? {
        guard let entries = transaction.spaces[keyspace], entries.indices.contains(target) else {
            index = nil
            return nil
        }
        index = target
        return entries[target].lent
    }

    func first() -> KeyValueEntry? { move(to: 0) }
    func last() -> KeyValueEntry? { move(to: transaction.count(in: keyspace) - 1) }
    func seek(atOrAfter key: UnsafeRawBufferPointer) -> KeyValueEntry? {
        move(to: transaction.place(of: key, in: keyspace).index)
    }
    func next() -> KeyValueEntry? { index.flatMap { move(to: $0 + 1) } }
    func previous() -> KeyValueEntry? { index.flatMap { move(to: $0 - 1) } }
}
