import ArgumentParser
import GranaryCore

struct PlanVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "plan", abstract: "Say what would change if a store were migrated to another schema.",
            discussion: """
                Touches nothing. Each change is instant (no record is written), rewriting (records are read and written) or lossy \
                (values may be lost). Of a store it also says how many records there are, about how much room and time the \
                migration needs, what `migrate` would refuse, which required attributes have no value in how many records, and \
                which values that become unique are shared by how many, so that it would fail. The app's own records come with the app's steps; to another \
                schema everything is inferred. With --drop, --rename and --convert it says what these make possible, without another \
                schema too. With --check the exit code is 1 if there is anything to do: for a build that must not \
                ship a schema that stores do not have.

                With --from no store is needed: it takes the schema of an earlier release from a file, and tries whether a store of \
                that release, and of each release whose schema the app's plan has, comes to the app's records. The plan's steps \
                run on stores without records. The exit code is 1 if a start fails: for a build that must not ship a plan which \
                leaves earlier stores behind.

                \(example("plan Music.granary schema.json", "plan Music.granary New.granary --json", "plan schema.json Music.granary --check", "plan Music.granary --drop Song.rating --rename Song.plays=Song.count", "plan --from Schemas/1.0.json --from Schemas/2.0.json"))
                """)
    }

    @Argument(help: "A store, or a schema's JSON file. With --from: the other schema.")
    var source: SchemaArgument?

    @Argument(
        help:
            "The other schema: a store, or a schema's JSON file. The records of the app that embeds the tool without it."
    )
    var target: SchemaArgument?

    @Option(help: ArgumentHelp("The schema of an earlier release: its JSON file. Repeatable.", valueName: "schema"))
    var from: [SchemaArgument] = []

    @Flag(help: "Exit with code 1 if anything differs.")
    var check = false

    @OptionGroup var edits: SchemaEdits
    @OptionGroup var options: FormatOptions

    func validate() throws {
        guard from.isEmpty else {
            guard target == nil, !edits.areGiven, !check else {
                throw ValidationError(
                    "--from takes one other schema at most, and no other option that says what is compared.")
            }
            return
        }
        guard source != nil else {
            throw ValidationError("Name a store or a schema's JSON file, or a start with --from.")
        }
    }

    func perform(_ output: Output) async throws {
        guard let source, from.isEmpty else { return try await checkStarts(output) }
        let (wanted, policy) = try await edits.target(target, named: "the other schema") { try await source.schema() }
        guard !source.isFile else {
            return try write(SchemaDifference(from: try await source.schema(), to: wanted), output)
        }
        let planned = try await source.store.plan(wanted, policy)
        // The app's steps may add the missing values of records.
        let hasSteps = policy.plan.map { !$0.steps.isEmpty } ?? false
        let remarks =
            hasSteps
            ? []
            : try await source.store.missingValues(planned, in: wanted) + source.store.duplicateValues(planned)
        if isJSON {
            try output.json(.object(planned.members + [("remarks", .array(remarks.map { .string($0) }))]))
        } else {
            output.line(planned.description)
            for remark in remarks { output.line("would fail: \(remark)") }
            let (options, others) = planned.dividedRefusals
            if !options.isEmpty { output.line("allowed with: \(options.joined(separator: " "))") }
            if !options.isEmpty, !others.isEmpty {
                output.line("allowed by no option: \(others.map(\.description).joined(separator: "; "))")
            }
        }
        if check && !planned.isEmpty { throw ToolExit.negative }
    }

    /// Tries whether stores of earlier releases can be migrated to a schema.
    private func checkStarts(_ output: Output) async throws {
        let wanted = try await SchemaArgument.schema(source, named: "the other schema")
        let policy = ToolApplication.policy(for: source)
        var starts: [StartCheck] = []
        for file in from { starts.append(StartCheck(name: file.store.path, schema: try await file.schema())) }
        starts += policy.plan?.releases.map { StartCheck(name: "release \($0.name)", schema: $0.schema) } ?? []
        var outcomes: [StartCheck.Outcome] = []
        for start in starts { outcomes.append(try await start.run(to: wanted, policy)) }
        if isJSON {
            try output.json(.array(outcomes.map(\.json)))
        } else {
            for outcome in outcomes { output.line(outcome.text) }
        }
        if outcomes.contains(where: { $0.failure != nil }) { throw ToolExit.negative }
    }

    /// A file gives only a schema, without records.
    private func write(_ difference: SchemaDifference, _ output: Output) throws {
        if isJSON {
            try output.json(
                .object([
                    ("cost", .text(difference.cost?.rawValue)), ("changes", .array(difference.changes.map(\.json))),
                ]))
        } else {
            output.line(
                difference.isEmpty
                    ? "Nothing differs."
                    : difference.changes.map { "\($0) (\($0.cost.rawValue))" }.joined(separator: "\n"))
        }
        if check && !difference.isEmpty { throw ToolExit.negative }
    }
}

extension ToolApplication {
    /// The policy of a migration to a schema. The app's steps lead only to the app's own records.
    static func policy(for target: SchemaArgument?) -> MigrationPolicy {
        target == nil ? current.migration : .inferred
    }
}

extension StoreArgument {
    /// Plans a migration of the store.
    func plan(_ schema: Schema, _ policy: MigrationPolicy) async throws -> PlannedMigration {
        try await Stack.plan(schema, store: provider(.readOnly), migration: policy)
    }
}

extension PlannedMigration {
    /// The planned changes, the refused ones, and the cost.
    var json: JSONText { .object(members) }

    fileprivate var members: [(String, JSONText)] {
        func changes(_ changes: [SchemaChange]) -> JSONText {
            .array(
                changes.map { change in
                    .object(change.members + [("records", count(of: change.entity).map { .count($0) } ?? .null)])
                })
        }
        let stages = stages.map { stage -> JSONText in
            .object([
                ("cost", .string(stage.cost.rawValue)), ("steps", .array(stage.steps.map { .string($0) })),
                ("changes", changes(stage.difference.changes)),
            ])
        }
        return [
            ("cost", .text((cost ?? difference.cost)?.rawValue)), ("changes", changes(difference.changes)),
            ("stages", .array(stages)), ("refused", changes(refused)),
            ("records", .object(records.map { ($0.entity, .count($0.count)) })),
            ("words", .object(wordIndexes.map { ($0.entity, .count($0.count)) })),
            ("space", space.map { .count($0) } ?? .null), ("seconds", .number("\(seconds)")),
        ]
    }
}
