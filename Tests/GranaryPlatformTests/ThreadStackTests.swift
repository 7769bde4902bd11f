import Foundation
import GranaryPlatform
import Synchronization
import Testing

@Suite struct ThreadStackTests {
    /// How often a function calls itself before the stack is nearly full.
    private static func depth(_ stack: inout ThreadStack) -> Int {
        if stack.isNearlyFull() { return 0 }
        // Room of its own on the stack, so that the compiler makes no loop of it. It is large because the thread sanitizer
        // can note some ten thousand calls that are open at once, and no more.
        return withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { _ in 1 + depth(&stack) }
    }

    private static func depth(onStackOf size: Int) -> Int {
        let (depth, done) = (Depth(), DispatchSemaphore(value: 0))
        let thread = Thread {
            var stack = ThreadStack()
            depth.value.store(Self.depth(&stack), ordering: .relaxed)
            done.signal()
        }
        thread.stackSize = size
        thread.start()
        done.wait()
        return depth.value.load(ordering: .relaxed)
    }

    private final class Depth: Sendable {
        let value = Atomic(0)
    }

    @Test func `a function that calls itself ends before its stack does, on a small one earlier`() async throws {
        let (small, large) = (Self.depth(onStackOf: 256 << 10), Self.depth(onStackOf: 4 << 20))
        #expect(small > 3)
        #expect(large > 4 * small)
        let threads = BlockingThreads(limit: 1)
        defer { threads.stop() }
        let own = try await threads.value {
            var stack = ThreadStack()
            return Self.depth(&stack)
        }
        // Not compared with the large one: a thread may get a stack of more than it asks for.
        #expect(own > 4 * small)
    }

    @Test func `a stack that is asked for on another thread is that thread's`() async throws {
        let stack = Mutex(ThreadStack())
        #expect(!stack.withLock { $0.isNearlyFull() })
        let threads = BlockingThreads(limit: 1)
        defer { threads.stop() }
        #expect(try await threads.value { stack.withLock { !$0.isNearlyFull() } })
    }
}
