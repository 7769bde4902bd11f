import ConformanceKit
import GranaryCore

var transactionsSavepointCases: [ConformanceCase] {
    [
        ConformanceCase(
            "transactions.savepoint-commit", in: .transactions, "what a savepoint did is kept when it returns"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Shelf(id: 1))
                let value = try tx.savepoint {
                    try tx.insert(Shelf(id: 2))
                    return "kept"
                }
                try expectEqual(value, "kept")
                try tx.insert(Shelf(id: 3))
            }
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3])
        },
        ConformanceCase(
            "transactions.savepoint-rollback", in: .transactions,
            "a savepoint that throws undoes its own part alone, and the transaction goes on"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Shelf(id: 1, name: "outer"))
                try expectAbandoned(3) {
                    try tx.savepoint {
                        try tx.update(Shelf(id: 1, name: "inner"))
                        try tx.insert(Shelf(id: 2))
                        throw Abandon(3)
                    }
                }
                try expectEqual(try tx.fetch(Shelf.all), [Shelf(id: 1, name: "outer")])
                try tx.insert(Shelf(id: 3))
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "outer"), Shelf(id: 3)])
        },
        ConformanceCase(
            "transactions.savepoint-rollback-at-each-step", in: .transactions,
            "a savepoint abandoned after any of its statements leaves what was before it, indexes included"
        ) { trial in
            try seedShelves(trial)
            try trial.write { tx in
                for step in 0...mixedProgram.count {
                    try expectAbandoned(step) {
                        try tx.savepoint {
                            for statement in mixedProgram.prefix(step) { try statement(tx) }
                            throw Abandon(step)
                        }
                    }
                    try expectUnchanged(tx, "after step \(step)")
                }
            }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.savepoint-100-deep", in: .transactions,
            "savepoints nest a hundred deep; a rollback in the middle undoes what is inside it and keeps what is outside"
        ) { trial in
            try trial.write { tx in try nest(tx, depth: 1, to: 100, abandonAt: 0) }
            try expectEqual(try trial.keys(Shelf.all), Array(1...100))
            for depth in [1, 2, 50, 99, 100] as [Int64] {
                try trial.write { tx in
                    try Shelf.deleteAll(in: tx)
                    try nest(tx, depth: 1, to: 100, abandonAt: depth)
                }
                try expectEqual(try trial.keys(Shelf.all), Array(1..<depth), "abandoned at \(depth)")
            }
        },
        ConformanceCase(
            "transactions.savepoint-deepest", in: .transactions,
            "savepoints nest as deep as the store's limits say; one more does nothing but throw, and the transaction goes on"
        ) { trial in
            let deepest = Int64(try trial.stack.capabilities.limits.savepointDepth)
            try trial.write { tx in
                // Not by closures, which would nest as deep on the thread's stack.
                guard let writer = try tx.engine.reader() as? any StoreWriter else {
                    throw ConformanceFailure(
                        message: "the transaction's reader is not a writer", file: #fileID, line: #line)
                }
                for depth in 1...deepest {
                    try writer.beginSavepoint()
                    try tx.insert(Shelf(id: depth))
                }
                var hasRun = false
                for _ in 1...2 {
                    try expectError(.limit) { try tx.savepoint { hasRun = true } }
                }
                try expect(!hasRun, "the part of a savepoint that could not begin has run")
                try expectEqual(try tx.count(Shelf.all), Int(deepest))
                try writer.rollbackSavepoint()
                // A store may take a savepoint of its own for a statement.
                try expectEqual(try Shelf.all.updateAll(in: tx) { $0.set(\.name, to: "deep") }, Int(deepest) - 1)
                try tx.savepoint { _ = try tx.insert(Shelf(id: deepest + 1)) }
                for _ in 1..<deepest { try writer.releaseSavepoint() }
                try tx.insert(Shelf(id: deepest + 2))
            }
            try expectEqual(try trial.keys(Shelf.all), Array(1..<deepest) + [deepest + 1, deepest + 2])
        },
        ConformanceCase(
            "transactions.savepoint-first", in: .transactions,
            "a savepoint that is the first thing in a write, deletes, inserts and is abandoned loses no record"
        ) { trial in
            try trial.insert([Shelf(id: 3, name: "A")])
            for _ in 0..<5 {
                try trial.write { tx in
                    try expectAbandoned {
                        try tx.savepoint {
                            try Shelf.all.limit(2).deleteAll(in: tx)
                            try tx.insert(Shelf(id: 2, name: "b"))
                            throw Abandon()
                        }
                    }
                    try expectEqual(try tx.fetch(Shelf.all), [Shelf(id: 3, name: "A")])
                    try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                        try tx.insert(Shelf(id: 3, name: "A"))
                    }
                }
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 3, name: "A")])
        },
        ConformanceCase(
            "transactions.savepoint-rollback-outer", in: .transactions,
            "rolling back an outer savepoint undoes the inner ones that were kept"
        ) { trial in
            try seedShelves(trial)
            try trial.write { tx in
                try expectAbandoned {
                    try tx.savepoint {
                        try tx.savepoint { _ = try tx.insert(Shelf(id: 20)) }
                        try tx.savepoint { try tx.savepoint { _ = try tx.delete(Shelf.self, 3) } }
                        throw Abandon()
                    }
                }
                try expectUnchanged(tx)
            }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.savepoint-then-rollback", in: .transactions,
            "rolling back the write undoes its savepoints that were kept"
        ) { trial in
            try seedShelves(trial)
            try expectAbandoned {
                try trial.write { tx in
                    try tx.savepoint { try changeEverything(tx) }
                    throw Abandon()
                }
            }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.savepoint-many", in: .transactions,
            "a thousand savepoints one after the other, every third abandoned, leave what the others did"
        ) { trial in
            try trial.write { tx in
                for number in Int64(1)...1000 {
                    do {
                        try tx.savepoint {
                            try tx.insert(Shelf(id: number))
                            if number % 3 == 0 { throw Abandon() }
                        }
                    } catch is Abandon {}
                }
            }
            try expectEqual(try trial.keys(Shelf.all), (1...1000).filter { $0 % 3 != 0 })
        },
        ConformanceCase(
            "transactions.savepoint-failed-statement", in: .transactions,
            "a statement that fails inside a savepoint and is caught there undoes only itself"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Shelf(id: 1))
                try tx.savepoint {
                    try tx.insert(Shelf(id: 2))
                    try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) { try tx.insert(Shelf(id: 1)) }
                    try tx.insert(Shelf(id: 3))
                }
            }
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3])
        },
        ConformanceCase(
            "transactions.savepoint-frees-unique-values", in: .transactions,
            "a unique value taken in an abandoned savepoint is free again, one given up in it is taken again"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Person(id: 1, email: "a", country: "x", number: 1))
                try expectAbandoned {
                    try tx.savepoint {
                        try tx.update(Person(id: 1, email: "b", country: "x", number: 1))
                        throw Abandon()
                    }
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try tx.insert(Person(id: 2, email: "a", country: "x", number: 2))
                }
                try tx.insert(Person(id: 3, email: "b", country: "x", number: 3))
            }
            try expectEqual(try trial.fetch(Person.sorted(by: \.email)).map(\.id), [1, 3])
        },
    ]
}

/// A shelf a depth, each in a savepoint inside the one before; the savepoint of one depth is abandoned.
private func nest(_ tx: Transaction, depth: Int64, to deepest: Int64, abandonAt: Int64) throws {
    do {
        try tx.savepoint {
            try tx.insert(Shelf(id: depth))
            if depth < deepest { try nest(tx, depth: depth + 1, to: deepest, abandonAt: abandonAt) }
            if depth == abandonAt { throw Abandon() }
        }
    } catch is Abandon {}
}
