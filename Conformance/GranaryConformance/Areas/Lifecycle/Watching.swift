import ConformanceKit
import GranaryCore
import GranaryPlatform

// What an instrument and the log get to know of reads and writes, and what the log never shows.

/// Collects the outcomes of reads and writes.
private final class Outcomes: StackInstrument {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var all: [(StackOperation, OperationOutcome)] = []

    func ended(_ operation: StackOperation, _ outcome: OperationOutcome, _ token: (any Sendable)?) {
        lock.withLock { all.append((operation, outcome)) }
    }

    /// The outcomes of an operation with a name, in the order of their ends.
    func of(_ name: String) -> [OperationOutcome] {
        lock.withLock { all.filter { $0.0.name == name }.map(\.1) }
    }
}

private let secret = "what only the user may see"

var watchingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "operating.outcomes", in: .operating,
            "an instrument gets the rows of reads, the records of commits, and the codes of errors", modes: [.fresh]
        ) { trial in
            try trial.close()
            let outcomes = Outcomes()
            let stack = try trial.watched(instrument: outcomes)
            try await stack.write(as: "three") { tx in
                for number in 1...3 { try tx.insert(Note(slug: "note \(number)", topic: "a")) }
            }
            let three = outcomes.of("three")
            try expectEqual(three.map(\.commit?.records), [3])
            try expectEqual(three.map(\.commit?.writes), [1])
            try expect(three.allSatisfy { $0.error == nil && $0.total >= $0.waited + $0.body }, "the outcome is wrong")

            try await stack.read(as: "all") { _ = try $0.fetch(Note.all) }
            _ = try stack.blocking.read(as: "all") { try $0.fetch(Note.all.limit(2)) }
            try expectEqual(outcomes.of("all").map(\.rows), [3, 2])
            try expect(outcomes.of("all").allSatisfy { $0.commit == nil }, "the outcome is wrong")

            try expectError(.uniqueness) {
                try stack.blocking.write(as: "twice") { _ = try $0.insert(Note(slug: "note 1")) }
            }
            try expectEqual(outcomes.of("twice").map(\.errorCode), ["uniqueness"])
            try expect(outcomes.of("twice").allSatisfy { $0.commit == nil }, "the outcome is wrong")

            try await stack.write(as: "nothing") { _ = try $0.count(Note.all) }
            try expect(
                outcomes.of("nothing").allSatisfy { $0.commit == nil && $0.error == nil }, "the outcome is wrong")

            try stack.blocking.write(as: "many") { tx in
                _ = try Note.where { $0.topic == "a" }.deleteAll(in: tx)
            }
            try expectEqual(outcomes.of("many").map(\.commit?.records), [3])

            let context = try stack.makeContext(named: "edit")
            try context.insert(Note(slug: "pending"))
            try await context.save()
            try expectEqual(outcomes.of("edit").map(\.commit?.records), [1])
        },
        ConformanceCase(
            "operating.long-read-name", in: .operating,
            "the warning about a read that is open for long has the name of the read, or of the kept snapshot",
            modes: [.fresh]
        ) { trial in
            try trial.close()
            let log = CollectedLog()
            let stack = try trial.watched(log: log, longestRead: .nanoseconds(1))
            let kept = try stack.keepSnapshot(as: "report of the year")
            for number in 0..<3 { try await stack.write { _ = try $0.insert(Note(slug: "kept \(number)")) } }
            try kept.close()
            let gate = Gate()
            try await withThrowingTaskGroup { group in
                defer { gate.open() }
                group.addTask {
                    try await stack.read(as: "feed") { _ in gate.wait() }
                }
                // The writes of a read that has not begun yet do not count, so they go on until it has been named.
                var number = 0
                while !log.lines.contains(where: { $0.level == "warning" && $0.metadata["name"] == "feed" }) {
                    number += 1
                    try await stack.write { [number] in _ = try $0.insert(Note(slug: "feed \(number)")) }
                }
            }
            let names = log.lines.filter { $0.level == "warning" }.compactMap { $0.metadata["name"] }
            try expectEqual(names, ["report of the year", "feed"])
        },
        ConformanceCase(
            "operating.log", in: .operating,
            "at debug each read and write has a line with its name, rows and records; no line has a stored value",
            modes: [.fresh]
        ) { trial in
            try trial.close()
            let log = CollectedLog()
            let stack = try trial.watched(log: log, traces: true, slow: .zero)
            try await stack.write(as: "first") { tx in
                try tx.insert(Note(slug: secret, body: secret, topic: "a"))
                try tx.insert(Note(slug: "other", body: secret, topic: "a"))
            }
            try expectError(.uniqueness) {
                try stack.blocking.write(as: "second") { _ = try $0.insert(Note(slug: secret)) }
            }
            let found = try await stack.read(as: "look") { try $0.fetch(Note.where { $0.body == secret }) }
            try expectEqual(found.count, 2)
            let lines = log.lines("write", "a slow write") + log.lines("read", "a slow read")
            try expectEqual(lines.map { $0.metadata["name"] }, ["first", "second", "look"])
            try expectEqual(lines.map { $0.metadata["records"] }, ["2", nil, nil])
            try expectEqual(lines.map { $0.metadata["error"] }, [nil, "uniqueness", nil])
            try expectEqual(lines.last?.metadata["rows"], "2")
            try expect(lines.last?.metadata["plan"]?.contains("Note") ?? false, "the log lacks the plan or the request")
            try expect(!log.lines(stack.storeKind, "request").isEmpty, "the log lacks the plan or the request")
            for line in log.lines { try expect(!line.text.contains(secret), line.text) }
        },
        ConformanceCase(
            "operating.unchanged-save", in: .operating, "a save that has nothing to write has a line at debug",
            modes: [.fresh]
        ) { trial in
            try trial.close()
            let log = CollectedLog()
            let stack = try trial.watched(log: log)
            let context = try stack.makeContext(named: "idle")
            try await context.save()
            try context.blocking.save()
            try expectEqual(
                log.lines("context", "a save had nothing to write").map { $0.metadata["context"] }, ["idle", "idle"])
        },
    ]
}
