import ConformanceKit
import GranaryCore

// Two contexts that change different records have no conflict, also where each of them has decided by what the other one
// changes (write skew). A version that both raise prevents that, and so does a transaction.

private let schema = Schema(Person.self, Draft.self)

/// Two doctors on call, and the rota that they share.
private func fill(_ stack: Stack) throws {
    try stack.blocking.write { tx in
        try tx.upsert([Person(id: 1, country: "on call", number: 1), Person(id: 2, country: "on call", number: 2)])
        try tx.upsert(Draft(id: 1, title: "rota", version: try tx.find(Draft.self, 1)?.version ?? 0))
    }
}

extension Context {
    /// A doctor takes a break if another one is on call. Returns whether that was so.
    fileprivate func takeBreak(_ doctor: Int64) throws -> Bool {
        guard try doctorsOnCall() > 1 else { return false }
        try update(Person.self, doctor) { $0.country = "away" }
        return true
    }
}

extension ReadContext {
    fileprivate func doctorsOnCall() throws -> Int { try count(Person.where { $0.country == "on call" }) }
}

var writeSkewCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.skew-version", in: .merging,
            "contexts that decide by each other's records are kept apart by a version that both of them raise"
        ) { trial in
            let stack = try trial.open(schema)
            for hasRota in [false, true] {
                try fill(stack)
                let (one, two) = (try stack.makeContext(), try stack.makeContext())
                try expectEqual(try one.takeBreak(1), true)
                try expectEqual(try two.takeBreak(2), true)
                guard hasRota else {
                    try one.blocking.save()
                    try two.blocking.save()
                    try expectEqual(try stack.blocking.read { try $0.doctorsOnCall() }, 0, "without a shared record")
                    continue
                }
                // Different attributes: without the version they would merge.
                try one.update(Draft.self, 1) { $0.title = "1 is away" }
                try two.update(Draft.self, 1) { $0.reads = 2 }
                try one.blocking.save()
                try expectError(.mergeConflict, entity: "Draft", attributes: ["version"]) { try two.blocking.save() }
                try expectEqual(try stack.blocking.read { try $0.doctorsOnCall() }, 1)
                two.rollback()
                try expectEqual(try two.takeBreak(2), false, "decided again")
            }
        },
        ConformanceCase(
            "merging.skew-transaction", in: .merging,
            "transactions that decide by each other's records go one after the other"
        ) { trial in
            let stack = try trial.open(schema)
            for _ in 0..<10 {
                try fill(stack)
                async let one = stack.write { try $0.takeBreak(1) }
                async let two = stack.write { try $0.takeBreak(2) }
                let breaks = [try await one, try await two]
                try expectEqual(breaks.filter(\.self).count, 1)
                try expectEqual(try stack.blocking.read { try $0.doctorsOnCall() }, 1)
            }
        },
    ]
}
