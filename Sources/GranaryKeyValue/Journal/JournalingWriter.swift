/// A write transaction that forwards everything to another writer, and records the changes: for an engine that keeps a
/// log.
///
/// ```swift
/// func beginWrite() throws -> any KeyValueWriter {
///     JournalingWriter(try memory.beginWrite()) { changes in try self.append(changes) }
/// }
/// ```
///
/// - Changes that a savepoint undoes are not recorded.
/// - `commit` calls the closure before the other writer commits, and only if there are changes. If the closure throws,
///   the other writer is ended without a commit, and `commit` throws the same error.
/// - Cost: the written keys and values, in memory until the end of the transaction.
///
/// ``KeyValueChanges`` repeats the changes. `Conformance/Examples/OutsideStores` has an engine that uses this.
public final class JournalingWriter: KeyValueWriter {
    private let writer: any KeyValueWriter
    private var changes: [UInt8] = []
    /// The memory that the caller is filling. It belongs to the last change and has not been added to it yet.
    private var value: UnsafeMutableRawBufferPointer?
    /// The number of bytes at the beginning of each open savepoint.
    private var savepoints: [Int] = []
    private let append: (_ changes: [UInt8]) throws -> Void

    /// - Parameters:
    ///   - writer: Reads and writes the entries. This writer ends it.
    ///   - append: Keeps the changes, in the form of ``KeyValueChanges``. When it returns, they must have the requested
    ///     durability.
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
        // Recorded first, because the key may lie in memory that the change moves.
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

    /// Adds the value that the caller has filled in since the previous call.
    private func takeValue() {
        if let value { changes += value }
        value = nil
    }

    /// Removes the last recorded change if the other writer did not make it.
    private func undoing<T>(to start: Int, _ body: () throws -> T?) throws -> T? {
        var result: T?
        defer { if result == nil { changes.removeSubrange(start...) } }
        result = try body()
        return result
    }
}
