import Foundation
import GRDB
import GranaryCore
import GranaryLMDB
import GranaryMemory
import GranarySQLite
import Synchronization

/// Something that records are committed to.
protocol CommitSubject {
    /// Lets tasks commit one record after the other until a time.
    ///
    /// - Returns: The number of committed records.
    func commits(tasks: Int, until end: ContinuousClock.Instant) throws -> Int
    func close() throws
}

/// The keys of records, one after the other.
final class KeyCounter: Sendable {
    private let last = Atomic<Int64>(0)

    func next() -> Int64 { last.add(1, ordering: .relaxed).newValue }
}

/// Runs a body in tasks until a time, and returns how often it ran.
private func repeated(
    tasks: Int, until end: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> Void
) throws -> Int {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<Int, any Error>>(.success(0))
    Task.detached {
        let result: Result<Int, any Error>
        do {
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<tasks {
                    group.addTask {
                        var count = 0
                        while ContinuousClock.now < end {
                            try await body()
                            count += 1
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            result = .success(count)
        } catch {
            result = .failure(error)
        }
        outcome.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    return try outcome.withLock { try $0.get() }
}

struct GranaryCommits: CommitSubject {
    private let stack: Stack
    private let durability: Durability?
    private let keys = KeyCounter()

    init(_ stack: Stack, _ durability: Durability? = nil) { (self.stack, self.durability) = (stack, durability) }

    func commits(tasks: Int, until end: ContinuousClock.Instant) throws -> Int {
        let (stack, durability, keys) = (stack, durability, keys)
        let before = try stack.blocking.read { try $0.count(Track.all) }
        let count = try repeated(tasks: tasks, until: end) {
            let track = TrackGenerator().track(keys.next())
            try await stack.write(durability: durability) { _ = try $0.insert(track) }
        }
        let after = try stack.blocking.read { try $0.count(Track.all) }
        guard after == before + count else { throw BenchmarkError("\(after - before) of \(count) records are there.") }
        return count
    }

    func close() throws { try stack.blocking.close() }
}

struct GRDBCommits: CommitSubject {
    private let pool: DatabasePool
    private let keys = KeyCounter()

    init(_ folder: String) throws { pool = try GRDBSubject.open(folder + "/grdb.sqlite") }

    func commits(tasks: Int, until end: ContinuousClock.Instant) throws -> Int {
        let (pool, keys) = (pool, keys)
        return try repeated(tasks: tasks, until: end) {
            let item = GRDBSubject.Item(TrackGenerator().track(keys.next()))
            try await pool.write { database in
                let statement = try database.cachedStatement(sql: SQLiteTrackTable.insert)
                statement.setUncheckedArguments(item.arguments)
                try statement.execute()
            }
        }
    }

    func close() throws { try pool.close() }
}

/// A C library on one thread: a record a transaction, or one for each task.
struct RawCommits<Library: Subject>: CommitSubject where Library.Item == Track {
    private let library: Library
    private let isGrouped: Bool
    private let keys = KeyCounter()

    init(_ library: Library, isGrouped: Bool) { (self.library, self.isGrouped) = (library, isGrouped) }

    func commits(tasks: Int, until end: ContinuousClock.Instant) throws -> Int {
        let generator = TrackGenerator()
        var count = 0
        while ContinuousClock.now < end {
            let size = isGrouped ? tasks : 1
            try library.insert((0..<size).map { _ in generator.track(keys.next()) })
            count += size
        }
        return count
    }

    func close() throws { try library.close() }
}
