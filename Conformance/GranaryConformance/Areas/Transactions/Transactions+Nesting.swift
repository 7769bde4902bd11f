import ConformanceKit
import GranaryCore

var transactionsNestingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "transactions.write-in-write", in: .transactions,
            "a write inside a write throws reentrantWrite, and the outer one goes on", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.write { tx in
                try tx.insert(Shelf(id: 1))
                try expectError(.reentrantWrite) { try stack.blocking.write { try $0.insert(Shelf(id: 2)) } }
                try tx.insert(Shelf(id: 3))
            }
            try expectEqual(try trial.keys(Shelf.all), [1, 3])
            // Not so after it.
            try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: 4)) }
            try expectEqual(try trial.keys(Shelf.all), [1, 3, 4])
        },
        ConformanceCase(
            "transactions.read-in-write", in: .transactions,
            "a read inside a write sees the last committed state", modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let stack = try trial.stack
            try trial.write { tx in
                try changeEverything(tx)
                try stack.blocking.read { try expectUnchanged($0) }
            }
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
        },
        ConformanceCase(
            "transactions.write-in-read", in: .transactions,
            "a write inside a read is committed, and that read does not see it", modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let stack = try trial.stack
            try trial.read { snapshot in
                try stack.blocking.write { tx in try changeEverything(tx) }
                try expectUnchanged(snapshot)
                try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
            }
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
        },
        ConformanceCase(
            "transactions.read-in-read", in: .transactions, "a read inside a read has its own, newer, state",
            modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let stack = try trial.stack
            try trial.read { outer in
                try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: 9)) }
                try stack.blocking.read { inner in
                    try expectEqual(try inner.count(Shelf.all), 4)
                    try expectEqual(try outer.count(Shelf.all), 3)
                    try expect(inner.transactionNumber > outer.transactionNumber, "the inner read is not newer")
                }
                try expectUnchanged(outer)
            }
        },
        ConformanceCase(
            "transactions.close-inside", in: .transactions,
            "close inside a read or a write throws busy, and the stack goes on", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.write { tx in
                try tx.insert(Shelf(id: 1))
                try expectError(.busy) { try stack.blocking.close() }
            }
            try trial.read { snapshot in
                try expectError(.busy) { try stack.blocking.close() }
                try expectEqual(try snapshot.count(Shelf.all), 1)
            }
            try expectEqual(try trial.keys(Shelf.all), [1])
        },
    ]
}
