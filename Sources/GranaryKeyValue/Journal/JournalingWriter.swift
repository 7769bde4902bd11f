/// A write transaction that passes everything on to another writer, and notes what is changed: for an engine that keeps a log.
///
/// ```swift
/// func beginWrite() throws -> any KeyValueWriter {
///     JournalingWriter(try memory.beginWrite()) { changes in try self.append(changes) }
/// }
/// ```
///
/// - What a savepoint undoes is not among the changes.
/// - The closure is called by `commit` before the other writer commits, and only if something was changed. If it throws, the
///   other writer is ended without a commit, and `commit` throws the same.
/// - Cost: the keys and values that are written, in memory until the end of the transaction.
///
/// ``KeyValueChanges`` makes the changes again. `Conformance/Examples/OutsideStores` has an engine that does so.
public final class JournalingWriter: KeyValueWriter {
    private let writer: any KeyValueWriter
    private var changes: [UInt8] = []
    /// What the caller is filling in. It belongs to the last change, which does not have it yet.
    private var value: UnsafeMutableRawBufferPointer?
    /// How many bytes there were when each open savepoint began.
    private var savepoints: [Int] = []
    private let append: (_ changes: [UInt8]) throws -> Void

    /// - Parameters:
    ///   - writer: What reads and writes the entries. It is ended by this writer.
    ///   - append: Keeps the changes, as ``KeyValueChanges`` has them. When it returns they are as durable as was asked for.
    public init(_ writer: any KeyValueWriter, append: @escaping (_ changes: [UInt8]) throws -> Void) {
        self.writer = writer
        self.append = append
    }

    deinit { end() }

    public func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer? {
        try writer.get(key, in: keyspace)
    }

    public func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor { try writer.cursor(in: keyspace) }
    public func count(in keyspace: Keyspace) throws -> Int { try writer.count(in: keyspace) }

    public func reserve(
        _ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode
    ) throws -> UnsafeMutableRawBufferPointer? {
        takeValue()
        // Noted first: the key may lie in memory that the change moves.
        let start = changes.count
        KeyValueChanges.addHead(keyspace, key, valueSize: count, to: &changes)
        value = try undoing(to: start) { try writer.reserve(key, count: count, in: keyspace, mode: mode) }
        return value
    }

    public func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
        takeValue()
        let start = changes.count
        KeyValueChanges.addHead(keyspace, key, valueSize: nil, to: &changes)
        return try undoing(to: start) { try writer.delete(key, in: keyspace) ? true : nil } ?? false
    }

    public func deleteAll(in keyspace: Keyspace) throws {
        takeValue()
        try writer.deleteAll(in: keyspace)
        let all = UnsafeRawBufferPointer(start: nil, count: 0)
        KeyValueChanges.addHead(keyspace, all, valueSize: nil, to: &changes)
    }

    public func beginSavepoint() throws {
        takeValue()
        try writer.beginSavepoint()
        savepoints.append(changes.count)
    }

    public func releaseSavepoint() throws {
        takeValue()
        try writer.releaseSavepoint()
        _ = savepoints.popLast()
    }

    public func rollbackSavepoint() throws {
        value = nil
        try writer.rollbackSavepoint()
        if let start = savepoints.popLast() { changes.removeSubrange(start...) }
    }

    public func commit() throws { try commit {} }

    public func commit(beforeNextWriter body: () -> Void) throws {
        defer { end() }
        takeValue()
        if !changes.isEmpty { try append(changes) }
        try writer.commit(beforeNextWriter: body)
    }

    public func end() {
        value = nil
        writer.end()
    }

    /// Adds the value that the caller has filled in since the call before.
    private func takeValue() {
        if let value { changes += value }
        value = nil
    }

    /// Forgets what was noted last if the other writer did not do it.
    private func undoing<T>(to start: Int, _ body: () throws -> T?) throws -> T? {
        var result: T?
        defer { if result == nil { changes.removeSubrange(start...) } }
        result = try body()
        return result
    }
}
