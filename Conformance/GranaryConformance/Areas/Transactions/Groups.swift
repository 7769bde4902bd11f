import ConformanceKit
import Foundation
import GranaryCore

// Writes that wait for their turn, and are committed together where the store can do that. What they do, say and leave
// behind is the same where it cannot.

typealias GroupedBody = @Sendable (Transaction) throws -> Void

/// A write that has begun and waits until it is let go. Other writes wait behind it.
struct HeldWrite {
    private let release: Event
    private let task: Task<Void, any Error>

    /// - Parameter work: What the write does after it is let go.
    init(
        _ stack: Stack, on trial: Trial, _ durability: Durability? = nil, as name: String? = nil,
        then work: @escaping GroupedBody = { _ in }
    ) async throws {
        let (begun, release) = (Event("the first write's begin"), Event("the release of the first write"))
        self.release = release
        task = Task(executorPreference: trial.executor) {
            try await stack.write(as: name, durability: durability) { tx in
                begun.set()
                try release.wait()
                try work(tx)
            }
        }
        try await begun.happened()
    }

    func letGo() { release.set() }
    func value() async throws { try await task.value }
}

/// Lets writes wait behind a first one, asks for them in their order, and returns how each has ended.
///
/// - Parameter first: The first write's own work, after all others have been asked for.
func together(
    _ stack: Stack, on trial: Trial, after first: @escaping GroupedBody = { _ in }, _ bodies: [GroupedBody]
) async throws -> [Result<Void, any Error>] {
    let leader = try await HeldWrite(stack, on: trial, as: "first", then: first)
    var tasks: [Task<Void, any Error>] = []
    for (number, body) in bodies.enumerated() {
        // It runs on this thread up to its first suspension, which is in `write`.
        tasks.append(Task.immediate { try await stack.write(as: "\(number)", body) })
    }
    leader.letGo()
    try await leader.value()
    var outcomes: [Result<Void, any Error>] = []
    for task in tasks { outcomes.append(await task.result) }
    return outcomes
}

/// The code of each error; nil of those that succeeded.
func codes(_ outcomes: [Result<Void, any Error>]) -> [GranaryError.Code?] {
    outcomes.map { outcome in
        guard case .failure(let error) = outcome else { return nil }
        return (error as? GranaryError)?.code ?? GranaryError.Code(rawValue: "\(type(of: error))")
    }
}

var groupsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "concurrency.group", in: .concurrency,
            "writes that wait for each other see the ones before, and keep their order"
        ) { trial in
            let seen = Journal<[Int64]>()
            let bodies: [GroupedBody] = (1...40).map { number in
                { tx in
                    seen.add(try tx.fetch(Shelf.all).map(\.id))
                    try tx.insert(Shelf(id: Int64(number)))
                }
            }
            let outcomes = try await together(trial.stack, on: trial, bodies)
            try expectEqual(codes(outcomes), Array(repeating: nil, count: 40))
            try expectEqual(seen.entries, (1...40).map { number in (1..<number).map(Int64.init) })
            try expectEqual(try trial.keys(Shelf.all), Array(1...40))
        },
        ConformanceCase(
            "concurrency.group-failing", in: .concurrency,
            "of writes that wait for each other, one that throws is undone alone, with its keys"
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "a")])
            let bodies: [GroupedBody] = [
                { tx in _ = try tx.insert(Counter(label: "a")) },
                { tx in
                    try tx.insert((0..<50).map { Counter(label: "b\($0)") })
                    try tx.update(Shelf(id: 1, name: "b"))
                    try tx.savepoint { _ = try tx.insert(Shelf(id: 2)) }
                    throw Abandon()
                },
                { tx in
                    _ = try tx.insert(Counter(label: "c"))
                    try expectEqual(try tx.fetch(Shelf.all), [Shelf(id: 1, name: "a")])
                },
                { tx in
                    // The error of a statement that is not caught.
                    _ = try tx.insert(Counter(label: "d"))
                    _ = try tx.insert(Counter(label: "a"))
                },
                { tx in _ = try tx.insert(Counter(label: "d")) },
                { tx in _ = try tx.insert(Box(id: 1, shelf: Ref(9))) },
                { tx in _ = try tx.delete(Shelf.self, 1) },
            ]
            let outcomes = try await together(trial.stack, on: trial, bodies)
            try expectEqual(
                codes(outcomes),
                [
                    nil, GranaryError.Code(rawValue: "Abandon"), nil, .uniqueness, nil, .danglingReference, nil,
                ])
            let counters = try trial.fetch(Counter.all)
            try expectEqual(counters.map(\.label), ["a", "c", "d"])
            // Contexts do not use a key twice.
            if !trial.subject.writesThroughContexts { try expectEqual(counters.map(\.id), [1, 2, 3]) }
            try expectEqual(try trial.keys(Shelf.all), [])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "concurrency.group-first-fails", in: .concurrency,
            "writes that wait for one that throws are made all the same"
        ) { trial in
            let stack = try trial.stack
            let leader = Journal<String>()
            let (begun, release) = (Event("the first write's begin"), Event("the release of the first write"))
            let first = Task(executorPreference: trial.executor) {
                do {
                    try await stack.write { tx in
                        try tx.insert(Shelf(id: 1))
                        begun.set()
                        try release.wait()
                        throw Abandon()
                    }
                } catch is Abandon { leader.add("abandoned") }
            }
            try await begun.happened()
            let others = (2...5).map { number in
                Task.immediate { try await stack.write { _ = try $0.insert(Shelf(id: number)) } }
            }
            release.set()
            try await first.value
            for other in others { try await other.value }
            try expectEqual(leader.entries, ["abandoned"])
            try expectEqual(try trial.keys(Shelf.all), [2, 3, 4, 5])
        },
        ConformanceCase(
            "isolation.group-unseen", in: .isolation, "no read sees writes that are not committed yet, not even theirs",
            modes: [.fresh]
        ) { trial in
            // No group ends by time, however slow the machine is.
            let stack = try await Stack(
                SuiteSchema.standard, store: trial.provider, groupCommit: GroupCommit(within: .seconds(1_000)))
            let seen = Journal<Int>()
            let bodies: [GroupedBody] = (1...5).map { number in
                { tx in
                    try tx.insert(Shelf(id: Int64(number)))
                    // A read on another thread, and one on this thread.
                    let other = Worker("a read") { try stack.blocking.read { try $0.fetch(Shelf.all).map(\.id) } }
                    let keys = try [other.value(), stack.blocking.read { try $0.fetch(Shelf.all).map(\.id) }]
                    // Each state is one after a commit: without this write, and without gaps.
                    for keys in keys {
                        try expectEqual(keys, Array(0..<Int64(keys.count)).map { $0 + 1 })
                        try expect(keys.count < number, "saw \(keys) before \(number) was committed")
                        seen.add(keys.count)
                    }
                }
            }
            let outcomes = try await together(stack, on: trial, bodies)
            try expectEqual(codes(outcomes), Array(repeating: nil, count: 5))
            try expectEqual(seen.entries.count, 10)
            if stack.capabilities.has(.groupCommit) {
                try expectEqual(seen.entries, Array(repeating: 0, count: 10), "all are committed together")
            }
            try await stack.close()
        },
        ConformanceCase(
            "concurrency.group-cancelled", in: .concurrency,
            "a write that is cancelled while it waits is not made, one that is cancelled while it runs is",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let first = try await HeldWrite(stack, on: trial)
            let (runs, cancelled) = (Event("the begin of the second write"), Event("the cancellation"))
            let running = Task.immediate {
                try await stack.write { tx in
                    _ = try tx.insert(Shelf(id: 1))
                    runs.set()
                    try cancelled.wait()
                    _ = try tx.insert(Shelf(id: 2))
                }
            }
            let waiting = Task.immediate { try await stack.write { _ = try $0.insert(Shelf(id: 3)) } }
            let last = Task.immediate { try await stack.write { _ = try $0.insert(Shelf(id: 4)) } }
            waiting.cancel()
            first.letGo()
            try await runs.happened()
            running.cancel()
            cancelled.set()
            try await first.value()
            try await running.value
            try await last.value
            try await expectCancelled(waiting)
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 4])
        },
        ConformanceCase(
            "concurrency.group-reentrant", in: .concurrency,
            "a write inside a write is refused, also if that one waited for others, and through another stack",
            modes: [.fresh]
        ) { trial in
            let (stack, second) = (try trial.stack, try trial.another())
            let refused = Journal<String>()
            let nested: GroupedBody = { tx in
                for other in [stack, second] {
                    do {
                        try other.blocking.write { _ = try $0.insert(Shelf(id: 9)) }
                    } catch let error as GranaryError {
                        refused.add("\(error.code)")
                    }
                }
            }
            let outcomes = try await together(stack, on: trial, [nested, nested])
            try expectEqual(codes(outcomes), [nil, nil])
            try expectEqual(refused.entries, Array(repeating: "reentrantWrite", count: 4))
            try await mixed(stack, on: trial, [nested, nested, nested])
            try expectEqual(refused.entries, Array(repeating: "reentrantWrite", count: 10))
            try expectEqual(try trial.keys(Shelf.all), [])
        },
        ConformanceCase(
            "concurrency.group-mixed", in: .concurrency,
            "blocking and asynchronous writes that wait for each other are made in order, each on its own thread"
        ) { trial in
            let order = Journal<Int>()
            let bodies: [GroupedBody] = (0..<24).map { number in
                { tx in
                    order.add(number)
                    try tx.insert(Counter(label: "\(number)"))
                    try tx.savepoint { _ = try tx.insert(Shelf(id: Int64(number))) }
                    if number % 5 == 4 { throw Abandon(number) }
                }
            }
            try await mixed(trial.stack, on: trial, bodies)
            try expectEqual(order.entries, Array(0..<24))
            let kept = (0..<24).filter { $0 % 5 != 4 }
            try expectEqual(try trial.keys(Shelf.all), kept.map(Int64.init))
            try expectEqual(try trial.fetch(Counter.all).map(\.label), kept.map { "\($0)" })
        },
    ]
}

/// Lets asynchronous and blocking writes wait behind a first one, in turns of three, in their order. Those that throw
/// `Abandon` have thrown it to their caller.
private func mixed(_ stack: Stack, on trial: Trial, _ bodies: [GroupedBody]) async throws {
    let (begun, release) = (Event("the first write's begin"), Event("the release of the first write"))
    let first = Worker("the first write") {
        try stack.blocking.write { _ in
            begun.set()
            try release.wait()
        }
    }
    try begun.wait()
    var (tasks, workers): ([Task<Void, any Error>], [Worker<Void>]) = ([], [])
    for (number, body) in bodies.enumerated() {
        if number % 6 < 3 {
            tasks.append(
                Task.immediate {
                    do { try await stack.write(body) } catch is Abandon {}
                })
        } else {
            let thread = Journal<Bool>()
            let worker = Worker("a blocking write") {
                let own = ObjectIdentifier(Thread.current)
                do {
                    try stack.blocking.write { tx in
                        thread.add(ObjectIdentifier(Thread.current) == own)
                        try body(tx)
                    }
                } catch is Abandon {}
                try expectEqual(thread.entries, [true], "it ran on another thread")
            }
            // Until it is in the queue.
            let count = number + 1
            try waitUntil("\(count) writes wait") { stack.waitingWrites == count }
            workers.append(worker)
        }
    }
    release.set()
    try first.value()
    for worker in workers { try worker.value() }
    for task in tasks { try await task.value }
}
