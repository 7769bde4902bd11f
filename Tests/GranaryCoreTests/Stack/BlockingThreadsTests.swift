import Testing

@testable import GranaryCore

struct BlockingThreadsTests {
    /// As a stack does.
    private final class Owner: Sendable {
        let threads = BlockingThreads(limit: 1)
        let ended: @Sendable () -> Void

        init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

        deinit {
            threads.stop()
            ended()
        }
    }

    @Test(.timeLimit(.minutes(1))) func `who stops the threads may go with the last job`() async {
        await withCheckedContinuation { continuation in
            let owner = Owner { continuation.resume() }
            owner.threads.run { [owner] in withExtendedLifetime(owner) {} }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `jobs begin in their order, and those that wait are done after the end`() async
    {
        let threads = BlockingThreads(limit: 1)
        let (numbers, source) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<100 {
            threads.run {
                source.yield(number)
                if number == 99 { source.finish() }
            }
        }
        threads.stop()
        #expect(await numbers.reduce(into: []) { $0.append($1) } == Array(0..<100))
    }
}
