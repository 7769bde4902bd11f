import Foundation
import GranaryCore
import GranaryKeyValue
import GranaryMemory
import GranaryPlatform
import TestSupport
import Testing

/// Writes of a stack that share one commit of the engine.
struct GroupedWriteTests {
    private static let schema = Schema(entities: [
        Entity("Mark", key: "id", attributes: [Attribute("id", .int64), Attribute("value", .int64)])
    ])

    /// A stack whose engine counts its commits. By default no group ends by time, however slow the machine is.
    private func open(_ groups: GroupCommit = GroupCommit(within: .seconds(1_000))) throws -> (Stack, CountedCommits) {
        let commits = CountedCommits()
        let stack = try Stack(
            Self.schema, store: CountedProvider(commits: commits), history: .everything, groupCommit: groups)
        commits.forget()
        return (stack, commits)
    }

    private static func insert(_ key: Int, _ tx: Transaction) throws {
        var record = try DynamicRecord("Mark", in: tx.schema)
        try record.set("id", to: Int64(key))
        try record.set("value", to: Int64(key))
        try tx.insert(record)
    }

    /// Lets blocking writes wait for a first one, in their order. Returns how each has ended, the first one first.
    private func together(
        _ stack: Stack, _ count: Int, _ body: @escaping @Sendable (Int, Transaction) throws -> Void
    ) -> [Result<Void, any Error>] {
        let outcomes = Lock.Guarded(count + 1)
        outcomes.set(
            0,
            Result {
                try stack.blocking.write { tx in
                    for number in 1...count {
                        Thread.detachNewThread {
                            outcomes.set(number, Result { try stack.blocking.write { try body(number, $0) } })
                        }
                        while stack.waitingWrites < number { usleep(100) }
                    }
                    try body(0, tx)
                }
            })
        return outcomes.wait()
    }

    private func keys(_ stack: Stack) throws -> [Int64] {
        try stack.blocking.read { try $0.fetch(Request("Mark")).map { try $0.value("id", as: Int64.self) } }
    }

    private func codes(_ outcomes: [Result<Void, any Error>]) -> [String?] {
        outcomes.map { outcome in
            guard case .failure(let error) = outcome else { return nil }
            return (error as? GranaryError)?.code.rawValue ?? "\(error)"
        }
    }

    @Test func `writes that wait share one commit, and one alone has its own`() throws {
        let (stack, commits) = try open()
        for key in 100..<103 { try stack.blocking.write { try Self.insert(key, $0) } }
        #expect(commits.count == 3)
        #expect(codes(together(stack, 20) { try Self.insert($0, $1) }).allSatisfy { $0 == nil })
        #expect(commits.count == 4)
        #expect(try keys(stack) == (0...20).map(Int64.init) + [100, 101, 102])
        let numbers = try stack.blocking.read {
            try $0.changes(since: HistoryToken(transactionNumber: 0)).map(\.transactionNumber)
        }
        #expect(numbers == (1...24).map { UInt64($0) })
    }

    @Test func `a group ends at its size, and at once if its time is over`() throws {
        let (stack, commits) = try open(GroupCommit(writes: 7, within: .seconds(1_000)))
        _ = together(stack, 20) { try Self.insert($0, $1) }
        #expect(commits.count == 3)
        let (other, otherCommits) = try open(GroupCommit(writes: 100, within: .zero))
        _ = together(other, 5) { try Self.insert($0, $1) }
        #expect(otherCommits.count == 6)
        let (single, singleCommits) = try open(.off)
        _ = together(single, 5) { try Self.insert($0, $1) }
        #expect(singleCommits.count == 6)
    }

    @Test func `a commit that fails is the outcome of all, and leaves nothing`() throws {
        let (stack, commits) = try open()
        try stack.blocking.write { try Self.insert(100, $0) }
        for code in [GranaryError.Code.io, .full, .commitOutcomeUnknown] {
            commits.fail(GranaryError(code, "The log is broken."))
            let outcomes = together(stack, 4) { number, tx in
                try Self.insert(number, tx)
                if number == 2 { throw CancellationError() }
            }
            let all = Array(repeating: code.rawValue as String?, count: 5)
            #expect(codes(outcomes).enumerated().allSatisfy { $0 == 2 ? $1 != all[0] : $1 == all[0] })
            #expect(try keys(stack) == [100])
        }
        commits.fail(nil)
        try stack.blocking.write { try Self.insert(0, $0) }
        #expect(try keys(stack) == [0, 100])
        #expect(try stack.blocking.read { $0.transactionNumber } == 2)
    }

    @Test func `if a write cannot be undone alone, all fail, and are told of which error`() throws {
        let (stack, commits) = try open()
        commits.failToUndo(GranaryError(.io, "The page is gone."))
        let outcomes = together(stack, 3) { number, tx in
            try Self.insert(number, tx)
            if number == 2 { throw CancellationError() }
        }
        // The third waits for the next transaction.
        #expect(codes(outcomes) == ["io", "io", "CancellationError()", nil])
        guard case .failure(let error as GranaryError) = outcomes[0] else { return #expect(Bool(false)) }
        #expect(error.message.contains("another one") && error.message.contains("The page is gone."))
        #expect(try keys(stack) == [3])
        try stack.blocking.write { try Self.insert(9, $0) }
        #expect(try keys(stack) == [3, 9])
    }

    @Test func `a write that fails for want of room is undone alone`() throws {
        let (stack, commits) = try open()
        let outcomes = together(stack, 3) { number, tx in
            try Self.insert(number, tx)
            if number == 2 {
                commits.failToWrite(GranaryError(.full, "No room is left."))
                defer { commits.failToWrite(nil) }
                try Self.insert(50, tx)
            }
        }
        #expect(codes(outcomes) == [nil, nil, "full", nil])
        #expect(commits.count == 1)
        #expect(try keys(stack) == [0, 1, 3])
    }
}

extension Lock {
    /// Outcomes of several threads, each at its place.
    fileprivate final class Guarded: Sendable {
        private let lock = Lock()
        private let changed = Lock.Condition()
        private let count: Int
        // Read and written only while `lock` is held.
        nonisolated(unsafe) private var outcomes: [Int: Result<Void, any Error>] = [:]

        init(_ count: Int) { self.count = count }

        func set(_ place: Int, _ outcome: Result<Void, any Error>) {
            lock.withLock {
                outcomes[place] = outcome
                changed.broadcast()
            }
        }

        func wait() -> [Result<Void, any Error>] {
            lock.lock()
            defer { lock.unlock() }
            while outcomes.count < count { changed.wait(lock) }
            return outcomes.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

/// Counts commits of an engine, and lets its calls fail.
private final class CountedCommits: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var state = (
        count: 0, commit: nil as GranaryError?, undo: nil as GranaryError?, write: nil as GranaryError?
    )

    var count: Int { lock.withLock { state.count } }
    func forget() { lock.withLock { state.count = 0 } }
    func fail(_ error: GranaryError?) { lock.withLock { state.commit = error } }
    func failToWrite(_ error: GranaryError?) { lock.withLock { state.write = error } }
    /// The next undoing fails, and no other.
    func failToUndo(_ error: GranaryError?) { lock.withLock { state.undo = error } }

    func commit() throws {
        try lock.withLock {
            if let error = state.commit { throw error }
            state.count += 1
        }
    }

    func write() throws { if let error = lock.withLock({ state.write }) { throw error } }

    func undo() throws {
        let error = lock.withLock {
            defer { state.undo = nil }
            return state.undo
        }
        if let error { throw error }
    }
}

private struct CountedProvider: StoreProvider {
    let commits: CountedCommits

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try KeyValueStore(engine: CountedEngine(commits: commits), schema: schema)
    }
}

private final class CountedEngine: OrderedKeyValueEngine {
    private let memory = MemoryEngine()
    private let commits: CountedCommits

    init(commits: CountedCommits) { self.commits = commits }

    var kind: String { "counted" }
    var limits: KeyValueLimits { memory.limits }
    func prepare(keyspaces: [Keyspace]) throws { try memory.prepare(keyspaces: keyspaces) }
    func beginRead() throws -> any KeyValueReader { try memory.beginRead() }
    func beginWrite() throws -> any KeyValueWriter {
        let commits = commits
        return CountedWriter(JournalingWriter(try memory.beginWrite()) { _ in try commits.commit() }, commits)
    }
    func close() throws { try memory.close() }
}

private final class CountedWriter: KeyValueWriter {
    private let writer: any KeyValueWriter
    private let commits: CountedCommits

    init(_ writer: any KeyValueWriter, _ commits: CountedCommits) { (self.writer, self.commits) = (writer, commits) }

    func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer? {
        try writer.get(key, in: keyspace)
    }
    func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor { try writer.cursor(in: keyspace) }
    func count(in keyspace: Keyspace) throws -> Int { try writer.count(in: keyspace) }
    func reserve(
        _ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode
    ) throws -> UnsafeMutableRawBufferPointer? {
        try commits.write()
        return try writer.reserve(key, count: count, in: keyspace, mode: mode)
    }
    func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
        try writer.delete(key, in: keyspace)
    }
    func deleteAll(in keyspace: Keyspace) throws { try writer.deleteAll(in: keyspace) }
    func beginSavepoint() throws { try writer.beginSavepoint() }
    func releaseSavepoint() throws { try writer.releaseSavepoint() }
    func rollbackSavepoint() throws {
        try commits.undo()
        try writer.rollbackSavepoint()
    }
    func commit() throws { try writer.commit() }
    func end() { writer.end() }
}
