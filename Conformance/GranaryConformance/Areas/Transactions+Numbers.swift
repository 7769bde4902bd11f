import GranaryCore

let transactionsNumberCases: [ConformanceCase] = [
    ConformanceCase(
        "transactions.number-grows", in: .transactions, "each commit that changes something is numbered one higher"
    ) { trial in
        let start = try trial.read { $0.transactionNumber }
        let steps: [(Transaction) throws -> Void] = [
            { try $0.insert(Shelf(id: 1)) },
            { try $0.insert([Shelf(id: 2), Shelf(id: 3), Shelf(id: 4)]) },
            { try $0.update(Shelf(id: 1, name: "x")) },
            { try $0.upsert(Shelf(id: 5)) },
            { _ = try $0.updateAll(Shelf.all) { $0.set(\.name, to: "y") } },
            { _ = try $0.delete(Shelf.self, 1) },
            { tx in try tx.savepoint { _ = try tx.insert(Person(id: 1)) } },
            { _ = try $0.deleteAll(Shelf.self) },
        ]
        for (number, step) in steps.enumerated() {
            try trial.write(step)
            try expectEqual(try trial.read { $0.transactionNumber }, start + UInt64(number) + 1, "step \(number)")
        }
    },
    ConformanceCase(
        "transactions.number-stays", in: .transactions, "what changes nothing is not numbered"
    ) { trial in
        try seedShelves(trial)
        let before = try trial.read { $0.transactionNumber }
        let steps: [(Transaction) throws -> Void] = [
            { _ in },
            { _ = try $0.fetch(Shelf.all) },
            { _ = try $0.delete(Shelf.self, 99) },
            { _ = try $0.deleteAll(Shelf.where { $0.id > 99 }) },
            { _ = try $0.updateAll(Shelf.where { $0.id > 99 }) { $0.set(\.name, to: "x") } },
            { tx in _ = try? tx.insert(Shelf(id: 1)) },
            { tx in _ = try? tx.update(Shelf(id: 99)) },
            { tx in try tx.savepoint {} },
            { _ in throw Abandon() },
            { tx in
                try tx.insert(Shelf(id: 50))
                throw Abandon()
            },
        ]
        for (number, step) in steps.enumerated() {
            do { try trial.write(step) } catch is Abandon {}
            try expectEqual(try trial.read { $0.transactionNumber }, before, "step \(number)")
        }
        try expectUnchanged(trial)
    },
    ConformanceCase(
        "transactions.number-inside", in: .transactions, "a transaction bears the number of the commit before it"
    ) { trial in
        try seedShelves(trial)
        let before = try trial.read { $0.transactionNumber }
        try trial.write { tx in
            try expectEqual(tx.transactionNumber, before)
            try tx.insert(Shelf(id: 4))
            try expectEqual(tx.transactionNumber, before)
        }
        try expectEqual(try trial.write { $0.transactionNumber }, before + 1)
    },
]
