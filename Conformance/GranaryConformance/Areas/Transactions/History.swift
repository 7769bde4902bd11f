import ConformanceKit
import Foundation
import GranaryCore

private func numbers(_ changes: [ChangeSet]) -> [UInt64] { changes.map(\.transactionNumber) }

/// A stack of the trial's store that keeps a history.
private func keeping(_ trial: Trial, _ policy: HistoryPolicy = .everything) throws -> Stack {
    try trial.close()
    return try trial.another(history: policy)
}

/// Closes it and opens the store again, if the mode says so and the store keeps anything.
private func later(_ trial: Trial, _ stack: Stack, _ policy: HistoryPolicy = .everything) throws -> Stack {
    guard trial.mode == .reopened else { return stack }
    try stack.blocking.close()
    return try trial.another(history: policy)
}

var historyCases: [ConformanceCase] {
    [
        ConformanceCase(
            "history.kept", in: .history,
            "what each commit changed is kept in the store, net, in order, with its author",
            requires: [.history, .changeRecording]
        ) { trial in
            var stack = try keeping(trial)
            let start = try await stack.historyToken()
            try await stack.write(as: "one") { tx in
                try tx.insert([Shelf(id: 2), Shelf(id: 1)])
                try tx.insert(Person(id: 1, firstName: "Ada", country: "GB"))
                try tx.insert(Person(id: 2, country: "GB", number: 1))
                try tx.delete(Person.self, 2)
            }
            try await stack.write(as: "two") { tx in
                try tx.insert(Box(id: 1, shelf: Ref(1), owner: Ref(1)))
                try tx.update(Person(id: 1, firstName: "Eve", age: 3, country: "GB"))
            }
            try await stack.write { _ = try $0.delete(Person.self, 1) }
            stack = try later(trial, stack)
            let changes = try await stack.changes(since: start)
            try expectEqual(numbers(changes), [1, 2, 3].map { $0 + start.transactionNumber })
            try expectEqual(changes.map(\.origin.name), ["one", "two", nil])
            try expectEqual(try changes[0].inserted(Shelf.self), [1, 2])
            try expectEqual(try changes[0].inserted(Person.self), [1])
            try expectEqual(try changes[0].deleted(Person.self), [])
            try expectEqual(try changes[1].updated(Person.self)?.map(\.key), [1])
            try expectEqual(try changes[1].updated(Person.self)?.map(\.attributes), [["firstName", "age"]])
            try expectEqual(try changes[2].deleted(Person.self), [1])
            try expectEqual(try changes[2].deleted(Box.self), [1], "what a delete rule took along")
            try expectEqual(
                numbers(try stack.committed(since: changes[1].transactionNumber)), [changes[2].transactionNumber])
            try expectEqual(numbers(try stack.committed(since: changes[2].transactionNumber)), [])
            try expectEqual(
                numbers(try stack.committed(since: start.transactionNumber, limit: 2)),
                Array(numbers(changes).prefix(2)))
            let filtered = try await stack.changes(since: start, by: { $0 != "one" })
            try expectEqual(filtered.map(\.origin.name), ["two", nil])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "history.rolled-back", in: .history, "what did not come to be committed is not in the history",
            requires: [.history, .changeRecording]
        ) { trial in
            var stack = try keeping(trial)
            struct Stop: Error {}
            let blocking = try keepNothing(stack) { throw Stop() }
            try expect(blocking, "the write did not fail")
            try await stack.write { tx in
                try tx.insert(Shelf(id: 3))
                try? tx.savepoint {
                    try tx.insert(Shelf(id: 4))
                    throw Stop()
                }
            }
            // No change, no commit, no entry.
            try await stack.write { try $0.update(Shelf(id: 3)) }
            stack = try later(trial, stack)
            let changes = try stack.committed(since: 0)
            try expectEqual(try changes.map { try $0.inserted(Shelf.self) }, [[3]])
        },
        ConformanceCase(
            "history.keys", in: .history, "keys of every kind are kept whole", requires: [.history, .changeRecording]
        ) { trial in
            var stack = try keeping(trial)
            let (notes, ticket) = (
                [Note(slug: ""), Note(slug: "a\u{0}b"), Note(slug: String(repeating: "é", count: 5000))],
                Ticket(id: UUID())
            )
            let key = ticket.id
            try await stack.write { tx in
                try tx.insert(notes)
                try tx.insert(ticket)
                try tx.insert(Shelf(id: .min))
                try tx.insert(Shelf(id: .max))
            }
            stack = try later(trial, stack)
            let changes = try stack.committed(since: 0)
            try expectEqual(try changes.first?.inserted(Note.self), notes.map(\.id))
            try expectEqual(try changes.first?.inserted(Ticket.self), [key])
            try expectEqual(try changes.first?.inserted(Shelf.self), [.min, .max])
        },
        ConformanceCase(
            "history.retention", in: .history, "old entries go, and who asks for them is told so",
            requires: [.history, .changeRecording]
        ) { trial in
            var stack = try keeping(trial, .latest(3))
            for number in 1...6 { try await stack.write { _ = try $0.insert(Shelf(id: Int64(number))) } }
            stack = try later(trial, stack, .latest(3))
            try expectEqual(numbers(try stack.committed(since: 3)), [4, 5, 6])
            let early = stack
            try expectError(.historyGone) {
                try early.committed(since: 2)
            }
            try await stack.deleteHistory(through: HistoryToken(transactionNumber: 5))
            try expectEqual(numbers(try stack.committed(since: 5)), [6])
            try expectError(.historyGone) {
                try early.committed(since: 4)
            }
            let token = try await stack.historyToken()
            try expectEqual(token.transactionNumber, 6, "deleting history is no commit")
        },
        ConformanceCase(
            "history.ahead", in: .history,
            "a place that the store has not come to is another store's, and no end of the changes",
            requires: [.history, .changeRecording]
        ) { trial in
            let stack = try keeping(trial)
            try await stack.write { _ = try $0.insert(Shelf(id: 1)) }
            let number = try await stack.historyToken().transactionNumber
            try expectEqual(numbers(try stack.committed(since: number)), [])
            try expectError(.historyGone) { try stack.committed(since: number + 1) }
            try expectError(.historyGone) { try stack.committed(since: .max) }
        },
        ConformanceCase(
            "history.retention-by-age", in: .history, "what is older than it may be goes with the next commit",
            requires: [.history, .changeRecording]
        ) { trial in
            let hours = HistoryPolicy.recent(.seconds(7200))
            var stack = try keeping(trial, hours)
            for number in 1...3 { try await stack.write { _ = try $0.insert(Shelf(id: Int64(number))) } }
            stack = try later(trial, stack, hours)
            try expectEqual(numbers(try stack.committed(since: 0)), [1, 2, 3])
            // Another stack of the same store, for which everything is too old but its own last commit.
            let short = try trial.another(history: .recent(.zero))
            for number in 4...6 { try await short.write { _ = try $0.insert(Shelf(id: Int64(number))) } }
            try expectEqual(numbers(try short.committed(since: 5)), [6])
            try expectError(.historyGone) { try short.committed(since: 4) }
        },
        ConformanceCase(
            "history.gap", in: .history, "a commit written without a history is a gap that is reported",
            requires: [.history, .changeRecording, .reopening]
        ) { trial in
            let keeping = try keeping(trial)
            try await keeping.write { _ = try $0.insert(Shelf(id: 1)) }
            try await keeping.close()
            let careless = try trial.another()
            try await careless.write { _ = try $0.insert(Shelf(id: 2)) }
            try await careless.close()
            let stack = try trial.another(history: .everything)
            try await stack.write { _ = try $0.insert(Shelf(id: 3)) }
            try expectError(.historyGone) { try stack.committed(since: 0) }
            try expectEqual(numbers(try stack.committed(since: 2)), [3])
        },
        ConformanceCase(
            "history.contexts", in: .history, "a save is in the history under the name of its context",
            requires: [.history, .changeRecording]
        ) { trial in
            var stack = try keeping(trial)
            try save(stack)
            stack = try later(trial, stack)
            let changes = try stack.committed(since: 0)
            try expectEqual(changes.map(\.origin.name), ["editor"])
            try expectEqual(try changes.first?.inserted(Shelf.self), [1])
        },
    ]
}

/// Whether a write that fails has failed.
private func keepNothing(_ stack: Stack, _ fail: () throws -> Void) throws -> Bool {
    do {
        try stack.blocking.write { tx in
            try tx.insert(Shelf(id: 1))
            try fail()
        }
        return false
    } catch { return true }
}

private func save(_ stack: Stack) throws {
    let edit = try stack.makeContext(named: "editor")
    try edit.insert(Shelf(id: 1))
    try edit.blocking.save()
}
