import Foundation
import GranaryCore
import GranaryStoreKit

/// Checks whether a plan leads from an earlier schema of stores to another schema. A new store without records is made
/// with the earlier schema, and opened with the plan. So the code of the plan's steps runs, and finds the entities and
/// attributes that it names.
struct StartCheck {
    /// The name of the start: a path, or the name of a release.
    let name: String
    let schema: Schema

    struct Outcome {
        var name: String
        var steps: [String] = []
        var changes = 0
        var failure: GranaryError?

        var text: String {
            if let failure { return "\(name): fails: \(failure.message)" }
            if steps.isEmpty, changes == 0 { return "\(name): has this schema" }
            let words = steps.isEmpty ? "" : "steps \(steps.joined(separator: ", ")); "
            return "\(name): \(words)changes: \(changes)"
        }

        var json: JSONText {
            .object([
                ("start", .string(name)), ("steps", .array(steps.map { .string($0) })), ("changes", .count(changes)),
                ("error", .text(failure?.message)),
            ])
        }
    }

    func run(to wanted: Schema, _ policy: MigrationPolicy) async throws -> Outcome {
        var stored = schema
        if stored.appliedSteps.isEmpty, let plan = policy.plan { stored.appliedSteps = plan.taken(at: stored) }
        guard policy.plan?.hasSQL ?? false else {
            return try await run(stored, to: wanted, policy, StoreKind.memory.provider(at: "start \(UUID())"))
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "granary-start-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "Start.granary").path
        return try await run(stored, to: wanted, policy, StoreKind.sqlite.provider(at: path))
    }

    private func run(
        _ stored: Schema, to wanted: Schema, _ policy: MigrationPolicy, _ provider: some StoreProvider
    ) async throws -> Outcome {
        var outcome = Outcome(name: name)
        try provider.open(stored, migration: .refuse).close()
        do {
            let stack = try await Stack(wanted, store: provider, migration: policy)
            (outcome.steps, outcome.changes) = (stack.migration.steps, stack.migration.changes.count)
            try await stack.close()
        } catch let error as GranaryError where error.code != .cancelled {
            outcome.failure = error
        }
        return outcome
    }
}
