import ConformanceKit
import GranaryCore
import GranaryPlatform

// What happens to reads and writes beyond the limits of their stack.

private func limited(_ trial: Trial, _ limits: StackLimits) throws -> Stack {
    try Stack(SuiteSchema.standard, store: trial.subject.storeProvider(at: trial.folder + "/Limited"), limits: limits)
}

/// Runs a read or write until it is not refused: on a busy machine also one that could begin may wait for too long.
private func untilBegun<T: Sendable>(_ body: () async throws -> T) async throws -> T {
    while true {
        do { return try await body() } catch let error as GranaryError where error.code == .busy {}
    }
}

/// A write, and `count` reads, that have begun and do not end before the event.
private func busy(
    _ stack: Stack, on trial: Trial, reads count: Int, until release: Event
) async throws -> [Task<Void, any Error>] {
    var tasks: [Task<Void, any Error>] = []
    let begun = (0...count).map { Event("the begin of \($0)") }
    tasks.append(
        Task(executorPreference: trial.executor) {
            try await untilBegun {
                try await stack.write { tx in
                    _ = try tx.insert(Shelf(id: 1))
                    begun[0].set()
                    try release.wait()
                }
            }
        })
    for number in 1..<(count + 1) {
        tasks.append(
            Task(executorPreference: trial.executor) {
                try await untilBegun {
                    try await stack.read { _ in
                        begun[number].set()
                        try release.wait()
                    }
                }
            })
    }
    for event in begun { try await event.happened() }
    return tasks
}

var limitsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "operating.limits-refused", in: .operating, "limits that make no sense are refused", modes: [.fresh]
        ) { trial in
            for limits in [
                StackLimits(readers: 0), StackLimits(readers: -3), StackLimits(waitingReads: -1),
                StackLimits(waitingWrites: -1), StackLimits(wait: .seconds(-1)),
            ] {
                try expectError(.limit) { try limited(trial, limits) }
            }
        },
        ConformanceCase(
            "operating.waiting", in: .operating,
            "a read or a write throws busy at once if as many wait as may, and the others are made", modes: [.fresh]
        ) { trial in
            let stack = try limited(trial, StackLimits(readers: 2, waitingReads: 1, waitingWrites: 2))
            let release = Event("the release")
            let running = try await busy(stack, on: trial, reads: 2, until: release)
            let waiting = Task.immediate { try await stack.read { try $0.count(Shelf.all) } }
            let writes = (2...3).map { number in
                Task.immediate { try await stack.write { _ = try $0.insert(Shelf(id: number)) } }
            }
            let read = try await expectAsyncError(.busy) { _ = try await stack.read { try $0.count(Shelf.all) } }
            let write = try await expectAsyncError(.busy) { try await stack.write { _ = try $0.insert(Shelf(id: 9)) } }
            try expectError(.busy) { try stack.blocking.write { _ = try $0.insert(Shelf(id: 9)) } }
            try expect([read, write].allSatisfy { $0.isRetryable && $0.waited == nil }, "\(read), \(write)")
            // A blocking read does not wait.
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
            release.set()
            for task in running { try await task.value }
            _ = try await waiting.value
            for task in writes { try await task.value }
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [1, 2, 3])
            try stack.blocking.close()
        },
        ConformanceCase(
            "operating.nothing-waits", in: .operating, "with a limit of zero nothing waits, and what can begin does",
            modes: [.fresh]
        ) { trial in
            let stack = try limited(trial, StackLimits(readers: 1, waitingReads: 0, waitingWrites: 0))
            for number in Int64(10)..<20 {
                try await stack.write { _ = try $0.insert(Shelf(id: number)) }
                try stack.blocking.write { _ = try $0.delete(Shelf.self, number) }
                let count = try await stack.read { try $0.count(Shelf.all) }
                try expectEqual(count, 0)
            }
            let release = Event("the release")
            let running = try await busy(stack, on: trial, reads: 1, until: release)
            try await expectAsyncError(.busy) { _ = try await stack.read { try $0.count(Shelf.all) } }
            try await expectAsyncError(.busy) { try await stack.write { _ = try $0.insert(Shelf(id: 9)) } }
            release.set()
            for task in running { try await task.value }
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [1])
            try stack.blocking.close()
        },
        ConformanceCase(
            "operating.wait", in: .operating,
            "a read or a write that has waited for too long throws busy, says how long, and is not made",
            modes: [.fresh]
        ) { trial in
            let stack = try limited(trial, StackLimits(readers: 1, wait: .milliseconds(20)))
            let release = Event("the release")
            let running = try await busy(stack, on: trial, reads: 1, until: release)
            let worker = Worker("a blocking write") {
                try expectError(.busy) { try stack.blocking.write { _ = try $0.insert(Shelf(id: 7)) } }
            }
            let read = try await expectAsyncError(.busy) { _ = try await stack.read { try $0.count(Shelf.all) } }
            let write = try await expectAsyncError(.busy) { try await stack.write { _ = try $0.insert(Shelf(id: 9)) } }
            let blocking = try worker.value()
            for error in [read, write, blocking] {
                try expectEqual(error.waited, .milliseconds(20))
                try expect(error.isRetryable, "\(error)")
            }
            release.set()
            for task in running { try await task.value }
            try await untilBegun { try await stack.write { _ = try $0.insert(Shelf(id: 2)) } }
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [1, 2])
            try stack.blocking.close()
        },
    ]
}
