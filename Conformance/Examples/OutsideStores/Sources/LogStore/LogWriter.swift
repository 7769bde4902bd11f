import GranaryKeyValue

/// The write transaction: writes to memory, and notes each change in the frame that its commit adds to the log.
final class LogWriter: KeyValueWriter {
    private let memory: any KeyValueWriter
    private var frame = LogFormat.emptyFrame
    /// What the caller is filling in: the last change of the frame, which lacks it still.
    private var value: UnsafeMutableRawBufferPointer?
    private var savepoints: [Int] = []
    private let append: (_ frame: [UInt8]) throws -> Void

    /// - Parameter append: Adds a frame to the log. Called before the memory commits, if there are changes.
    init(_ memory: any KeyValueWriter, append: @escaping ([UInt8]) throws -> Void) {
        (self.memory, self.append) = (memory, append)
    }

    deinit { end() }

    func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer? {
        try memory.get(key, in: keyspace)
    }

    func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor { try memory.cursor(in: keyspace) }
    func count(in keyspace: Keyspace) throws -> Int { try memory.count(in: keyspace) }

    func reserve(_ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode) throws
        -> UnsafeMutableRawBufferPointer?
    {
        takeValue()
        // Noted first: the key may lie in memory that the change moves.
        let start = frame.count
        LogFormat.add(keyspace, key, valueSize: count, to: &frame)
        value = try undoing(to: start) { try memory.reserve(key, count: count, in: keyspace, mode: mode) }
        return value
    }

    func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
        takeValue()
        let start = frame.count
        LogFormat.add(keyspace, key, valueSize: nil, to: &frame)
        return try undoing(to: start) { try memory.delete(key, in: keyspace) ? true : nil } ?? false
    }

    func deleteAll(in keyspace: Keyspace) throws {
        takeValue()
        try memory.deleteAll(in: keyspace)
        LogFormat.add(keyspace, UnsafeRawBufferPointer(start: nil, count: 0), valueSize: nil, to: &frame)
    }

    func beginSavepoint() throws {
        takeValue()
        try memory.beginSavepoint()
        savepoints.append(frame.count)
    }

    func releaseSavepoint() throws {
        takeValue()
        try memory.releaseSavepoint()
        savepoints.removeLast()
    }

    func rollbackSavepoint() throws {
        value = nil
        try memory.rollbackSavepoint()
        frame.removeSubrange(savepoints.removeLast()...)
    }

    func commit() throws {
        defer { end() }
        takeValue()
        if frame.count > LogFormat.emptyFrame.count { try append(frame) }
        try memory.commit()
    }

    func end() { memory.end() }

    /// Adds the value that the caller has filled in since the call before.
    private func takeValue() {
        if let value { frame += value }
        value = nil
    }

    /// Forgets what was noted last if the memory did not do it.
    private func undoing<T>(to start: Int, _ body: () throws -> T?) throws -> T? {
        var result: T?
        defer { if result == nil { frame.removeSubrange(start...) } }
        result = try body()
        return result
    }
}
