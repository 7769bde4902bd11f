import ConformanceKit
import GranaryCore

var concurrencyCancellationCases: [ConformanceCase] {
    [
        ConformanceCase(
            "concurrency.cancel-read", in: .concurrency,
            "a read whose task is cancelled throws cancelled at its next call, and the stack goes on", modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let stack = try trial.stack
            let (begun, cancelled) = (Event("the read's begin"), Event("the cancellation"))
            let task = Task(executorPreference: trial.executor) {
                try await stack.read { snapshot in
                    begun.set()
                    try cancelled.wait()
                    return try snapshot.count(Shelf.all)
                }
            }
            try await begun.happened()
            task.cancel()
            cancelled.set()
            try await expectCancelled(task)
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "concurrency.cancel-each-call", in: .concurrency,
            "each call of a cancelled snapshot throws cancelled, and a cursor does before its end", modes: [.fresh]
        ) { trial in
            try trial.insert((1...5000).map { Shelf(id: $0, name: "a") })
            let stack = try trial.stack
            let (begun, cancelled) = (Event("the read's begin"), Event("the cancellation"))
            let codes = Journal<String>()
            let task = Task(executorPreference: trial.executor) {
                try await stack.read { snapshot in
                    let cursor = try Shelf.all.cursor(in: snapshot)
                    begun.set()
                    try cancelled.wait()
                    let calls: [(String, () throws -> Void)] = [
                        ("find", { _ = try snapshot.find(Shelf.self, 1) }),
                        ("fetch", { _ = try snapshot.fetch(Shelf.all) }),
                        ("count", { _ = try snapshot.count(Shelf.where { $0.name == "a" }) }),
                        ("cursor", { while try cursor.next() != nil {} }),
                    ]
                    for (name, call) in calls {
                        do {
                            try call()
                            codes.add("\(name) returned")
                        } catch let error as GranaryError {
                            codes.add("\(name) \(error.code)")
                        }
                    }
                }
            }
            try await begun.happened()
            task.cancel()
            cancelled.set()
            try? await task.value
            try expectEqual(
                codes.entries, ["find cancelled", "fetch cancelled", "count cancelled", "cursor cancelled"])
        },
        ConformanceCase(
            "concurrency.cancel-backwards", in: .concurrency,
            "a cursor that goes backwards throws cancelled before its end", modes: [.fresh]
        ) { trial in
            try trial.insert((1...5000).map { Shelf(id: $0, name: "a") })
            let stack = try trial.stack
            let (begun, cancelled) = (Event("the read's begin"), Event("the cancellation"))
            let task = Task(executorPreference: trial.executor) {
                try await stack.read { snapshot in
                    let cursor = try Shelf.all.sorted(by: \.id, .descending).cursor(in: snapshot)
                    begun.set()
                    try cancelled.wait()
                    while try cursor.next() != nil {}
                }
            }
            try await begun.happened()
            task.cancel()
            cancelled.set()
            try await expectCancelled(task)
        },
        ConformanceCase(
            "concurrency.cancel-long-read", in: .concurrency,
            "a long sort under way stops soon after its task is cancelled, and the stack goes on", modes: [.fresh]
        ) { trial in
            var random = SeededGenerator(seed: trial.seed)
            let count = 20_000
            try trial.insert(
                (1...Int64(count)).map { Shelf(id: $0, name: "\(UInt64.random(in: 0...UInt64.max, using: &random))") })
            let stack = try trial.stack
            let begun = Event("the read's begin")
            let ended = Event("the read's end")
            // Without an end of its own, so that only cancellation ends it.
            let task = Task(executorPreference: trial.executor) {
                try await stack.read { snapshot in
                    begun.set()
                    defer { ended.set() }
                    let deadline = ContinuousClock.now + .seconds(60)
                    while ContinuousClock.now < deadline {
                        _ = try snapshot.fetch(Shelf.where { $0.name != "x" }.sorted(by: \.name).limit(10))
                    }
                }
            }
            try await begun.happened()
            task.cancel()
            // Of the read itself, not of its task, which may have to wait for one of Swift's threads.
            try ended.wait(seconds: 20)
            try await expectCancelled(task)
            try expectEqual(try trial.read { try $0.count(Shelf.all) }, count)
        },
        ConformanceCase(
            "concurrency.cancelled-before", in: .concurrency,
            "a read and a write of a task that is cancelled already throw cancelled and do nothing", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let cancelled = Event("the cancellation")
            let tasks = [
                Task(executorPreference: trial.executor) {
                    try await cancelled.happened()
                    _ = try await stack.write { try $0.insert(Shelf(id: 1)) }
                },
                Task(executorPreference: trial.executor) {
                    try await cancelled.happened()
                    _ = try await stack.read { try $0.count(Shelf.all) }
                },
            ]
            for task in tasks { task.cancel() }
            cancelled.set()
            for task in tasks { try await expectCancelled(task) }
            try expectEqual(try trial.keys(Shelf.all), [])
        },
        ConformanceCase(
            "concurrency.cancel-queued-write", in: .concurrency,
            "a write cancelled before its turn throws cancelled and does nothing; those after it are done",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let (isFirst, release) = (Event("the first write's begin"), Event("the release of the first write"))
            let first = Worker("the first write") {
                try stack.blocking.write { tx in
                    try tx.insert(Shelf(id: 1))
                    isFirst.set()
                    try release.wait()
                }
            }
            try isFirst.wait()
            let second = Task.immediate { _ = try await stack.write { try $0.insert(Shelf(id: 2)) } }
            let third = Task.immediate { _ = try await stack.write { try $0.insert(Shelf(id: 3)) } }
            second.cancel()
            release.set()
            try await expectCancelled(second)
            try await third.value
            try first.value()
            try expectEqual(try trial.keys(Shelf.all), [1, 3])
        },
        ConformanceCase(
            "concurrency.cancel-running-write", in: .concurrency,
            "a write cancelled after it has begun runs to its end and is committed", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let (begun, cancelled) = (Event("the write's begin"), Event("the cancellation"))
            let task = Task(executorPreference: trial.executor) {
                _ = try await stack.write { tx in
                    try tx.insert(Shelf(id: 1))
                    begun.set()
                    try cancelled.wait()
                    try tx.insert(Shelf(id: 2))
                }
            }
            try await begun.happened()
            task.cancel()
            cancelled.set()
            try await task.value
            try expectEqual(try trial.keys(Shelf.all), [1, 2])
        },
    ]
}

/// Fails unless the task ends with a `GranaryError` of the code `cancelled`.
func expectCancelled<T: Sendable>(
    _ task: Task<T, any Error>, file: String = #fileID, line: Int = #line
) async throws {
    let result = await task.result
    try expectError(.cancelled, file: file, line: line) { try result.get() }
}
