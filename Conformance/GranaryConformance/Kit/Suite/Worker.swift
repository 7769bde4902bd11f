import Foundation
import GranaryCore
import GranaryPlatform

/// Something that happens once, and that threads wait for with a deadline.
package final class Event: Sendable {
    private let name: String
    private let lock = Lock()
    private let condition = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var hasHappened = false

    package init(_ name: String) { self.name = name }

    package var isSet: Bool { lock.withLock { hasHappened } }

    package func set() {
        lock.withLock {
            hasHappened = true
            condition.broadcast()
        }
    }

    /// Waits for it, blocking the thread.
    package func wait(seconds: Double = 30, file: String = #fileID, line: Int = #line) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        lock.lock()
        defer { lock.unlock() }
        while !hasHappened {
            guard ContinuousClock.now < deadline else {
                throw ConformanceFailure(
                    message: "\(name) did not happen within \(seconds) s", file: file, line: line)
            }
            _ = condition.wait(lock, seconds: 1)
        }
    }
}

extension Event {
    /// Waits for it without blocking a thread of Swift's pool, which the tasks that bring it about may need.
    package func happened(file: String = #fileID, line: Int = #line) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(with: Result { try self.wait(file: file, line: line) })
            }
        }
    }
}

/// A body on a thread of its own, so that a case can do two things at once and join them.
package final class Worker<T: Sendable>: Sendable {
    private let done: Event
    private let lock = Lock()
    // Written once before `done`, read after, under `lock`.
    nonisolated(unsafe) private var outcome: Result<T, any Error>?

    /// - Parameter stackSize: In bytes; nil for what the system gives.
    package init(
        _ name: String = "the end of a thread", stackSize: Int? = nil, _ body: @escaping @Sendable () throws -> T
    ) {
        done = Event(name)
        let thread = Thread {
            let result = Result(catching: body)
            self.lock.withLock { self.outcome = result }
            self.done.set()
        }
        if let stackSize { thread.stackSize = stackSize }
        thread.start()
    }

    package var isDone: Bool { done.isSet }

    /// What the body returned or threw, once it has ended.
    package func value(seconds: Double = 60, file: String = #fileID, line: Int = #line) throws -> T {
        try done.wait(seconds: seconds, file: file, line: line)
        guard let outcome = lock.withLock({ outcome }) else {
            throw ConformanceFailure(message: "a thread ended without a result", file: file, line: line)
        }
        return try outcome.get()
    }
}

/// Expects of a body this result on a thread with a stack of 512 KB, as Apple's systems give, or that it throws
/// `limit` because of the stack.
package func expectOnSmallStack<T: Equatable & Sendable>(
    _ body: @escaping @Sendable () throws -> T, _ expected: T, file: String = #fileID, line: Int = #line
) throws {
    let worker = Worker("the end of a thread with a small stack", stackSize: 512 << 10) { Result(catching: body) }
    switch try worker.value(file: file, line: line) {
    case .success(let value): try expectEqual(value, expected, file: file, line: line)
    case .failure(let failure):
        let error = try expectError(.limit, file: file, line: line) { throw failure }
        try expect(error.message.contains("stack of this thread"), error.message, file: file, line: line)
    }
}

/// A list that threads add to.
package final class Journal<Entry: Sendable>: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var list: [Entry] = []

    package init() {}

    package func add(_ entry: Entry) { lock.withLock { list.append(entry) } }
    package var entries: [Entry] { lock.withLock { list } }
}

/// An error of the suite's own, thrown to see it come out again.
package struct Abandon: Error, Equatable {
    package let number: Int
    package init(_ number: Int = 0) { self.number = number }
}

/// Fails unless the body throws ``Abandon`` with this number.
package func expectAbandoned(
    _ number: Int = 0, file: String = #fileID, line: Int = #line, _ body: () throws -> Void
) throws {
    do {
        try body()
    } catch let abandon as Abandon {
        return try expectEqual(abandon.number, number, "the error thrown", file: file, line: line)
    } catch let failure as ConformanceFailure {
        throw failure
    } catch {
        throw ConformanceFailure(
            message: "got the error \(error), expected the closure's own", file: file, line: line)
    }
    throw ConformanceFailure(message: "the closure's error did not come out", file: file, line: line)
}

/// Waits until a condition holds that nothing tells of, blocking the thread.
package func waitUntil(
    _ what: String, seconds: Double = 30, file: String = #fileID, line: Int = #line, _ holds: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !holds() {
        guard ContinuousClock.now < deadline else {
            throw ConformanceFailure(message: "\(what): not within \(seconds) s", file: file, line: line)
        }
        Thread.sleep(forTimeInterval: 0.001)
    }
}
