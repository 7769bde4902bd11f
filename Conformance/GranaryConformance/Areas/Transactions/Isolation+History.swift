import ConformanceKit
import GranaryCore

var isolationHistoryCases: [ConformanceCase] {
    [
        ConformanceCase(
            "isolation.bank", in: .isolation,
            "money moved between accounts by several threads is the same in sum at any time",
            modes: [.fresh]
        ) { trial in
            try trial.insert((1...5).map { Person(id: $0, country: "bank", number: Int($0), isActive: true) })
            let stacks = [try trial.stack, try trial.another()]
            try stacks[0].blocking.write { tx in _ = try Person.all.updateAll(in: tx) { $0.set(\.age, to: 100) } }
            let seed = trial.seed
            let movers = stacks.enumerated().map { number, stack in
                Worker("a mover") {
                    var random = SeededGenerator(seed: seed &+ UInt64(number))
                    for _ in 0..<100 {
                        let amount = Int.random(in: 1...10, using: &random)
                        let (from, to) = (
                            Int64.random(in: 1...5, using: &random), Int64.random(in: 1...5, using: &random)
                        )
                        try stack.blocking.write { tx in
                            guard from != to, var giver = try tx.find(Person.self, from),
                                var taker = try tx.find(Person.self, to)
                            else { return }
                            giver.age = (giver.age ?? 0) - amount
                            taker.age = (taker.age ?? 0) + amount
                            try tx.update(giver)
                            try tx.update(taker)
                        }
                    }
                }
            }
            let watcher = try trial.another()
            while !movers.allSatisfy(\.isDone) {
                let sum = try watcher.blocking.read { try $0.fetch(Person.all).reduce(0) { $0 + ($1.age ?? 0) } }
                try expectEqual(sum, 500)
            }
            for mover in movers { try mover.value() }
            try expectEqual(
                try watcher.blocking.read {
                    try $0.fetch(Person.all).reduce(0) { $0 + ($1.age ?? 0) }
                }, 500)
        },
        ConformanceCase(
            "isolation.list-append", in: .isolation,
            "of lists that threads append to, each read is a prefix of the last, commits are numbered without gaps, and no acknowledged append is missing",
            modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try first.blocking.write { tx in
                try rename(tx, 1, "")
                try rename(tx, 2, "")
            }
            let start = try first.blocking.read { $0.transactionNumber }
            let appended = Journal<(list: Int64, entry: String, after: UInt64)>()
            let observed = Journal<(lists: [String], number: UInt64, atLeast: UInt64)>()
            let writers = (0..<4).map { number in
                Worker("an appending thread") {
                    let stack = number.isMultiple(of: 2) ? first : second
                    for step in 0..<25 {
                        let list = Int64((number + step) % 2 + 1)
                        let entry = "\(number).\(step) "
                        let after = try stack.blocking.write { tx in
                            try rename(tx, list, try shelfName(tx, list) + entry)
                            return tx.transactionNumber
                        }
                        appended.add((list, entry, after))
                    }
                }
            }
            let readers = (0..<2).map { number in
                Worker("a reading thread") {
                    let stack = number == 0 ? first : second
                    while !writers.allSatisfy(\.isDone) {
                        let atLeast = appended.entries.map { $0.after + 1 }.max() ?? 0
                        let seen = try stack.blocking.read { snapshot in
                            (try snapshot.fetch(Shelf.all).map(\.name), snapshot.transactionNumber)
                        }
                        observed.add((seen.0, seen.1, atLeast))
                    }
                }
            }
            for writer in writers { try writer.value() }
            for reader in readers { try reader.value() }

            let last = try shelfNames(first)
            let appends = appended.entries.sorted { $0.after < $1.after }
            try expectEqual(appends.map(\.after), (0..<100).map { start + UInt64($0) }, "the numbers of the commits")
            for list in Int64(1)...2 {
                let expected = appends.filter { $0.list == list }.map(\.entry).joined()
                try expectEqual(last[Int(list) - 1], expected, "the list in the order of commits")
            }
            for read in observed.entries {
                try expect(read.number >= read.atLeast, "saw commit \(read.number), but \(read.atLeast) had returned")
                for list in 0..<2 {
                    let prefix = appends.filter { $0.list == Int64(list) + 1 && $0.after < read.number }.map(\.entry)
                    try expectEqual(read.lists[list], prefix.joined(), "the list at commit \(read.number)")
                }
            }
        },
    ]
}
