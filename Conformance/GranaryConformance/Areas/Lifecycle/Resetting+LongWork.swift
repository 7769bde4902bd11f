import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport
import GranarySeeds

// Resets, compacting and seeds tell how far they have come, and end when their task is cancelled.

var longWorkCases: [ConformanceCase] {
    [
        ConformanceCase(
            "reset.progress", in: .reset, "a reset to a seed says how far it has come",
            requires: [.filling, .reopening],
            modes: [.fresh]
        ) { trial in
            let stack = try seededStack(trial)
            let seen = Journal<StoreProgress>()
            try await stack.reset(to: .seed, onProgress: { seen.add($0) })
            try expectProgress(seen, to: 5000)
            try expectEqual(Set(seen.entries.map(\.total)), [5000])
            try await stack.reset(to: .empty, onProgress: { seen.add($0) })
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
        },
        ConformanceCase(
            "reset.cancelled", in: .reset,
            "a reset whose task is cancelled leaves the store and the contexts as they were",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let stack = try seededStack(trial)
            try stack.blocking.write { _ = try Shelf.where { $0.id > 0 }.deleteAll(in: $0) }
            let number = try WholeStore.number(stack)
            let context = try stack.makeContext()
            try await cancelling(trial) { try await stack.reset(to: .seed, onProgress: $0) }
            try expectEqual(try WholeStore.number(stack), number)
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 1)
            try context.insert(Shelf(id: 9, name: "later"))
            try await context.save()
            try await stack.reset(to: .seed)
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 5000)
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "compacting.progress", in: .compacting, "compacting and a backup say how far they have come",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try stack.blocking.write { tx in
                _ = try tx.insert((0..<5000).map { Shelf(id: Int64($0), name: "shelf \($0)") })
            }
            let seen = [Journal<StoreProgress>(), Journal<StoreProgress>()]
            try await stack.compact { seen[0].add($0) }
            try await stack.backUp(to: URL(filePath: trial.folder + "/Backup.granary")) { seen[1].add($0) }
            for seen in seen {
                try expect(!seen.entries.isEmpty, "nothing is told")
                try expectEqual(seen.entries.map(\.records), seen.entries.map(\.records).sorted())
                try expectEqual(Set(seen.entries.map(\.total)).count, 1)
                try expectEqual(seen.entries.last?.fraction, 1)
            }
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 5000)
        },
        ConformanceCase(
            "compacting.cancelled", in: .compacting, "compacting whose task is cancelled leaves the store as it was",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try stack.blocking.write { tx in
                _ = try tx.insert((0..<5000).map { Note(slug: "\($0)", body: String(repeating: "x", count: 500)) })
            }
            let backup = trial.folder + "/Backup.granary"
            try await cancelling(trial) { try await stack.compact(onProgress: $0) }
            try await cancelling(trial) { try await stack.backUp(to: URL(filePath: backup), onProgress: $0) }
            try expect(kindOfFile(backup) == nil, "there is a backup")
            try expectEqual(try stack.blocking.read { try $0.count(Note.all) }, 5000)
            try expectEqual(files(trial.storePath).keys.count { $0.hasPrefix("gen-") && !$0.contains("/") }, 1)
            try await stack.compact()
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "seed.json-progress", in: .seed,
            "a seed of JSON says how far it has come, and can be cancelled before it is copied",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.close()
            let file = trial.folder + "/Seed.json"
            let objects = (0..<3000).map { #"{"id": \#($0), "name": "shelf \#($0)"}"# }.joined(separator: ", ")
            try writeFile(Array("{\"Shelf\": [\(objects)]}".utf8), to: file)
            let seed = Seed.json(URL(filePath: file))
            let provider = trial.subject.storeProvider(at: trial.folder + "/Seeded.granary")
            try await cancelling(trial) {
                _ = try await Stack(SuiteSchema.standard, store: provider, seed: seed, onProgress: $0)
            }
            try trial.expectNoStore(at: trial.folder + "/Seeded.granary")
            let seen = Journal<StoreProgress>()
            let stack = try await Stack(SuiteSchema.standard, store: provider, seed: seed, onProgress: { seen.add($0) })
            try expectProgress(seen, to: 6000)
            try expect(seen.entries.contains { (1..<3000).contains($0.records) }, "reading is told")
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 3000)
            try await stack.close()
        },
    ]
}

/// A stack with a seed of 5 000 shelves.
private func seededStack(_ trial: Trial) throws -> Stack {
    try trial.close()
    try seedShelves(trial, at: "Seed", (0..<5000).map { "shelf \($0)" })
    return try trial.another(seed: .store(trial.subject.storeProvider(at: trial.folder + "/Seed.granary")))
}

private func expectProgress(_ seen: Journal<StoreProgress>, to last: Int) throws {
    let records = seen.entries.map(\.records)
    try expectEqual(records, records.sorted())
    try expect(records.count > 3, "it says so \(records.count) times")
    try expectEqual(records.last, last)
    try expectEqual(seen.entries.last?.fraction, 1)
}

/// Expects that work throws `cancelled` when its task is cancelled after it has first told how far it has come.
private func cancelling(
    _ trial: Trial, _ work: @escaping @Sendable (@escaping @Sendable (StoreProgress) -> Void) async throws -> Void
) async throws {
    let (hasBegun, isCancelled) = (Event("the work's begin"), Event("the cancellation"))
    let task = Task(executorPreference: trial.executor) {
        try await work { _ in
            guard !hasBegun.isSet else { return }
            hasBegun.set()
            try? isCancelled.wait()
        }
    }
    try await hasBegun.happened()
    task.cancel()
    isCancelled.set()
    try await expectAsyncError(.cancelled, isOwnText: true) { try await task.value }
}
