import GranaryPlatform
import Foundation
import GranaryMemory
import TestSupport
import Testing

@testable import GranaryCore

struct LongReadTests {
    private func lines(_ name: String) -> [LoggedLines.Line] {
        LoggedLines.all { $0.metadata["limit"] == name && $0.level == .warning }
    }

    @Test func `a read that is open for longer than the limit while others commit is named once, with its age`() throws
    {
        LoggedLines.begin()
        let limit = Duration.nanoseconds(17)
        let stack = try Stack(Schema(Plant.self), store: .inMemory, longestRead: limit)
        try stack.blocking.read { _ in
            // Another thread writes: what this one does itself is not a read that others wait for.
            for number in 0..<4 {
                try onAnotherThread { _ = try stack.blocking.write { try $0.insert(Plant(Int64(number))) } }
            }
        }
        let found = lines("\(limit)")
        #expect(found.count == 1 && found.first?.metadata["age"] != nil && found.first?.metadata["store"] == "memory")
        for number in 10..<14 { try stack.blocking.write { _ = try $0.insert(Plant(Int64(number))) } }
        #expect(lines("\(limit)").count == 1)
    }

    @Test func `a kept snapshot is named like a read`() throws {
        LoggedLines.begin()
        let limit = Duration.nanoseconds(23)
        let stack = try Stack(Schema(Plant.self), store: .inMemory, longestRead: limit)
        let kept = try stack.keepSnapshot()
        for number in 0..<4 { try stack.blocking.write { _ = try $0.insert(Plant(Int64(number))) } }
        #expect(lines("\(limit)").count == 1)
        try kept.close()
        try stack.blocking.close()
    }

    @Test func `a read within the limit is not named`() throws {
        LoggedLines.begin()
        let limit = Duration.seconds(3601)
        let stack = try Stack(Schema(Plant.self), store: .inMemory, longestRead: limit)
        try stack.blocking.read { _ in
            for number in 0..<4 {
                try onAnotherThread { _ = try stack.blocking.write { try $0.insert(Plant(Int64(number))) } }
            }
        }
        #expect(lines("\(limit)").isEmpty)
    }

    @Test func `a read of another process is named once, with the process and how far it is behind`() throws {
        LoggedLines.begin()
        let limit = Duration.nanoseconds(19)
        let store = WatchedStore(try MemoryStoreProvider.inMemory.open(Schema(Plant.self), migration: .automatic))
        let stack = Stack(store: store, [Plant.self], .none, limit, GroupCommit())
        for number in 0..<4 { try stack.blocking.write { _ = try $0.insert(Plant(Int64(number))) } }
        let found = lines("\(limit)")
        #expect(found.count == 1 && found.first?.metadata["age"] != nil)
        #expect(found.first?.metadata["process"] == "4711" && found.first?.metadata["transactionsBehind"] == "3")
        store.state = 8
        for number in 10..<14 { try stack.blocking.write { _ = try $0.insert(Plant(Int64(number))) } }
        #expect(lines("\(limit)").count == 2, "another state is another read")
        try stack.blocking.close()
    }

    @Test func `a log that another process keeps is named once, with its age, until it is free again`() throws {
        LoggedLines.begin()
        let limit = Duration.seconds(61)
        let store = WatchedStore(try MemoryStoreProvider.inMemory.open(Schema(Plant.self), migration: .automatic))
        store.isRead = false
        let stack = Stack(store: store, [Plant.self], .none, limit, GroupCommit())
        func commit(_ number: Int64, _ age: Duration?) throws {
            store.blockage = age
            try stack.blocking.write { _ = try $0.insert(Plant(number)) }
        }
        try commit(1, nil)
        try commit(2, .seconds(60))
        #expect(lines("\(limit)").isEmpty)
        for number in 3..<6 { try commit(Int64(number), .seconds(62)) }
        let found = lines("\(limit)")
        #expect(found.count == 1 && found.first?.metadata["age"] == "\(Duration.seconds(62))")
        try commit(6, nil)
        try commit(7, .seconds(63))
        #expect(lines("\(limit)").count == 2)
        try stack.blocking.close()
    }

    private func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
        let done = Done()
        Thread.detachNewThread { done.end(Result { try body() }) }
        try done.wait()
    }
}

/// The end of what runs elsewhere.
private final class Done: Sendable {
    private let lock = Lock()
    private let ended = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var result: Result<Void, any Error>?

    func end(_ result: Result<Void, any Error>) {
        lock.withLock {
            self.result = result
            ended.broadcast()
        }
    }

    func wait() throws {
        lock.lock()
        while result == nil { ended.wait(lock) }
        let result = result
        lock.unlock()
        try result?.get()
    }
}

/// A store in memory that another process seems to read.
private final class WatchedStore: Store {
    private let base: any Store
    // Set while no other thread uses it.
    nonisolated(unsafe) var state: UInt64 = 7
    nonisolated(unsafe) var isRead = true
    nonisolated(unsafe) var blockage: Duration?

    init(_ base: any Store) { self.base = base }

    var kind: String { base.kind }
    var schema: Schema { base.schema }
    var capabilities: Capabilities { base.capabilities }
    var coordinator: StoreCoordinator { base.coordinator }
    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try base.beginRead(cancellation) }
    func beginWrite() throws -> any StoreWriter { try base.beginWrite() }
    func verify() throws -> [String] { try base.verify() }
    func foreignReads() -> [ForeignRead] {
        isRead ? [ForeignRead(process: 4711, state: state, transactionsBehind: 3)] : []
    }
    func foreignBlockage() -> Duration? { blockage }
    func close() throws { try base.close() }
}
