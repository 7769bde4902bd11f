import ArgumentParser
import GranaryCore

struct MigrateVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "migrate",
            abstract: "Bring a store to another schema, as far as that loses nothing.",
            discussion: """
                Prints what was done. All or nothing: the store has the old schema or the new one. Records are rewritten where \
                that is needed; the app's own records come with the app's steps. Exit code 78, with the changes that stand in the way, \
                if something would be lost; `plan` says so before. With --backup a backup is made first, beside the store; it is removed if the migration fails and has changed nothing. \
                `restore` puts it back. --down-to goes back to an earlier release of the app's plan, or to one of its steps, by the \
                ways back that the steps have. \
                With --drop something stored may go, and --rename says what was named otherwise, beside the other schema or \
                without one: then all else stays as it is stored. With --convert values may be converted to a type that does not hold \
                every value, as long as none is lost. Where values go, by --drop or by the app's steps, it asks before, unless \
                --yes was given.

                \(example("migrate Music.granary --to schema.json", "migrate Music.granary --to New.granary --backup --json", "migrate Music.granary --drop Song.rating --rename Song=Track --yes"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Option(
        help: "The schema: a store, or a schema's JSON file. The records of the app that embeds the tool without it.")
    var to: SchemaArgument?

    @Option(
        help: ArgumentHelp(
            "Go back to an earlier release of the app's plan, or a step of it; the schema is the release's, or that of --to.",
            valueName: "release"))
    var downTo: String?

    @Flag(help: "Make a backup beside the store first, if there is anything to do.")
    var backup = false

    @OptionGroup var edits: SchemaEdits
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let (schema, policy) = try await target()
        let provider = try store.provider()
        var backedUp: String?
        let planned = backup || policy.plan != nil ? try await store.plan(schema, policy) : nil
        if let planned, !planned.isEmpty, planned.refused.isEmpty {
            try confirmLosses(of: planned)
            if backup { backedUp = try await store.backUp(to: store.backupPath()).path }
        }
        let progress = ProgressLine()
        defer { progress.end() }
        let stack: Stack
        do {
            stack = try await Stack(schema, store: provider, migration: policy, onProgress: progress.show)
        } catch var error as GranaryError {
            if let backedUp {
                if await isUnchanged(since: planned, schema, policy), error.code != .commitOutcomeUnknown {
                    try? await Stack.destroy(try store.kind().provider(at: backedUp))
                    error.message += " The store is as it was, and the backup was removed."
                } else {
                    error.message += " What was finished stays, and the backup is \(backedUp)."
                }
            }
            throw error
        }
        let done = stack.migration
        try await stack.close()
        progress.end()
        if isJSON {
            try output.json(
                .object([
                    ("changes", .array(done.changes.map(\.json))), ("steps", .array(done.steps.map { .string($0) })),
                    ("madeIndexes", .array(done.madeIndexes.map { .string($0) })), ("movedTo", .text(done.movedTo)),
                    ("backup", .text(backedUp)),
                ]))
            return
        }
        if let backedUp { output.line("backup: \(backedUp)") }
        for step in done.steps { output.line("step: \(step)") }
        for change in done.changes { output.line("\(change) (\(change.cost.rawValue))") }
        for index in done.madeIndexes { output.line("made the missing index \(index)") }
        if let place = done.movedTo { output.line("moved to \(place)") }
        if done == MigrationResult() { output.line("The store has this schema.") }
    }

    /// The new schema, and the policy of the migration to it.
    private func target() async throws -> (schema: Schema, policy: MigrationPolicy) {
        guard let downTo else {
            return try await edits.target(to, named: "the schema with --to") { try await store.schema() }
        }
        guard !edits.areGiven else {
            throw ValidationError("--down-to takes the app's plan as it is: leave out --drop, --rename and --convert.")
        }
        let app = ToolApplication.current
        guard let plan = app.migration.plan, let program = app.schema else {
            throw ValidationError("--down-to needs an app that embeds the tool with its records and a migration plan.")
        }
        let policy = MigrationPolicy.plan(plan.completed(by: program).ending(after: downTo))
        if let to { return (try await to.schema(), policy) }
        guard let release = plan.releases.first(where: { $0.name == downTo }) else {
            throw ValidationError("The plan has no release \"\(downTo)\" with a schema. Name its schema with --to.")
        }
        return (release.schema, policy)
    }

    /// Whether a failed migration has finished none of its stages.
    private func isUnchanged(
        since planned: PlannedMigration?, _ schema: Schema, _ policy: MigrationPolicy
    ) async -> Bool {
        guard let planned else { return false }
        return (try? await store.plan(schema, policy))?.stages == planned.stages
    }

    /// The stages of a migration are committed one after the other.
    func state(after interruption: GranaryError?) -> String {
        "The store has its old schema, or that of a stage that was finished: `plan` says what is left to do."
    }

    /// Asks before stored data is removed, by `--drop` or by the app's steps.
    private func confirmLosses(of planned: PlannedMigration) throws {
        let losses = planned.losses(besides: edits.convert.map(\.path))
        guard !losses.isEmpty else { return }
        func list(_ words: [String], _ separator: String) -> String {
            let more = words.count > 8 ? ["and \(words.count - 8) more"] : []
            return (words.prefix(8) + more).joined(separator: separator)
        }
        let question =
            if let paths = planned.removals(losses) {
                "Remove \(list(paths, ", ")) from \(store.path) with all that is stored there?"
            } else {
                "Migrate \(store.path), by which values may be lost: \(list(losses.map(\.description), "; "))?"
            }
        try confirmation.ask(question)
    }
}
