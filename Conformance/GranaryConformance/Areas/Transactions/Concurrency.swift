import ConformanceKit
import GranaryCore

var concurrencyCases: [ConformanceCase] {
    [
        ConformanceCase(
            "concurrency.readers-while-writing", in: .concurrency,
            "many readers each see whole commits while one writes", modes: [.fresh]
        ) { trial in
            // Each commit gives all records the same name.
            try trial.insert((1...50).map { Shelf(id: $0, name: "0") })
            let stack = try trial.stack
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1...100 {
                        try await stack.write { tx in
                            _ = try Shelf.all.updateAll(in: tx) { $0.set(\.name, to: "\(number)") }
                        }
                    }
                }
                for _ in 0..<8 {
                    group.addTask {
                        var last = 0
                        while last < 100 {
                            let names = try await stack.read { try $0.fetch(Shelf.all).map(\.name) }
                            try expectEqual(names.count, 50)
                            try expect(Set(names).count == 1, "a mix of \(Set(names))")
                            let number = Int(names[0]) ?? -1
                            try expect(number >= last, "saw \(number) after \(last)")
                            last = number
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
        ConformanceCase(
            "concurrency.never-back", in: .concurrency,
            "a read sees what a read of another thread has seen before it began", modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "0")])
            let stack = try trial.stack
            let seen = Journal<Int>()
            seen.add(0)
            let readers = (0..<4).map { reader in
                Worker("reader \(reader)") {
                    var last = 0
                    while last < 300 {
                        let before = seen.entries.max() ?? 0
                        let name = try stack.blocking.read { try $0.find(Shelf.self, 1)?.name }
                        last = Int(name ?? "") ?? -1
                        try expect(last >= before, "saw \(last) after a read of another thread had seen \(before)")
                        if last > before { seen.add(last) }
                    }
                }
            }
            for number in 1...300 {
                try stack.blocking.write { try $0.update(Shelf(id: 1, name: "\(number)")) }
            }
            for reader in readers { try reader.value() }
        },
        ConformanceCase(
            "concurrency.main-actor", in: .concurrency, "closures of the main actor read and write where it runs",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let names = try await writeOnMainActor(stack)
            try expectEqual(names, ["1", "2", "3"])
        },
        ConformanceCase(
            "concurrency.reads-at-once", in: .concurrency, "four reads run at once, and a write beside them",
            modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let stack = try trial.stack
            let begun = (0..<4).map { Event("the begin of read \($0)") }
            let written = Event("the write beside the reads")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for event in begun {
                    group.addTask {
                        try await stack.read { snapshot in
                            try expectUnchanged(snapshot)
                            event.set()
                            // None goes on before all have begun and the write has returned.
                            for other in begun { try other.wait() }
                            try written.wait()
                            try expectUnchanged(snapshot)
                        }
                    }
                }
                let writer = Worker("the write beside the reads") {
                    for event in begun { try event.wait() }
                    try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: 99)) }
                    written.set()
                }
                try await group.waitForAll()
                try writer.value()
            }
            try expectEqual(try trial.read { try $0.count(Shelf.all) }, 4)
        },
        ConformanceCase(
            "concurrency.writes-in-order", in: .concurrency, "writes run in the order in which they were asked for",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let (isFirst, release) = (Event("the first write's begin"), Event("the release of the first write"))
            let order = Journal<Int>()
            let first = Worker("the first write") {
                try stack.blocking.write { _ in
                    isFirst.set()
                    try release.wait()
                }
            }
            try isFirst.wait()
            // Each task asks before the next is made: it runs on this actor up to its first suspension, which is in `write`.
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<20 {
                tasks.append(
                    Task.immediate {
                        try await stack.write { tx in
                            order.add(number)
                            try tx.insert(Shelf(id: Int64(number)))
                        }
                    })
            }
            release.set()
            try first.value()
            for task in tasks { try await task.value }
            try expectEqual(order.entries, Array(0..<20))
            try expectEqual(try trial.keys(Shelf.all), (0..<20).map(Int64.init))
        },
        ConformanceCase(
            "concurrency.async-forms", in: .concurrency,
            "the async forms return values, throw the closure's error and see each other's work", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let shelf = try await stack.write { try $0.insert(Shelf(id: 1, name: "a")) }
            try expectEqual(shelf, Shelf(id: 1, name: "a"))
            let read = try await stack.read { try $0.fetch(Shelf.all) }
            try expectEqual(read, [shelf])
            do {
                try await stack.write { tx in
                    _ = try tx.delete(Shelf.self, 1)
                    throw Abandon(4)
                }
                throw ConformanceFailure(message: "the error did not come out", file: #fileID, line: #line)
            } catch let abandon as Abandon {
                try expectEqual(abandon.number, 4)
            }
            do {
                _ = try await stack.write { try $0.insert(Shelf(id: 1)) }
                throw ConformanceFailure(message: "the same key was taken twice", file: #fileID, line: #line)
            } catch let error as GranaryError {
                try expectEqual(error.code, .uniqueness)
            }
            try expectEqual(try shelves(stack), [shelf])
        },
        ConformanceCase(
            "concurrency.increments", in: .concurrency, "eight tasks that add one fifty times make four hundred"
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "0")])
            let stack = try trial.stack
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<50 {
                            try await stack.write { tx in
                                try rename(tx, 1, "\((Int(try shelfName(tx, 1)) ?? -9999) + 1)")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(try trial.find(Shelf.self, 1)?.name, "400")
        },
        ConformanceCase(
            "concurrency.assigned-keys", in: .concurrency, "no two tasks are given the same assigned key"
        ) { trial in
            let stack = try trial.stack
            let keys = try await withThrowingTaskGroup(of: [Int64].self) { group in
                for number in 0..<4 {
                    group.addTask {
                        var keys: [Int64] = []
                        for step in 0..<25 {
                            keys.append(
                                try await stack.write { try $0.insert(Counter(label: "\(number).\(step)")).id })
                        }
                        return keys
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expectEqual(Set(keys).count, 100, "different keys")
            try expectEqual(try trial.keys(Counter.all), keys.sorted())
        },
        ConformanceCase(
            "concurrency.find-or-create", in: .concurrency,
            "of many tasks that find or create one record, one creates it"
        ) { trial in
            let stack = try trial.stack
            let made = Journal<Int>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        _ = try await stack.write { tx in
                            try Counter.where { $0.label == "one" }.findOrCreate(in: tx) {
                                made.add(number)
                                return Counter(label: "one")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(made.entries.count, 1, "how often it was made")
            try expectEqual(try trial.read { try $0.count(Counter.all) }, 1)
        },
        ConformanceCase(
            "concurrency.two-stacks-alternating", in: .concurrency,
            "two stacks on one store write in turn, and each sees all", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            for number in Int64(3)...60 {
                let stack = number.isMultiple(of: 2) ? first : second
                try stack.blocking.write { tx in
                    try expectEqual(try tx.count(Shelf.all), Int(number) - 1)
                    try tx.insert(Shelf(id: number))
                }
            }
            try expectEqual(try first.blocking.read { try $0.count(Shelf.all) }, 60)
            try expectEqual(try second.blocking.read { try $0.count(Shelf.all) }, 60)
        },
        ConformanceCase(
            "concurrency.two-stacks-at-once", in: .concurrency,
            "tasks that write through two stacks on one store lose nothing", modes: [.fresh]
        ) { trial in
            let (first, second) = try twoStacks(trial)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let stack = number.isMultiple(of: 2) ? first : second
                        for step in 0..<25 {
                            _ = try await stack.write { tx in
                                try tx.insert(Shelf(id: Int64(100 + number * 100 + step)))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(try shelves(first).count, 102)
            try expectEqual(try shelves(second), try shelves(first))
        },
    ] + concurrencyCancellationCases + concurrencyClosingCases
}

/// Code of the main actor, closures inside closures, traps on any other thread.
@MainActor private func writeOnMainActor(_ stack: Stack) throws -> [String] {
    var written: [Int64] = []
    try stack.blocking.write { tx in
        try tx.insert((1...3).map { Shelf(id: $0, name: "\($0)") })
        written += (1...3).map { $0 }
        try tx.savepoint { _ = try Shelf.where { shelf in written.map { shelf.id == $0 + 10 }[0] }.deleteAll(in: tx) }
    }
    return try stack.blocking.read { snapshot in
        try written.map { key in try snapshot.find(Shelf.self, key).map { shelf in shelf.name } ?? "" }
    }
}
