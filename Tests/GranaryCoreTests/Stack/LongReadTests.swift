import GranaryPlatform
import Foundation
import GranaryMemory
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
        try stack.read { _ in
            // Another thread writes: what this one does itself is not a read that others wait for.
            for number in 0..<4 { try onAnotherThread { _ = try stack.write { try $0.insert(Plant(Int64(number))) } } }
        }
        let found = lines("\(limit)")
        #expect(found.count == 1 && found.first?.metadata["age"] != nil && found.first?.metadata["store"] == "memory")
        for number in 10..<14 { try stack.write { _ = try $0.insert(Plant(Int64(number))) } }
        #expect(lines("\(limit)").count == 1)
    }

    @Test func `a read within the limit is not named`() throws {
        LoggedLines.begin()
        let limit = Duration.seconds(3601)
        let stack = try Stack(Schema(Plant.self), store: .inMemory, longestRead: limit)
        try stack.read { _ in
            for number in 0..<4 { try onAnotherThread { _ = try stack.write { try $0.insert(Plant(Int64(number))) } } }
        }
        #expect(lines("\(limit)").isEmpty)
    }

    @Test func `a read of another process is named once, with the process and how far it is behind`() throws {
        LoggedLines.begin()
        let limit = Duration.nanoseconds(19)
        let store = WatchedStore(try MemoryStoreProvider.inMemory.open(Schema(Plant.self), migration: .automatic))
        let stack = Stack(store: store, [Plant.self], .none, limit)
        for number in 0..<4 { try stack.write { _ = try $0.insert(Plant(Int64(number))) } }
        let found = lines("\(limit)")
        #expect(found.count == 1 && found.first?.metadata["age"] != nil)
        #expect(found.first?.metadata["process"] == "4711" && found.first?.metadata["transactionsBehind"] == "3")
        store.state = 8
        for number in 10..<14 { try stack.write { _ = try $0.insert(Plant(Int64(number))) } }
        #expect(lines("\(limit)").count == 2, "another state is another read")
        try stack.close()
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

    init(_ base: any Store) { self.base = base }

    var kind: String { base.kind }
    var schema: Schema { base.schema }
    var capabilities: Capabilities { base.capabilities }
    var coordinator: StoreCoordinator { base.coordinator }
    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try base.beginRead(cancellation) }
    func beginWrite() throws -> any StoreWriter { try base.beginWrite() }
    func verify() throws -> [String] { try base.verify() }
    func foreignReads() -> [ForeignRead] { [ForeignRead(process: 4711, state: state, transactionsBehind: 3)] }
    func close() throws { try base.close() }
}
