import ConformanceKit
import GranaryCore

var transactionsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "transactions.commit-on-return", in: .transactions, "what a write did is there when it has returned"
        ) { trial in
            let returned = try trial.write { tx in
                try tx.insert(Shelf(id: 1, name: "a"))
                return 42
            }
            try expectEqual(returned, 42)
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "a")])
        },
        ConformanceCase(
            "transactions.rollback-on-throw", in: .transactions,
            "a write that throws changes nothing, and its own error comes out"
        ) { trial in
            try seedShelves(trial)
            try expectAbandoned(7) {
                try trial.write { tx in
                    try changeEverything(tx)
                    throw Abandon(7)
                }
            }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.rollback-at-each-step", in: .transactions,
            "a write abandoned after any of its statements changes nothing"
        ) { trial in
            try seedShelves(trial)
            for step in 0...mixedProgram.count {
                try expectAbandoned(step) {
                    try trial.write { tx in
                        for statement in mixedProgram.prefix(step) { try statement(tx) }
                        throw Abandon(step)
                    }
                }
                try expectUnchanged(trial, "after step \(step)")
            }
        },
        ConformanceCase(
            "transactions.reads-own-writes", in: .transactions,
            "a transaction sees each of its statements at once, by key, in queries and in counts"
        ) { trial in
            try trial.write { tx in
                try expectEqual(try tx.count(Shelf.all), 0)
                try tx.insert(Shelf(id: 2, name: "b"))
                try expectEqual(try tx.find(Shelf.self, 2)?.name, "b")
                try tx.insert(Shelf(id: 1, name: "c"))
                try expectEqual(try tx.fetch(Shelf.sorted(by: \.name)).map(\.id), [2, 1])
                try tx.update(Shelf(id: 2, name: "d"))
                try expectEqual(try tx.fetch(Shelf.sorted(by: \.name)).map(\.id), [1, 2])
                try expectEqual(try Shelf.where { $0.name == "d" }.updateAll(in: tx) { $0.set(\.name, to: "e") }, 1)
                try expectEqual(try tx.count(Shelf.where { $0.name == "d" }), 0)
                try expectEqual(try tx.count(Shelf.where { $0.name == "e" }), 1)
                try expectEqual(try tx.delete(Shelf.self, 1), true)
                try expectEqual(try tx.find(Shelf.self, 1), nil)
                try expectEqual(try Shelf.deleteAll(in: tx), 1)
                try expectEqual(try tx.fetch(Shelf.all), [])
                try tx.upsert(Shelf(id: 9, name: "z"))
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 9, name: "z")])
        },
        ConformanceCase(
            "transactions.reads-own-index-writes", in: .transactions,
            "a transaction's queries over indexes see what it wrote, changed and deleted"
        ) { trial in
            try trial.write { tx in
                try tx.insert((1...20).map { Person(id: $0, country: "a", number: Int($0), isActive: true) })
                try Person.where { $0.id <= 10 }.updateAll(in: tx) { $0.set(\.age, to: 30) }
                try expectEqual(try tx.count(Person.where { $0.age == 30 }), 10)
                try expectEqual(try tx.count(Person.where { $0.age == nil }), 10)
                try Person.where { $0.age == 30 }.limit(4).deleteAll(in: tx)
                try expectEqual(try tx.fetch(Person.where { $0.age == 30 }).map(\.id), [5, 6, 7, 8, 9, 10])
                try expectEqual(try tx.fetch(Person.sorted(by: \.age, .descending).limit(2)).map(\.id), [10, 9])
            }
            try expectEqual(try trial.read { try $0.count(Person.where { $0.age == 30 }) }, 6)
        },
        ConformanceCase(
            "transactions.failed-statement-changes-nothing", in: .transactions,
            "a statement that fails leaves the transaction as it was, and it goes on"
        ) { trial in
            try trial.insert((1...3).map { Shelf(id: $0) })
            try trial.write { tx in
                try tx.insert(Person(id: 1, email: "a", country: "x", number: 1))
                try tx.insert(Person(id: 2, email: "b", country: "x", number: 2))
                try expectError(.uniqueness, entity: "Person", attributes: ["id"]) { try tx.insert(Person(id: 1)) }
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try tx.insert(Person(id: 3, email: "a"))
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try tx.update(Person(id: 2, email: "a", country: "x", number: 2))
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try tx.upsert(Person(id: 4, country: "x", number: 2))
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try Person.all.updateAll(in: tx) { $0.set(\.number, to: 9) }
                }
                try expectError(.recordNotFound, entity: "Person", attributes: ["id"]) { try tx.update(Person(id: 5)) }
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try tx.insert(Box(id: 1, shelf: Ref(99)))
                }
                try tx.insert(Box(id: 2, shelf: Ref(1)))
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) { try tx.delete(Shelf.self, 1) }
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) { try Shelf.deleteAll(in: tx) }
                try tx.insert(Person(id: 6, email: "c", country: "x", number: 6))
            }
            try expectEqual(
                try trial.fetch(Person.all),
                [
                    Person(id: 1, email: "a", country: "x", number: 1),
                    Person(id: 2, email: "b", country: "x", number: 2),
                    Person(id: 6, email: "c", country: "x", number: 6),
                ])
            try expectEqual(try trial.keys(Box.all), [2])
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3])
        },
        ConformanceCase(
            "transactions.failed-batch-changes-nothing", in: .transactions,
            "a batch of which one record fails leaves no record of it"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Shelf(id: 5, name: "five"))
                try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                    try tx.insert([Shelf(id: 1), Shelf(id: 2), Shelf(id: 5), Shelf(id: 6)])
                }
                try expectEqual(try tx.fetch(Shelf.all), [Shelf(id: 5, name: "five")])
                try expectError(.recordNotFound, entity: "Shelf", attributes: ["id"]) {
                    try tx.update([Shelf(id: 5, name: "six"), Shelf(id: 7)])
                }
                try expectEqual(try tx.fetch(Shelf.all), [Shelf(id: 5, name: "five")])
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try tx.insert([Box(id: 1, shelf: Ref(5)), Box(id: 2, shelf: Ref(8))])
                }
                try expectEqual(try tx.count(Box.all), 0)
                try tx.insert([Box(id: 1, shelf: Ref(5), outer: Ref(2)), Box(id: 2, shelf: Ref(5), outer: Ref(1))])
            }
            try expectEqual(try trial.keys(Shelf.all), [5])
            try expectEqual(try trial.keys(Box.all), [1, 2])
        },
        ConformanceCase(
            "transactions.error-caught-inside", in: .transactions,
            "an error of a statement that the closure catches does not undo what was before"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Shelf(id: 1))
                for _ in 0..<50 { _ = try? tx.insert(Shelf(id: 1)) }
                try tx.insert(Shelf(id: 2))
            }
            try expectEqual(try trial.keys(Shelf.all), [1, 2])
        },
        ConformanceCase(
            "transactions.error-let-through", in: .transactions,
            "an error of a statement that the closure lets through undoes the whole write"
        ) { trial in
            try seedShelves(trial)
            try expectError(.uniqueness, entity: "Shelf") {
                try trial.write { tx in
                    try tx.insert(Shelf(id: 8))
                    try tx.insert(Shelf(id: 1))
                }
            }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.empty-write", in: .transactions, "a write that does nothing is no commit"
        ) { trial in
            try seedShelves(trial)
            let before = try trial.read { $0.transactionNumber }
            try trial.write { _ in }
            try trial.write { tx in _ = try tx.fetch(Shelf.all) }
            try expectEqual(try trial.read { $0.transactionNumber }, before)
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.many-rollbacks", in: .transactions, "a store is as good as new after a hundred rollbacks"
        ) { trial in
            try seedShelves(trial)
            for number in 0..<100 {
                try expectAbandoned(number) {
                    try trial.write { tx in
                        try changeEverything(tx)
                        throw Abandon(number)
                    }
                }
            }
            try expectUnchanged(trial)
            try trial.insert([Shelf(id: 100, name: "x")])
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3, 100])
        },
    ] + transactionsNumberCases + transactionsSavepointCases + transactionsLifetimeCases + transactionsNestingCases
}
