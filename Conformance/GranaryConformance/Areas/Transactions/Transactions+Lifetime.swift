import ConformanceKit
import GranaryCore

var transactionsLifetimeCases: [ConformanceCase] {
    [
        ConformanceCase(
            "transactions.used-after-commit", in: .transactions, "a transaction used after its closure throws closed",
            modes: [.fresh]
        ) { trial in
            var kept: Transaction?
            try trial.write { tx in
                try tx.insert(Shelf(id: 1))
                kept = tx
            }
            try expectEnded(kept)
            try expectEqual(try trial.keys(Shelf.all), [1])
        },
        ConformanceCase(
            "transactions.used-after-rollback", in: .transactions,
            "a transaction used after its closure threw throws closed", modes: [.fresh]
        ) { trial in
            var kept: Transaction?
            try expectAbandoned {
                try trial.write { tx in
                    try tx.insert(Shelf(id: 1))
                    kept = tx
                    throw Abandon()
                }
            }
            try expectEnded(kept)
            try expectEqual(try trial.keys(Shelf.all), [])
        },
        ConformanceCase(
            "transactions.snapshot-used-after", in: .transactions, "a snapshot used after its closure throws closed",
            modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            var kept: Snapshot?
            try trial.read { snapshot in
                _ = try snapshot.count(Shelf.all)
                kept = snapshot
            }
            let snapshot = try present(kept)
            try expectError(.closed) { try snapshot.find(Shelf.self, 1) }
            try expectError(.closed) { try snapshot.fetch(Shelf.all) }
            try expectError(.closed) { try Shelf.all.cursor(in: snapshot) }
            try expectError(.closed) { try snapshot.count(Shelf.all) }
            try expectError(.closed) { try Shelf.all.explain(in: snapshot) }
        },
        ConformanceCase(
            "transactions.cursor-used-after", in: .transactions,
            "a cursor used after the closure of its read or write throws closed", modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            var kept: RequestCursor<Shelf, Shelf>?
            try trial.read { snapshot in
                kept = try Shelf.all.cursor(in: snapshot)
                try expectEqual(try kept?.next()?.id, 1)
            }
            try expectError(.closed) { try present(kept).next() }
            try trial.write { tx in
                kept = try Shelf.all.cursor(in: tx)
                try expectEqual(try kept?.next()?.id, 1)
            }
            try expectError(.closed) { try present(kept).next() }
        },
        ConformanceCase(
            "transactions.cursor-after-write", in: .transactions,
            "a cursor stepped after its transaction has written throws cursorInvalidated", modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let writes: [(Transaction) throws -> Void] = [
                { try $0.insert(Shelf(id: 30)) },
                { try $0.update(Shelf(id: 1, name: "z")) },
                { _ = try $0.delete(Shelf.self, 30) },
                { _ = try Shelf.all.updateAll(in: $0) { $0.set(\.name, to: "q") } },
                { _ = try Shelf.where { $0.id == 3 }.deleteAll(in: $0) },
            ]
            for (number, write) in writes.enumerated() {
                try trial.write { tx in
                    let cursor = try Shelf.all.cursor(in: tx)
                    try expect(try cursor.next() != nil, "no record before write \(number)")
                    try write(tx)
                    try expectError(.cursorInvalidated) { try cursor.next() }
                    // Another is good.
                    try expect(try Shelf.all.cursor(in: tx).next() != nil, "no record after write \(number)")
                }
            }
        },
        ConformanceCase(
            "transactions.several-cursors", in: .transactions,
            "several cursors of one snapshot or transaction are stepped in turn", modes: [.fresh]
        ) { trial in
            try trial.insert((1...50).map { Shelf(id: $0, name: "\($0 % 7)") })
            func check(_ context: ReadContext) throws {
                let first = try Shelf.all.cursor(in: context)
                let second = try Shelf.sorted(by: \.id, .descending).cursor(in: context)
                for number in Int64(1)...50 {
                    try expectEqual(try first.next()?.id, number)
                    try expectEqual(try second.next()?.id, 51 - number)
                    try expectEqual(try context.find(Shelf.self, number)?.id, number)
                    try expectEqual(try context.count(Shelf.where { $0.id <= number }), Int(number))
                }
                for _ in 0..<3 {
                    try expectEqual(try first.next()?.id, nil)
                    try expectEqual(try second.next()?.id, nil)
                }
            }
            try trial.read(check)
            try trial.write(check)
        },
    ]
}

/// Each verb of a transaction that has ended throws `closed`.
private func expectEnded(_ kept: Transaction?) throws {
    let tx = try present(kept)
    try expectError(.closed) { try tx.find(Shelf.self, 1) }
    try expectError(.closed) { try tx.fetch(Shelf.all) }
    try expectError(.closed) { try Shelf.all.cursor(in: tx) }
    try expectError(.closed) { try tx.count(Shelf.all) }
    try expectError(.closed) { try tx.insert(Shelf(id: 2)) }
    try expectError(.closed) { try tx.insert([Shelf(id: 2)]) }
    try expectError(.closed) { try tx.update(Shelf(id: 1)) }
    try expectError(.closed) { try tx.upsert(Shelf(id: 1)) }
    try expectError(.closed) { try tx.delete(Shelf.self, 1) }
    try expectError(.closed) { try Shelf.all.updateAll(in: tx) { $0.set(\.name, to: "x") } }
    try expectError(.closed) { try Shelf.deleteAll(in: tx) }
    try expectError(.closed) { try tx.savepoint {} }
}
