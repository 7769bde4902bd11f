import ConformanceKit
import GranaryCore

// The schedules are those of Adya's phenomena as Hermitage writes them, over two records named 10 and 20. As writers are
// serial, a schedule with two writers shows that the second waits and what it then sees; one with a reader nests the
// reader inside the writer, through another stack on the same store.

var isolationCases: [ConformanceCase] {
    [
        ConformanceCase(
            "isolation.G0-dirty-write", in: .isolation,
            "two writers never mix: the second begins when the first has committed", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            let begun = Event("the first write's begin")
            let order = Journal<String>()
            let other = try first.blocking.write { tx in
                try rename(tx, 1, "11")
                let other = Worker("the second write") {
                    begun.set()
                    try second.blocking.write { tx in
                        order.add("second begins")
                        try rename(tx, 1, "12")
                        try rename(tx, 2, "22")
                    }
                }
                try begun.wait()
                try rename(tx, 2, "21")
                order.add("first ends")
                return other
            }
            try other.value()
            try expectEqual(order.entries, ["first ends", "second begins"])
            try expectEqual(try shelfNames(first), ["12", "22"])
            try expectEqual(try shelfNames(second), ["12", "22"])
        },
        ConformanceCase(
            "isolation.G1a-aborted-read", in: .isolation, "nobody sees what a write that is rolled back did",
            modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try expectAbandoned {
                try first.blocking.write { tx in
                    try rename(tx, 1, "101")
                    try expectEqual(try shelfNames(second), ["10", "20"])
                    try expectEqual(try shelfNames(first), ["10", "20"])
                    throw Abandon()
                }
            }
            try expectEqual(try shelfNames(second), ["10", "20"])
        },
        ConformanceCase(
            "isolation.G1b-intermediate-read", in: .isolation, "nobody sees a value that its write changed again",
            modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try first.blocking.write { tx in
                try rename(tx, 1, "101")
                try expectEqual(try shelfNames(second), ["10", "20"])
                try rename(tx, 1, "11")
                try expectEqual(try shelfNames(second), ["10", "20"])
            }
            try expectEqual(try shelfNames(second), ["11", "20"])
        },
        ConformanceCase(
            "isolation.G1c-circular-flow", in: .isolation,
            "of two writes only one can have seen what the other did", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            let other = try first.blocking.write { tx in
                try rename(tx, 1, "11")
                let other = Worker("the second write") {
                    try second.blocking.write { tx in
                        let seen = try shelfName(tx, 1)
                        try rename(tx, 2, "22")
                        return seen
                    }
                }
                try expectEqual(try shelfName(tx, 2), "20")
                return other
            }
            try expectEqual(try other.value(), "11", "what the second saw of the first")
            try expectEqual(try shelfNames(first), ["11", "22"])
        },
        ConformanceCase(
            "isolation.OTV-observed-transaction-vanishes", in: .isolation,
            "a reader that sees one record of a commit sees all of them until it ends", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try first.blocking.write { tx in
                try rename(tx, 1, "11")
                try rename(tx, 2, "19")
            }
            try second.blocking.read { snapshot in
                try expectEqual(try shelfName(snapshot, 1), "11")
                try first.blocking.write { tx in
                    try rename(tx, 1, "12")
                    try rename(tx, 2, "18")
                    try expectEqual(try shelfName(snapshot, 2), "19")
                }
                try expectEqual(try shelfName(snapshot, 2), "19")
                try expectEqual(try shelfName(snapshot, 1), "11")
            }
            try expectEqual(try shelfNames(second), ["12", "18"])
        },
        ConformanceCase(
            "isolation.PMP-predicate-many-preceders", in: .isolation,
            "a query run again in one snapshot names the same records, whatever was committed", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try second.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Shelf.where { $0.name == "30" }), [])
                try first.blocking.write { tx in _ = try tx.insert(Shelf(id: 3, name: "30")) }
                try expectEqual(try snapshot.fetch(Shelf.where { $0.name == "30" }), [])
                try expectEqual(try snapshot.count(Shelf.where { $0.name >= "0" }), 2)
            }
            try expectEqual(try shelfNames(second), ["10", "20", "30"])
        },
        ConformanceCase(
            "isolation.PMP-write-predicate", in: .isolation,
            "a bulk write chooses its records after the write before it, not from an older state", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            let other = try first.blocking.write { tx in
                try rename(tx, 1, "20")
                try rename(tx, 2, "30")
                return Worker("the bulk delete") {
                    try second.blocking.write { try Shelf.where { $0.name == "20" }.deleteAll(in: $0) }
                }
            }
            try expectEqual(try other.value(), 1)
            try expectEqual(try first.blocking.read { try $0.fetch(Shelf.all) }, [Shelf(id: 2, name: "30")])
        },
        ConformanceCase(
            "isolation.P4-lost-update", in: .isolation, "no increment of several writers is lost", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try first.blocking.write { try rename($0, 1, "0") }
            let workers = [first, second, first, second].map { stack in
                Worker("an incrementing thread") {
                    for _ in 0..<25 {
                        try stack.blocking.write { tx in
                            let value = Int(try shelfName(tx, 1)) ?? -1000
                            try rename(tx, 1, "\(value + 1)")
                        }
                    }
                }
            }
            for worker in workers { try worker.value() }
            try expectEqual(try shelfNames(second).first, "100")
        },
        ConformanceCase(
            "isolation.G-single-read-skew", in: .isolation, "a snapshot holds records of one state alone",
            modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try second.blocking.read { snapshot in
                try expectEqual(try shelfName(snapshot, 1), "10")
                try first.blocking.write { tx in
                    try rename(tx, 1, "12")
                    try rename(tx, 2, "18")
                }
                try expectEqual(try shelfName(snapshot, 2), "20")
            }
        },
        ConformanceCase(
            "isolation.G-single-predicate", in: .isolation,
            "two different queries in one snapshot are answered from one state", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try second.blocking.read { snapshot in
                try expectEqual(try snapshot.count(Shelf.where { $0.name == "10" }), 1)
                try first.blocking.write { tx in _ = try Shelf.all.updateAll(in: tx) { $0.set(\.name, to: "12") } }
                try expectEqual(try snapshot.count(Shelf.where { $0.name == "12" }), 0)
                try expectEqual(try snapshot.fetch(Shelf.sorted(by: \.name, .descending)).map(\.id), [2, 1])
            }
        },
        ConformanceCase(
            "isolation.G2-item-write-skew", in: .isolation,
            "two writes that each read what the other changes are as if one after the other", modes: [.fresh]
        ) { trial in
            // Both may go on call only if the other stays: one of them must see that the other left.
            let (first, second) = try twoStacks(trial)
            let leave: @Sendable (Stack, Int64) throws -> Bool = { stack, who in
                try stack.blocking.write { tx in
                    guard try tx.count(Shelf.where { $0.name != "away" }) == 2 else { return false }
                    try rename(tx, who, "away")
                    return true
                }
            }
            for _ in 0..<20 {
                try first.blocking.write { tx in
                    try rename(tx, 1, "here")
                    try rename(tx, 2, "here")
                }
                let one = Worker("the first to leave") { try leave(first, 1) }
                let two = Worker("the second to leave") { try leave(second, 2) }
                try expectEqual([try one.value(), try two.value()].filter { $0 }.count, 1, "how many left")
            }
        },
        ConformanceCase(
            "isolation.G2-predicate", in: .isolation,
            "two writes that each insert only if the other has not are as if one after the other", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            let claim: @Sendable (Stack, Int64) throws -> Bool = { stack, key in
                try stack.blocking.write { tx in
                    guard try !Shelf.where({ $0.name == "claim" }).exists(in: tx) else { return false }
                    try tx.insert(Shelf(id: key, name: "claim"))
                    return true
                }
            }
            for round in Int64(1)...20 {
                let one = Worker("the first claim") { try claim(first, round * 10) }
                let two = Worker("the second claim") { try claim(second, round * 10 + 1) }
                try expectEqual([try one.value(), try two.value()].filter { $0 }.count, 1, "how many claims")
                try first.blocking.write { tx in
                    try expectEqual(try Shelf.where { $0.name == "claim" }.deleteAll(in: tx), 1)
                }
            }
        },
    ] + isolationSnapshotCases + isolationHistoryCases
}

/// Two stacks on one store with the shelves 1 and 2, named 10 and 20.
func twoStacks(_ trial: Trial) throws -> (Stack, Stack) {
    let first = try trial.stack
    try trial.insert([Shelf(id: 1, name: "10"), Shelf(id: 2, name: "20")])
    let second = try trial.another()
    try expectEqual(try shelfNames(second), ["10", "20"], "what the second stack sees")
    return (first, second)
}

func rename(_ tx: Transaction, _ key: Int64, _ name: String) throws { try tx.update(Shelf(id: key, name: name)) }

func shelfName(_ context: ReadContext, _ key: Int64) throws -> String {
    try context.find(Shelf.self, key)?.name ?? "none"
}

/// The names of all shelves, by key.
func shelfNames(_ stack: Stack) throws -> [String] { try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) } }

func shelves(_ stack: Stack) throws -> [Shelf] { try stack.blocking.read { try $0.fetch(Shelf.all) } }
