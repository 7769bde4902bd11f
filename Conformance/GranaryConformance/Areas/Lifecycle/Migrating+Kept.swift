import ConformanceKit
import Foundation
import GranaryCore

// Changes of a schema that leave its records as they are, and what copies of a store keep of its migrations.

var keptMigrationCases: [ConformanceCase] {
    [
        ConformanceCase(
            "migration.folding-changed", in: .migration,
            "an index that gets another folding has the records from before",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try writeNames(trial, ["Ärger", "arger", "ÄRGER", "b"], [.index("name")])
            for folding in [TextFolding.caseInsensitive, [.caseInsensitive, .diacriticInsensitive], []] {
                let schema = named([.index("name", folding: folding)])
                let stack = try trial.another(schema)
                try expectEqual(stack.migration.changes.count, 1)
                try expectEqual(stack.migration.changes.map(\.cost), [.instant])
                try expectEqual(try matching("name == \"Ärger\"", stack), [1])
                try expectEqual(try matching("name ==[c] \"ärger\"", stack), [1, 3])
                try expectEqual(try matching("name ==[cd] \"arger\"", stack), [1, 2, 3])
                if stack.capabilities.has(.indexedQueries) {
                    let options = folding == [] ? "" : folding == .caseInsensitive ? "[c]" : "[cd]"
                    try stack.blocking.read {
                        try expectNoFullScan(Request("Name").where("name ==\(options) \"b\""), in: $0)
                    }
                }
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.close()
                try trial.another(schema, migration: .refuse).blocking.close()
            }
        },
        ConformanceCase(
            "migration.folding-changed-duplicates", in: .migration,
            "a unique index does not get a folding by which records are the same", requires: [.migration, .reopening],
            modes: [.fresh]
        ) { trial in
            try writeNames(trial, ["a", "A", "b"], [.unique("name")])
            let error = try expectError(
                .uniqueness, entity: "Name", attributes: ["name"],
                message:
                    "Name.name cannot become unique: 2 records share their values with others. Make the values differ, or delete records, before the index is made unique."
            ) { try trial.another(named([.unique("name", folding: .caseInsensitive)])) }
            try expectEqual(error.duplicates?.keys, [[.integer(1), .integer(2)]])
            let stack = try trial.another(named([.unique("name")]), migration: .refuse)
            try stack.blocking.write { tx in _ = try tx.delete("Name", 2) }
            try stack.blocking.close()
            let folded = try trial.another(named([.unique("name", folding: .caseInsensitive)]))
            try expectError(.uniqueness, entity: "Name", attributes: ["name"]) {
                try folded.blocking.write { tx in
                    _ = try tx.insert(made("Name", in: tx.schema, ["id": .integer(9), "name": .string("B")]))
                }
            }
            try expectEqual(try folded.blocking.verify(), [])
        },
        ConformanceCase(
            "migration.version-changed", in: .migration,
            "an attribute begins to count the changes of a record, and ends",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try writeNames(trial, ["a", "b"], [])
            func changed(_ version: String?) throws -> [StoredValue?] {
                let stack = try trial.another(named([], version: version))
                try expectEqual(stack.migration.changes.map(\.cost), [.instant])
                let context = try stack.makeContext()
                guard var record = try context.find("Name", 1) else { return [] }
                try record.set("name", to: "\(version ?? "none")")
                try context.update(record)
                try context.blocking.save()
                try expectEqual(try stack.blocking.verify(), [])
                defer { try? stack.blocking.close() }
                return try storedValues("changes", in: stack, "Name")
            }
            try expectEqual(try changed("changes"), [.integer(1), .integer(0)])
            try expectEqual(try changed(nil), [.integer(1), .integer(0)])
            try expectEqual(try changed("changes"), [.integer(2), .integer(0)])
        },
        ConformanceCase(
            "copy.applied-steps", in: .copy, "copies and backups know the steps that the store has taken",
            requires: needed, modes: [.fresh]
        ) { trial in
            try writeNames(trial, ["a", "b"], [])
            let runs = Journal<String>()
            let policy = MigrationPolicy.plan(
                MigrationPlan(.code("first") { _ in runs.add("first") }, .code("second") { _ in runs.add("second") }))
            let stack = try trial.another(named([]), migration: policy)
            try expectEqual(runs.entries, ["first", "second"])
            let place = trial.folder + "/Copy.granary"
            try await stack.copy(to: trial.subject.storeProvider(at: place)).close()
            var places = [place]
            if trial.subject.has(.persistence) {
                places.append(trial.folder + "/Backup.granary")
                try await stack.backUp(to: URL(filePath: places[1]))
            }
            for place in places {
                let copy = try trial.another(named([]), at: place, migration: policy)
                try expectEqual(copy.migration.steps, [])
                try expectEqual(copy.schema.appliedSteps.map(\.name), ["first", "second"])
                try expectEqual(try storedValues("name", in: copy, "Name"), [.string("a"), .string("b")])
            }
            for peer in try trial.peers(requires: [.reopening]) {
                let place = trial.folder + "/\(peer.name)-steps.granary"
                try await stack.copy(to: peer.storeProvider(at: place)).close()
                let copy = try peer.open(named([]), at: place, migration: policy)
                try expectEqual(copy.migration.steps, [])
                try expectEqual(copy.schema.appliedSteps.map(\.name), ["first", "second"])
                try await copy.close()
            }
            try expectEqual(runs.entries, ["first", "second"])
        },
        ConformanceCase(
            "copy.history-of-other-kinds", in: .copy, "the history comes along to each other kind and back",
            requires: [.filling, .history], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(
                WholeStore.schema, at: trial.folder + "/Source.granary", history: .everything)
            try await WholeStore.fill(stack)
            let changes = try stack.committed(since: 0)
            try expectEqual(changes.map(\.origin.name), ["first", "second", nil])
            for peer in try trial.otherKinds(requires: [.history]) {
                let there = trial.folder + "/\(peer.name).granary"
                let copy = try await stack.copy(to: peer.storeProvider(at: there))
                let back = try await copy.copy(to: trial.subject.storeProvider(at: there + ".back"))
                for one in [copy, back] {
                    let kept = try one.committed(since: 0)
                    try expectEqual(kept.map(\.transactionNumber), changes.map(\.transactionNumber))
                    try expectEqual(kept.map(\.origin.name), changes.map(\.origin.name))
                    try expectEqual(kept.map(\.changes), changes.map(\.changes))
                    try await one.close()
                }
            }
        },
        ConformanceCase(
            "reset.fetched-results", in: .reset, "fetched results see a reset as a change, and what comes after it",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
            try await withDeadline { try await followReset(stack) }
        },
    ]
}

@MainActor private func followReset(_ stack: Stack) async throws {
    let results = FetchedResults(Shelf.sorted(by: \.id), in: stack)
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
    results.onChange = { continuation.yield($0) }
    results.onFailure = { _ in continuation.finish() }
    var changes = stream.makeAsyncIterator()
    try await results.performFetch()
    try expectEqual(results.fetchedRecords.map(\.id), [1, 2])
    try await stack.reset(to: .empty)
    var change = await changes.next()
    try expect(change != nil, "following has failed")
    try expectEqual(results.fetchedRecords.map(\.id), [])
    _ = try await stack.write { try $0.insert(Shelf(id: 5, name: "five")) }
    change = await changes.next()
    try expect(change != nil, "following has failed")
    try expectEqual(results.fetchedRecords.map(\.id), [5])
}

private func named(_ indexes: [Index], version: String? = nil) -> Schema {
    Schema(entities: [
        Entity(
            "Name", key: "id", version: version,
            attributes: [
                Attribute("id", Int64.self), Attribute("name", String.self),
                Attribute("changes", Int64.self, default: 0),
            ], indexes: indexes)
    ])
}

private func writeNames(_ trial: Trial, _ names: [String], _ indexes: [Index]) throws {
    let stack = try trial.another(named(indexes))
    try stack.blocking.write { tx in
        for (number, name) in names.enumerated() {
            _ = try tx.insert(
                made("Name", in: tx.schema, ["id": .integer(Int64(number) + 1), "name": .string(name)]))
        }
    }
    try stack.blocking.close()
}

private func matching(_ condition: String, _ stack: Stack) throws -> [Int64] {
    try stack.blocking.read { snapshot in
        try snapshot.fetch(Request("Name").where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}
