import ConformanceKit
import GranaryCore

var mergingOptimisticCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.optimistic", in: .merging,
            "an update that says what it began from merges, or notices what others did"
        ) { trial in
            let old = Person(id: 1, firstName: "Ada", age: 36, country: "GB")
            try trial.insert([old])
            try trial.write { try $0.update(old.with { $0.rating = 5 }) }
            let merged = try trial.write { try $0.update(old.with { $0.age = 37 }, from: old) }
            try expectEqual(merged, old.with { ($0.age, $0.rating) = (37, 5) })
            try expectEqual(try trial.find(Person.self, 1), merged)
            let error = try expectError(.mergeConflict, entity: "Person", attributes: ["age"]) {
                try trial.write { try $0.update(old.with { $0.age = 38 }, from: old) }
            }
            try expectEqual(error.conflicts.map(\.kind), [.changedTwice])
            try trial.write { _ = try $0.update(old.with { $0.age = 38 }, from: old, mergePolicy: .contextWins) }
            try expectEqual(try trial.find(Person.self, 1)?.age, 38)
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try expectError(.mergeConflict) { try trial.write { try $0.update(old.with { $0.age = 1 }, from: old) } }
            let gone = try trial.write { try $0.update(old.with { $0.age = 1 }, from: old, mergePolicy: .storeWins) }
            try expectEqual(gone, nil)
            try expectError(.invalidQuery) { try trial.write { try $0.update(old.with { $0.id = 2 }, from: old) } }
        },
        ConformanceCase(
            "merging.retry", in: .merging, "work that others were faster at is done again, other errors are not"
        ) { trial in
            try trial.insert([Person(id: 1, age: 0, country: "GB")])
            let stack = try trial.stack
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await retryingConflicts(attempts: 50) {
                            let old = try await stack.read { try $0.find(Person.self, 1) }
                            guard let old else { return }
                            let new = old.with { $0.firstName += "\(number)" }
                            _ = try await stack.write { try $0.update(new, from: old) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(try trial.find(Person.self, 1)?.firstName.sorted(), ["0", "1", "2", "3"])
            let attempts = Attempts()
            do {
                try await retryingConflicts(attempts: 5) {
                    attempts.count += 1
                    throw GranaryError(.required, "no")
                }
                throw ConformanceFailure(message: "the error is lost", file: #fileID, line: #line)
            } catch let error as GranaryError {
                try expectEqual(error.code, .required)
            }
            try expectEqual(attempts.count, 1)
        },
        ConformanceCase(
            "merging.retry-busy", in: .merging, "work that is retried gets through beside writers that never rest",
            modes: [.fresh]
        ) { trial in
            try await countBesideWriters(trial, count: 60)
        },
        ConformanceCase(
            "merging.retry-hundreds", in: .merging, "800 pieces of work get through beside writers that never rest",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            try await countBesideWriters(trial, count: 800)
        },
        ConformanceCase(
            "merging.retry-lets-go", in: .merging,
            "work that is retried does not wait for ever for what waits for its turn",
            modes: [.fresh]
        ) { trial in
            try trial.insert([Person(id: 1, age: 0, country: "GB")])
            let stack = try trial.stack
            let attempts = Attempts()
            try await retryingConflicts {
                attempts.count += 1
                // Its own writes go on, and so does what belongs to it.
                try await stack.write { try older(1, in: $0) }
                try await retryingConflicts { try await stack.perform { try older(1, in: $0) } }
                guard attempts.count > 2 else { throw GranaryError(.mergeConflict, "again") }
                try await Task.detached { try await stack.write { try older(1, in: $0) } }.value
                try await Task.detached { try await stack.perform { try older(1, in: $0) } }.value
            }
            try expectEqual(attempts.count, 3)
            try expectEqual(try trial.find(Person.self, 1)?.age, 8)
        },
    ]
}

private final class Attempts { var count = 0 }

/// Adds 1 in many tasks, in each way there is, while three writers do so all the time: nothing is lost or runs out of
/// attempts.
private func countBesideWriters(_ trial: Trial, count: Int) async throws {
    try trial.insert([Person(id: 1, age: 0, country: "GB")])
    let stack = try trial.stack
    let end = Gate()
    async let busy = withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<3 {
            group.addTask {
                var count = 0
                while !end.isOpened {
                    try await stack.write { try older(1, in: $0) }
                    count += 1
                }
                return count
            }
        }
        return try await group.reduce(0, +)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        defer { end.open() }
        for number in 0..<count {
            group.addTask {
                try await retryingConflicts {
                    switch number % 3 {
                    case 0: try await stack.perform { try older(1, in: $0) }
                    case 1: try older(1, from: stack)
                    default:
                        let old = try await stack.read { try $0.find(Person.self, 1) }
                        guard let old else { return }
                        let new = old.with { $0.age = ($0.age ?? 0) + 1 }
                        _ = try await stack.write { try $0.update(new, from: old) }
                    }
                }
            }
        }
        try await group.waitForAll()
    }
    let written = try await busy
    try expect(written > 0, "no one wrote beside it")
    try expectEqual(try trial.find(Person.self, 1)?.age, count + written)
}

private func older(_ key: Int64, in context: Context) throws {
    try context.update(Person.self, key) { $0.age = ($0.age ?? 0) + 1 }
}

/// In a context that is saved here, on this thread.
private func older(_ key: Int64, from stack: Stack) throws {
    let context = try stack.makeContext()
    defer { context.reset() }
    try older(key, in: context)
    try context.blocking.save()
}
