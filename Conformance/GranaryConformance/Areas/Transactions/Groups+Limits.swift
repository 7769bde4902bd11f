import ConformanceKit
import Foundation
import GranaryCore

// The limits of writes that are committed together, and writes whose commit is not waited for.

var groupLimitsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "concurrency.group-limits", in: .concurrency, "a group that nothing could be in is refused", modes: [.fresh]
        ) { trial in
            let provider = trial.subject.storeProvider(at: trial.storePath)
            for groups in [
                GroupCommit(writes: 0), GroupCommit(writes: -1), GroupCommit(writes: 5, within: .seconds(-1)),
            ] {
                try expectError(.limit) { try Stack(SuiteSchema.standard, store: provider, groupCommit: groups) }
                try await expectAsyncError(.limit) {
                    _ = try await Stack(SuiteSchema.standard, store: provider, groupCommit: groups)
                }
            }
            // A group that ends at once, and one of any size.
            for groups in [GroupCommit(writes: 5, within: .zero), GroupCommit(writes: .max, within: .seconds(1 << 40))]
            {
                let stack = try await Stack(SuiteSchema.standard, store: provider, groupCommit: groups)
                let outcomes = try await together(
                    stack, on: trial, (0..<10).map { number in { _ = try $0.insert(Counter(label: "\(number)")) } })
                try expectEqual(codes(outcomes), Array(repeating: nil, count: 10))
                try stack.blocking.write { _ = try Counter.all.deleteAll(in: $0) }
                try stack.blocking.close()
            }
        },
        ConformanceCase(
            "concurrency.group-savepoints", in: .concurrency,
            "savepoints nest as deep in a write that waited as in one alone", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let limit = stack.capabilities.limits.savepointDepth
            @Sendable func nest(_ tx: Transaction, _ depth: Int) throws {
                if depth == 0 { return _ = try tx.insert(Counter(label: "deep")) }
                try tx.savepoint { try nest(tx, depth - 1) }
            }
            let outcomes = try await together(
                stack, on: trial,
                [{ try nest($0, limit) }, { try nest($0, limit + 1) }, { _ = try $0.insert(Counter(label: "b")) }])
            try expectEqual(codes(outcomes), [nil, .limit, nil])
            try expectEqual(try trial.fetch(Counter.all).map(\.label), ["deep", "b"])
        },
        ConformanceCase(
            "concurrency.group-closing", in: .concurrency, "closing waits for all writes that wait for each other",
            modes: [.fresh]
        ) { trial in
            // Open as long as the case runs, as a store in memory may go with its last stack.
            _ = try trial.stack
            let stack = try trial.another()
            let closing = Journal<String>()
            let first = try await HeldWrite(stack, on: trial)
            let others = (0..<10).map { number in
                Task.immediate {
                    let counter = try await stack.write { try $0.insert(Counter(label: "\(number)")) }
                    closing.add("written")
                    return counter
                }
            }
            let closed = Worker("the close") {
                try stack.blocking.close()
                closing.add("closed")
            }
            // Refused from now on.
            try waitUntil("the stack closes") { (try? stack.blocking.read { _ in }) == nil }
            try await expectAsyncError(.closed) { _ = try await stack.write { _ in } }
            first.letGo()
            try await first.value()
            for other in others { _ = try await other.value }
            try closed.value()
            try expectEqual(Set(closing.entries), ["written", "closed"])
            try expectEqual(try trial.fetch(Counter.all).count, 10)
        },
        ConformanceCase(
            "concurrency.group-many", in: .concurrency, "a hundred thousand writes wait, and all are made",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let first = try await HeldWrite(stack, on: trial)
            let others = (1...100_000).map { number in
                Task.immediate { try await stack.write { _ = try $0.insert(Shelf(id: Int64(number))) } }
            }
            first.letGo()
            try await first.value()
            for other in others { try await other.value }
            try expectEqual(try trial.read { try $0.count(Shelf.all) }, 100_000)
        },
        ConformanceCase(
            "concurrency.group-large-failing", in: .concurrency,
            "one write that throws after a hundred thousand inserts leaves the others of its group", isHeavy: true
        ) { trial in
            let outcomes = try await together(
                trial.stack, on: trial,
                [
                    { _ = try $0.insert(Shelf(id: -1)) },
                    { tx in
                        for number in 1...100_000 { try tx.insert(Shelf(id: Int64(number), name: "a text")) }
                        throw Abandon()
                    },
                    { _ = try $0.insert(Shelf(id: -2)) },
                ])
            try expectEqual(codes(outcomes).map { $0?.rawValue }, [nil, "Abandon", nil])
            try expectEqual(try trial.keys(Shelf.all), [-2, -1])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "concurrency.relaxed", in: .concurrency,
            "writes with another durability are made in their order, and kept as others"
        ) { trial in
            let stack = try trial.stack
            let order = Journal<Int>()
            let first = try await HeldWrite(stack, on: trial, .relaxed)
            let durabilities: [Durability?] = [.relaxed, .relaxed, .full, nil, .off, .relaxed, nil, .full]
            let others = durabilities.enumerated().map { number, durability in
                Task.immediate {
                    try await stack.write(as: "\(number)", durability: durability) { tx in
                        order.add(number)
                        try tx.insert(Shelf(id: Int64(number)))
                    }
                }
            }
            first.letGo()
            try await first.value()
            for other in others { _ = try await other.value }
            try stack.blocking.write(durability: .relaxed) { _ = try $0.insert(Shelf(id: 8)) }
            try expectEqual(order.entries, Array(0..<8))
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.id) }, Array(0...8))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { try await stack.synchronize() } }
                try await group.waitForAll()
            }
            try stack.blocking.synchronize()
            try expectEqual(try trial.keys(Shelf.all), Array(0...8))
            try await trial.stack.synchronize()
        },
        ConformanceCase(
            "concurrency.synchronize-closed", in: .concurrency, "a closed stack is not synchronized", modes: [.fresh]
        ) { trial in
            let stack = try trial.another()
            try stack.blocking.close()
            try expectError(.closed) { try stack.blocking.synchronize() }
            try await expectAsyncError(.closed) { try await stack.synchronize() }
        },
    ]
}
