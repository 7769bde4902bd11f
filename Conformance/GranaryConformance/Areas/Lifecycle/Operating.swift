import ConformanceKit
import GranaryCore

// The health of a stack, and what it is doing. The probes must not wait for the reads and writes that they report.

/// Signals from threads of the stack to the task of a case.
private struct Signals: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.yield() }

    func wait(for count: Int = 1) async {
        var seen = 0
        for await _ in stream {
            seen += 1
            if seen == count { return }
        }
    }
}

var operatingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "operating.health", in: .operating,
            "a stack that works is healthy; the check leaves no commit and no record; a closed stack throws"
        ) { trial in
            try trial.insert([Note(slug: "one")])
            let stack = try trial.stack
            let before = try await stack.read { $0.transactionNumber }
            for _ in 0..<3 {
                let health = try await stack.health()
                try expect(health.isHealthy, "the stack is not healthy")
                try expectEqual("\(health.reading)", "works")
                try expectEqual("\(health.writing)", "works")
                try expectEqual("\(health.disk)", "works")
                try expectEqual(health.freeBytes == nil, stack.location == nil)
                try expectEqual(health.gauges.openReads, 0)
            }
            let after = try await stack.read { $0.transactionNumber }
            try expectEqual(after, before)
            try expectEqual(try trial.read { try $0.count(Note.all) }, 1)
            try expectEqual(try trial.stack.blocking.verify(), [])
            let closed = try trial.another()
            try await closed.close()
            do {
                _ = try await closed.health()
                throw ConformanceFailure(message: "a closed stack has no health", file: #fileID, line: #line)
            } catch let error as GranaryError {
                try expectEqual(error.code, .closed)
            }
        },
        ConformanceCase(
            "operating.health-read-only", in: .operating, "a stack that only reads is healthy, and says so",
            requires: [.persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            try trial.insert([Note(slug: "one")])
            try trial.close()
            let health = try await trial.another(access: .readOnly).health()
            try expect(health.isHealthy, "the stack is not healthy")
            try expectEqual("\(health.writing)", "readOnly")
        },
        ConformanceCase(
            "operating.health-beside-reads", in: .operating,
            "a health check does not wait for 16 reads that do not end, and counts them", modes: [.fresh]
        ) { trial in
            try trial.insert([Note(slug: "one")])
            let stack = try trial.stack
            let (gate, begun) = (Gate(), Signals())
            try await withThrowingTaskGroup { group in
                defer { gate.open() }
                for _ in 0..<16 {
                    group.addTask {
                        try await stack.read { _ in
                            begun.send()
                            gate.wait()
                        }
                    }
                }
                await begun.wait(for: 16)
                let health = try await stack.health()
                try expect(health.isHealthy, "the stack is not healthy")
                try expectEqual(health.gauges.openReads, 16)
                try expectEqual(stack.gauges().openReads, 16)
            }
            try expectEqual(stack.gauges().openReads, 0)
        },
        ConformanceCase(
            "operating.health-beside-write", in: .operating,
            "while a write runs, a health check does not wait: writing is busy, and the stack healthy", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let (gate, begun) = (Gate(), Signals())
            try await withThrowingTaskGroup { group in
                defer { gate.open() }
                group.addTask {
                    try await stack.write { tx in
                        try tx.insert(Note(slug: "one"))
                        begun.send()
                        gate.wait()
                    }
                }
                await begun.wait()
                let health = try await stack.health()
                try expect(health.isHealthy && health.gauges.isWriting, "the stack is not healthy")
                try expectEqual("\(health.writing)", "busy")
            }
            try expectEqual(try trial.read { try $0.count(Note.all) }, 1)
        },
        ConformanceCase(
            "operating.gauges", in: .operating,
            "a read that others commit beside has an age; files have sizes where a store has files", modes: [.fresh]
        ) { trial in
            try trial.insert([Note(slug: "one")])
            let stack = try trial.stack
            try expectEqual(stack.gauges().fileBytes == nil, stack.location == nil)
            try expect((stack.gauges().fileBytes ?? 1) > 0, "the gauges are wrong")
            let kept = try stack.keepSnapshot(as: "kept")
            try expect(stack.gauges().oldestRead == nil, "the gauges are wrong")
            try await stack.write { _ = try $0.insert(Note(slug: "two")) }
            let gauges = stack.gauges()
            try expect(gauges.openReads == 1 && gauges.oldestRead != nil && !gauges.isWriting, "the gauges are wrong")
            try kept.close()
            try expect(stack.gauges().openReads == 0 && stack.gauges().oldestRead == nil, "the gauges are wrong")
        },
    ]
}
