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
