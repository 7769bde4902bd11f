import ConformanceKit
import GranaryCore

private func names(_ snapshot: Snapshot) throws -> [String] { try snapshot.fetch(Shelf.all).map(\.name) }

var keptSnapshotCases: [ConformanceCase] {
    [
        ConformanceCase(
            "isolation.kept", in: .isolation, "a kept snapshot shows its state until it is closed", modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "a")])
            let stack = try trial.stack
            let first = try stack.keepSnapshot()
            try trial.insert([Shelf(id: 2, name: "b")])
            let second = try stack.keepSnapshot()
            try trial.write { _ = try Shelf.deleteAll(in: $0) }
            for _ in 0..<2 {
                try expectEqual(try first.blocking.read(names), ["a"])
                try expectEqual(try second.blocking.read(names), ["a", "b"])
            }
            try expectEqual(second.transactionNumber, first.transactionNumber + 1)
            // Others can be written to within a read, which does not see it.
            try second.blocking.read { snapshot in
                try trial.insert([Shelf(id: 3, name: "c")])
                try expectEqual(try names(snapshot), ["a", "b"])
            }
            try expectEqual(try stack.blocking.read(names), ["c"])
            try first.close()
            try first.close()
            try expectError(.closed) { try first.blocking.read(names) }
            try expectEqual(try second.blocking.read(names), ["a", "b"])
        },
        ConformanceCase(
            "isolation.kept-threads", in: .isolation, "a kept snapshot is read by several threads, one at a time",
            modes: [.fresh]
        ) { trial in
            try trial.insert((1...50).map { Shelf(id: $0, name: "\($0)") })
            let stack = try trial.stack
            let kept = try stack.keepSnapshot()
            let expected = (1...50).map(String.init)
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<20 {
                    group.addTask { try await kept.read { try names($0) } }
                    group.addTask {
                        try await stack.write { _ = try Shelf.deleteAll(in: $0) }
                        return expected
                    }
                }
                for try await found in group { try expectEqual(found, expected) }
            }
        },
        ConformanceCase(
            "isolation.kept-misused", in: .isolation, "a kept snapshot is not read inside itself, nor after its stack",
            modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "a")])
            let stack = try trial.stack
            let kept = try stack.keepSnapshot()
            try kept.blocking.read { snapshot in
                try expectError(.busy) { try kept.blocking.read(names) }
                try expectError(.busy) { try kept.close() }
                try expectError(.busy) { try stack.blocking.close() }
                try expectEqual(try names(snapshot), ["a"])
            }
            var leaked: Snapshot?
            try kept.blocking.read { leaked = $0 }
            // One that nothing holds does not keep the stack from closing.
            _ = try stack.keepSnapshot()
            try trial.close()
            try expectError(.closed) { try kept.blocking.read(names) }
            try expectError(.closed) { try leaked.map { try names($0) } ?? [] }
            try kept.close()
            try expectError(.closed) { try stack.keepSnapshot() }
        },
        ConformanceCase(
            "isolation.kept-reset", in: .isolation,
            "a kept snapshot shows its state after a reset, unless that cancels reads",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "a")])
            let stack = try trial.stack
            let first = try stack.keepSnapshot()
            try await stack.reset(to: .empty)
            try expectEqual(try first.blocking.read(names), ["a"])
            try trial.insert([Shelf(id: 2, name: "b")])
            let second = try stack.keepSnapshot()
            try await stack.reset(to: .empty, reads: .cancel)
            try expectError(.cancelled) { try first.blocking.read(names) }
            try expectError(.cancelled) { try second.blocking.read(names) }
            try first.close()
            try second.close()
            let third = try stack.keepSnapshot()
            try expectEqual(try third.blocking.read(names), [])
        },
    ]
}
