import GranaryKeyValue
import GranaryMemory
import GranaryPlatform
import GranaryStoreKit
import Synchronization

/// An ordered engine whose commits go to the end of a log, from which the next opening makes its entries again. They are
/// kept in memory, where ``MemoryEngine`` orders them. A commit returns when it is on the disk. One process at a time has
/// the log open for writing, or any number for reading.
final class LogEngine: OrderedKeyValueEngine, GenerationEngine {
    let kind = "log"
    let limits: KeyValueLimits
    let folder: String
    let path: String
    let access: StoreAccess
    private let memory = MemoryEngine()
    private let state: Mutex<State>
    // Read and written only by the one writer: while it is set it is itself the open write transaction.
    nonisolated(unsafe) private var paused: (any KeyValueWriter)?

    private struct State {
        /// Nil once the engine is closed.
        var file: OpenFile?
        /// Where the log ends.
        var end: Int
        /// Whether the header says that the log was closed at `end`.
        var isMarkedClosed: Bool
        /// A failed commit could not be taken back.
        var isBroken = false
        var keyspaces: Set<Keyspace>
    }

    /// Opens the log in a folder, or makes it.
    ///
    /// - Parameter busyTimeout: How long to wait for a process that has it open.
    init(folder: String, access: StoreAccess, isNew: Bool, busyTimeout: Duration = .zero) throws {
        (self.folder, path, self.access) = (folder, folder + "/records.log", access)
        limits = KeyValueLimits(keySize: memory.limits.keySize, valueSize: 1 << 30)
        let mode: OpenFile.Mode = isNew ? .creating : access == .readOnly ? .reading : .writing
        let file = try OpenFolder(folder).storeFile("records.log", mode)
        try file.lock(for: access, timeout: busyTimeout)
        if isNew { try file.write(LogFormat.header(closedAt: LogFormat.headerSize)) }
        let log = try file.readAll(limit: 1 << 46)
        var keyspaces: Set<Keyspace> = []
        let found = try log.withUnsafeBytes { log in
            try LogFormat.replay(log) { changes in
                try KeyValueChanges.forEach(in: changes) { keyspace, _, _ in keyspaces.insert(keyspace) }
            }
        }
        guard let found else { throw GranaryError.damagedFile(path) }
        // The bytes after the last whole frame belong to a commit that was cut off by the end of the process or the machine.
        if found.end < log.count, access == .readWrite { try file.truncate(to: Int64(found.end)) }
        try memory.prepare(keyspaces: Array(keyspaces))
        state = Mutex(State(file: file, end: found.end, isMarkedClosed: found.isClosed, keyspaces: keyspaces))
        try fill(log)
    }

    private func fill(_ log: [UInt8]) throws {
        let writer = try memory.beginWrite()
        defer { writer.end() }
        _ = try log.withUnsafeBytes { log in
            try LogFormat.replay(log) { changes in try KeyValueChanges.apply(changes, to: writer) }
        }
        try writer.commit()
    }

    var location: String? { path }

    func prepare(keyspaces: [Keyspace]) throws {
        try memory.prepare(keyspaces: keyspaces)
        state.withLock { $0.keyspaces.formUnion(keyspaces) }
    }

    func beginRead() throws -> any KeyValueReader {
        _ = try open()
        return try memory.beginRead()
    }

    func beginWrite() throws -> any KeyValueWriter {
        guard access == .readWrite else {
            throw GranaryError.readOnly(folder)
        }
        let writer = try memory.beginWrite()
        do {
            _ = try open()
        } catch {
            writer.end()
            throw error
        }
        return JournalingWriter(writer) { [self] changes in try append(changes) }
    }

    private func open() throws -> (file: OpenFile, state: State) {
        try state.withLock { state in
            guard let file = state.file else { throw GranaryError.storeClosed }
            guard !state.isBroken else {
                throw GranaryError(.io, "An earlier commit to \(path) failed. Close the store and open it again.")
            }
            return (file, state)
        }
    }

    /// Adds a commit to the log. Called by the one writer.
    private func append(_ changes: [UInt8]) throws {
        let (file, now) = try open()
        let frame = LogFormat.frame(changes, at: now.end)
        do {
            if now.isMarkedClosed {
                // Before the log grows it must not say any more that it ends here.
                try file.write(LogFormat.header(closedAt: 0))
                try file.synchronize()
                state.withLock { $0.isMarkedClosed = false }
            }
            try file.write(frame, at: Int64(now.end))
            try file.synchronize()
        } catch {
            do {
                try file.truncate(to: Int64(now.end))
                try file.synchronize()
            } catch var unknown {
                state.withLock { $0.isBroken = true }
                unknown.code = .commitOutcomeUnknown
                unknown.message = "The next opening of the store will show whether the commit holds. \(unknown.message)"
                throw unknown
            }
            throw error
        }
        state.withLock { $0.end += frame.count }
    }

    func verify() throws -> [String] {
        let (file, now) = try open()
        let found = try file.readAll(limit: 1 << 46).withUnsafeBytes { LogFormat.replay($0) { _ in } }
        // Commits may have been added meanwhile.
        return (found?.end ?? 0) >= now.end ? [] : ["\(path) is damaged"]
    }

    func pauseWriting() throws { paused = try beginWrite() }

    func resumeWriting() {
        let writer = paused
        paused = nil
        writer?.end()
    }

    func copyCompacted(into folder: String) throws {
        var changes: [UInt8] = []
        let reader = try memory.beginRead()
        defer { reader.end() }
        let keyspaces = try open().state.keyspaces
        var counter = try RecordCounter { try keyspaces.reduce(0) { try $0 + reader.count(in: $1) } }
        for keyspace in keyspaces {
            let cursor = try reader.cursor(in: keyspace)
            var next = try cursor.first()
            while let entry = next {
                try counter.countEntry()
                KeyValueChanges.add(entry, in: keyspace, to: &changes)
                next = try cursor.next()
            }
        }
        try counter.tell()
        let frame = LogFormat.frame(changes, at: LogFormat.headerSize)
        let copy = try OpenFile(folder + "/records.log", .creating)
        try copy.write(LogFormat.header(closedAt: LogFormat.headerSize + frame.count))
        try copy.write(frame, at: Int64(LogFormat.headerSize))
    }

    /// Transactions that are open have all in memory.
    func retire() { state.withLock { $0.file = nil } }

    func close() throws {
        let last = state.withLock { state in
            defer { state.file = nil }
            return state
        }
        try memory.close()
        guard let file = last.file, !last.isMarkedClosed, !last.isBroken, access == .readWrite else { return }
        try file.write(LogFormat.header(closedAt: last.end))
        try file.synchronize()
    }
}
