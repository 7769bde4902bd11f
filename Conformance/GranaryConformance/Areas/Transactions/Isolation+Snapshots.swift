import ConformanceKit
import GranaryCore

var isolationSnapshotCases: [ConformanceCase] {
    [
        ConformanceCase(
            "isolation.snapshot-over-1000-commits", in: .isolation,
            "a snapshot reads the same records, orders and counts while a thousand commits change them all",
            modes: [.fresh]
        ) { trial in
            try trial.insert((1...30).map { person($0, generation: 0) })
            let stack = try trial.stack
            try trial.read { snapshot in
                let before = try view(snapshot)
                let cursor = try Person.sorted(by: \.rating, .descending).cursor(in: snapshot)
                for generation in 1...1000 {
                    try stack.blocking.write { tx in
                        let key = Int64(generation % 30 + 1)
                        switch generation % 4 {
                        case 0: _ = try tx.delete(Person.self, key)
                        case 1: try tx.upsert(person(key, generation: generation))
                        case 2: _ = try Person.where { $0.id >= 20 }.updateAll(in: tx) { $0.set(\.rating, to: 0.5) }
                        default: try tx.upsert(person(1000 + key, generation: generation))
                        }
                    }
                    if generation % 40 == 0 {
                        try expectEqual(try cursor.next()?.id, Int64(31 - generation / 40), "cursor at \(generation)")
                    }
                    if generation % 100 == 0 { try expectEqual(try view(snapshot), before, "after \(generation)") }
                }
                try expectEqual(try cursor.next()?.id, 5)
            }
            try trial.read { try expect(try view($0).people.contains { $0.id > 1000 }, "the commits are not there") }
        },
        ConformanceCase(
            "isolation.snapshot-of-deleted", in: .isolation,
            "a snapshot still has records, and a cursor still steps to them, when all have been deleted",
            modes: [.fresh]
        ) { trial in
            try trial.insert((1...500).map { Shelf(id: $0, name: String(repeating: "x", count: 500)) })
            let stack = try trial.stack
            try trial.read { snapshot in
                let cursor = try Shelf.all.cursor(in: snapshot)
                try expectEqual(try cursor.next()?.id, 1)
                try stack.blocking.write { tx in
                    try expectEqual(try Shelf.deleteAll(in: tx), 500)
                    try tx.insert((1...500).map { Shelf(id: $0 + 1000, name: "new") })
                }
                for key in Int64(2)...500 {
                    let shelf = try cursor.next()
                    try expectEqual(shelf?.id, key)
                    try expectEqual(shelf?.name.utf8.count, 500)
                }
                try expectEqual(try cursor.next()?.id, nil)
                try expectEqual(try snapshot.count(Shelf.all), 500)
                try expectEqual(try snapshot.find(Shelf.self, 250)?.name.utf8.count, 500)
                try expectEqual(try snapshot.find(Shelf.self, 1250), nil)
            }
            try expectEqual(
                try stack.blocking.read {
                    try $0.fetch(Shelf.all.limit(1))
                }, [Shelf(id: 1001, name: "new")])
        },
        ConformanceCase(
            "isolation.many-snapshots", in: .isolation, "each of many snapshots open at once keeps its own state",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            func descend(_ depth: Int) throws {
                if depth == 20 { return }
                try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: Int64(depth))) }
                try stack.blocking.read { snapshot in
                    try descend(depth + 1)
                    try expectEqual(try snapshot.count(Shelf.all), depth + 1)
                    try expectEqual(try snapshot.fetch(Shelf.sorted(by: \.id, .descending)).first?.id, Int64(depth))
                }
            }
            try descend(0)
        },
        ConformanceCase(
            "isolation.real-time", in: .isolation,
            "a snapshot begun after a commit has returned sees it, from this stack and from another", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            for number in 1...50 {
                let (writer, reader) = number.isMultiple(of: 2) ? (first, second) : (second, first)
                try writer.blocking.write { try rename($0, 1, "\(number)") }
                try expectEqual(try shelfNames(reader).first, "\(number)")
                try expectEqual(try shelfNames(writer).first, "\(number)")
                try expectEqual(
                    try reader.blocking.read {
                        $0.transactionNumber
                    }, try writer.blocking.read { $0.transactionNumber },
                    "the numbers of the last commit")
            }
        },
        ConformanceCase(
            "isolation.monotonic-reads", in: .isolation,
            "snapshots of one reader never go back, while another writes", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try first.blocking.write { try rename($0, 1, "0") }
            let writer = Worker("the writer") {
                for number in 1...300 { try first.blocking.write { try rename($0, 1, "\(number)") } }
            }
            // More threads than processors, as a reader that has to wait for one while it begins shows most.
            let readers = (1...4).map { _ in
                Worker("a reader") {
                    var last = (value: 0, number: UInt64(0))
                    while !writer.isDone {
                        let seen = try second.blocking.read { (Int(try shelfName($0, 1)) ?? -1, $0.transactionNumber) }
                        try expect(seen.0 >= last.value, "saw \(seen.0) after \(last.value)")
                        try expect(seen.1 >= last.number, "saw commit \(seen.1) after \(last.number)")
                        last = seen
                    }
                }
            }
            try writer.value()
            for reader in readers { try reader.value() }
            try expectEqual(try shelfNames(second).first, "300")
        },
        ConformanceCase(
            "isolation.savepoint-invisible", in: .isolation,
            "readers see nothing of a savepoint, neither kept nor abandoned, before the commit", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try first.blocking.write { tx in
                try tx.savepoint { try rename(tx, 1, "kept") }
                try expectEqual(try shelfNames(second), ["10", "20"])
                try expectAbandoned {
                    try tx.savepoint {
                        try rename(tx, 2, "abandoned")
                        try expectEqual(try shelfNames(second), ["10", "20"])
                        throw Abandon()
                    }
                }
                try expectEqual(try shelfNames(second), ["10", "20"])
            }
            try expectEqual(try shelfNames(second), ["kept", "20"])
        },
    ]
}

private func person(_ key: Int64, generation: Int) -> Person {
    Person(
        id: key, lastName: "\(key % 5)", email: "\(key)-\(generation)", age: Int(key), rating: Double(key),
        country: "\(generation)", number: Int(key))
}

/// What a snapshot holds, asked in several ways.
private struct View: Equatable {
    var people: [Person]
    var byName: [Int64]
    var byAge: [Int64]
    var count: Int
    var number: UInt64
}

private func view(_ snapshot: Snapshot) throws -> View {
    View(
        people: try snapshot.fetch(Person.all),
        byName: try snapshot.fetch(Person.sorted(by: \.lastName).sorted(by: \.firstName)).map(\.id),
        byAge: try snapshot.fetch(Person.where { $0.age >= 10 }.sorted(by: \.age, .descending)).map(\.id),
        count: try snapshot.count(Person.where { $0.country == "0" }), number: snapshot.transactionNumber)
}
