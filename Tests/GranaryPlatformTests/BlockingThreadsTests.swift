import Synchronization
import Testing

@testable import GranaryPlatform

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

    @Test(.timeLimit(.minutes(5))) func `who stops the threads may go with the last job`() async {
        await withCheckedContinuation { continuation in
            let owner = Owner { continuation.resume() }
            owner.threads.run { [owner] in withExtendedLifetime(owner) {} }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `jobs begin in their order, and those that wait are done after the end`() async
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

    @Test(.timeLimit(.minutes(5))) func `a caller's thread takes its turn among the jobs`() async {
        let threads = BlockingThreads(limit: 1)
        let order = Mutex<[Int]>([])
        @Sendable func note(_ number: Int) { order.withLock { $0.append(number) } }
        func aTurnHere() {
            let here = currentThread()
            threads.onCallersThread {
                #expect(currentThread() == here)
                // It begins after: two cannot run at once.
                threads.run { note(2) }
                note(1)
            }
        }
        aTurnHere()
        let isBlocked = Atomic(false)
        let isOpen = Atomic(false)
        threads.run {
            isBlocked.store(true, ordering: .sequentiallyConsistent)
            while !isOpen.load(ordering: .sequentiallyConsistent) {}
            note(3)
        }
        while !isBlocked.load(ordering: .sequentiallyConsistent) { await Task.yield() }
        let caller = BlockingThreads(limit: 1)
        caller.run {
            let here = currentThread()
            threads.onCallersThread {
                #expect(currentThread() == here)
                note(4)
            }
        }
        // Whoever comes from then on is behind it.
        while threads.waiting == 0 { await Task.yield() }
        await withCheckedContinuation { continuation in
            threads.run {
                note(5)
                continuation.resume()
            }
            isOpen.store(true, ordering: .sequentiallyConsistent)
        }
        #expect(order.withLock { $0 } == [1, 2, 3, 4, 5])
        caller.stop()
        threads.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `of jobs and callers only one runs at a time`() async {
        let threads = BlockingThreads(limit: 1)
        let callers = BlockingThreads(limit: 3)
        let counts = Counts()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        await withCheckedContinuation { continuation in
                            if number == 0 {
                                threads.run {
                                    counts.job()
                                    continuation.resume()
                                }
                            } else {
                                callers.run {
                                    threads.onCallersThread { counts.job() }
                                    continuation.resume()
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(counts.values.withLock { $0 } == (0, 1, 2_000))
        callers.stop()
        threads.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func `a reservation lets its owner's jobs go first, until it ends or its time is over`() async throws {
        final class Holder: Sendable {}
        let threads = BlockingThreads(limit: 1)
        defer { threads.stop() }
        let (owner, order) = (Holder(), Order())
        // The first is ended by its owner: on a busy machine the steps may take minutes. The second ends by its time.
        for seconds in [3_600, 0.05] {
            #expect(await threads.reserve(for: owner, seconds: seconds))
            async let other: Void = threads.value { order.add("other") }
            if seconds > 1 {
                #expect(await !threads.reserve(for: owner, seconds: seconds))
                while threads.waiting == 0 { await Task.yield() }
                try await threads.value(for: owner) { order.add("own") }
                threads.onCallersThread(for: owner) { order.add("own, here") }
                #expect(threads.extendReservation(of: owner, seconds: seconds))
                threads.endReservation(of: owner)
            }
            try await other
            #expect(!threads.extendReservation(of: owner, seconds: seconds), "it has ended")
        }
        #expect(order.all == ["own", "own, here", "other", "other"])
    }
}

private final class Counts: Sendable {
    let values = Mutex((running: 0, most: 0, total: 0))

    func job() {
        values.withLock {
            $0.running += 1
            $0.most = max($0.most, $0.running)
        }
        values.withLock {
            $0.running -= 1
            $0.total += 1
        }
    }
}

private final class Order: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var names: [String] = []

    func add(_ name: String) { lock.withLock { names.append(name) } }
    var all: [String] { lock.withLock { names } }

    private final class Note: Joiner {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test(.timeLimit(.minutes(5))) func `the running job takes the jobs that wait, in their order, up to another one`()
        async throws
    {
        let threads = BlockingThreads(limit: 1)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let done = Task {
            try await threads.value {
                begin.finish()
                let gate = Lock()
                let opened = Lock.Condition()
                nonisolated(unsafe) var isOpen = false
                Task {
                    for await _ in released {}
                    gate.withLock {
                        isOpen = true
                        opened.signal()
                    }
                }
                gate.lock()
                while !isOpen { opened.wait(gate) }
                gate.unlock()
                var taken: [Int] = []
                while let note = threads.takeNext(as: Note.self, where: { $0.number < 3 }) { taken.append(note.number) }
                return (taken, threads.waiting)
            }
        }
        for await _ in begun {}
        let (numbers, source) = AsyncStream.makeStream(of: Int.self)
        for number in 1...4 {
            threads.run(joiner: Note(number)) {
                source.yield(number)
                if number == 4 { source.finish() }
            }
        }
        release.finish()
        let (taken, waiting) = try await done.value
        #expect(taken == [1, 2])
        #expect(waiting == 2)
        #expect(await numbers.reduce(into: []) { $0.append($1) } == [3, 4])
        threads.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `the running job waits for a job to come, up to a time`() async throws {
        let threads = BlockingThreads(limit: 1)
        let isThere = try await threads.value { threads.waitForNext(seconds: 0) }
        #expect(!isThere)
        let came = try await threads.value {
            Task { threads.run {} }
            return threads.waitForNext(seconds: 60)
        }
        #expect(came)
        threads.stop()
    }
}
