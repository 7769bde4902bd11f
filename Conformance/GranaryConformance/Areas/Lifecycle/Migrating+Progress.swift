import ConformanceKit
import GranaryCore

// Indexes that are made in place tell how far they are, and end when their task is cancelled. A plan changes nothing.

var migratingProgressCases: [ConformanceCase] {
    indexChanges.flatMap { name, change in
        [
            ConformanceCase(
                "migration.progress-\(name)", in: .migration,
                "a migration that makes an index in place tells how far it is: \(name)",
                requires: [.migration, .reopening], modes: [.fresh]
            ) { trial in
                try writeTowns(trial)
                let seen = Journal<StoreProgress>()
                let stack = try await Stack(
                    changed(by: change), store: trial.provider, onProgress: { seen.add($0) })
                defer { try? stack.blocking.close() }
                let records = seen.entries.map(\.records)
                try expectEqual(records, records.sorted())
                try expect(records.count > 1, "it is told \(records.count) times")
                try expectEqual(seen.entries.last, StoreProgress(entity: "Town", records: townCount, total: townCount))
                try expectEqual(try keys("size == 77", in: stack), [77])
                try expectEqual(try stack.blocking.verify(), [])
            },
            ConformanceCase(
                "migration.cancelled-\(name)", in: .migration,
                "a migration that is cancelled while it makes an index in place leaves the store as it was: \(name)",
                requires: [.migration, .reopening], modes: [.fresh]
            ) { trial in
                try writeTowns(trial)
                let provider = trial.provider
                let schema = changed(by: change)
                let (hasBegun, isCancelled) = (Event("the making of the index"), Event("the cancellation"))
                let task = Task(executorPreference: trial.executor) {
                    _ = try await Stack(
                        schema, store: provider,
                        onProgress: { _ in
                            guard !hasBegun.isSet else { return }
                            hasBegun.set()
                            try? isCancelled.wait()
                        })
                }
                try await hasBegun.happened()
                task.cancel()
                isCancelled.set()
                try await expectAsyncError(.cancelled, isOwnText: true) { try await task.value }
                let stack = try trial.another(Schema(entities: [town]), migration: .refuse)
                try expectEqual(try keys("size == 77", in: stack), [77])
                try expectEqual(try stack.blocking.read { try $0.count(Request("Town")) }, townCount)
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.close()
                // The next opening makes the index.
                let again = try trial.another(schema)
                try expectEqual(try keys("size == 77", in: again), [77])
                try expectEqual(try again.blocking.verify(), [])
            },
        ]
    } + [
        ConformanceCase(
            "migration.plan-changes-nothing", in: .migration,
            "a plan leaves the store's files as they are, also those that an interrupted migration has left",
            requires: [.migration, .persistence], modes: [.fresh]
        ) { trial in
            try writeTowns(trial)
            let left = trial.storePath + "/gen-0042"
            try makeFolder(left)
            try writeFile([1, 2, 3], to: left + "/data")
            let before = contents(of: trial.storePath)
            for policy in [MigrationPolicy.automatic, .inferred, .refuse, .moveAside] {
                for schema in [Schema(entities: [town])] + indexChanges.map({ changed(by: $0.change) }) {
                    _ = try Blocking<Stack>.plan(schema, store: trial.provider, migration: policy)
                    let after = contents(of: trial.storePath)
                    try expectEqual(after.keys.sorted(), before.keys.sorted())
                    for (name, bytes) in before { try expect(after[name] == bytes, "\(name) has changed") }
                }
            }
            // It counts the records, and the next opening for writing removes what is left.
            let planned = try Blocking<Stack>.plan(Schema(entities: [town]), store: trial.provider)
            try expectEqual(planned.records.map(\.count), [townCount])
            try trial.another(Schema(entities: [town])).blocking.close()
            try expect(kindOfFile(left) == nil, "\(left) is still there")
        },
        ConformanceCase(
            "migration.plan-of-open-store", in: .migration,
            "a store that this process has open for writing can be planned for",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try writeTowns(trial)
            let stack = try trial.another(Schema(entities: [town]))
            let planned = try Blocking<Stack>.plan(changed(by: indexChanges[0].change), store: trial.provider)
            try expectEqual(planned.records.map(\.count), [townCount])
            try expectEqual(planned.stages.map(\.cost), [.instant])
            try expectEqual(try keys("size == 77", in: stack), [77])
        },
    ]
}

private let town = Entity(
    "Town", key: "id",
    attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("size", Int64.self)],
    indexes: [.index("name")])

/// The changes that are made in place, each of which makes one index.
private let indexChanges: [(name: String, change: @Sendable (inout Entity) -> Void)] = [
    ("added", { $0.indexes.append(.index("size")) }),
    ("unique-added", { $0.indexes.append(.unique("size")) }),
    ("refolded", { $0.indexes = [.index("name", folding: .caseInsensitive)] }),
    ("made-unique", { $0.indexes = [.unique("name")] }),
]

private func changed(by change: (inout Entity) -> Void) -> Schema {
    var entity = town
    change(&entity)
    return Schema(entities: [entity])
}

/// So many that a migration tells more than once how far it is.
private let townCount = 2500

/// A closed store with towns, in the place of the store of the run.
private func writeTowns(_ trial: Trial) throws {
    try trial.close()
    let stack = try trial.another(Schema(entities: [town]))
    try stack.blocking.write { tx in
        for number in 0..<townCount {
            var record = try DynamicRecord("Town", in: tx.schema)
            try record.set("id", to: number)
            try record.set("name", to: "town \(number)")
            try record.set("size", to: number)
            try tx.insert(record)
        }
    }
    try stack.blocking.close()
}

private func keys(_ condition: String, in stack: Stack) throws -> [Int64] {
    try stack.blocking.read { snapshot in
        try snapshot.fetch(Request("Town").where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}

/// The files of a store, without those by which processes share it: locks, and for SQLite the memory that its readers share
/// and a log without commits.
private func contents(of path: String) -> [String: [UInt8]] {
    files(path).filter { name, bytes in
        let last = name.split(separator: "/").last.map(String.init) ?? ""
        return !["LOCK", "lock.mdb"].contains(last) && !last.hasSuffix("-shm")
            && !(last.hasSuffix("-wal") && bytes.isEmpty)
    }
}
