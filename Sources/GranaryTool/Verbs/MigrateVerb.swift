import ArgumentParser
import GranaryCore

struct MigrateVerb: ToolVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "migrate",
            abstract: "Bring a store to another schema, as far as that loses nothing and rewrites no record.",
            discussion: """
                One transaction: the store has the old schema or the new one. Exit code 78, with the changes that stand in the \
                way, if a record would have to be rewritten or something be lost; `plan` says so before.

                \(example("migrate Music.granary --to schema.json", "migrate Music.granary --to New.granary --json"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Option(
        help: "The schema: a store, or a schema's JSON file. The records of the app that embeds the tool without it.")
    var to: SchemaArgument?

    @OptionGroup var options: FormatOptions

    var isJSON: Bool { options.json }

    func perform(_ output: Output) async throws {
        let schema = try await SchemaArgument.schema(to, named: "the schema with --to")
        let kind = try store.kind()
        guard kind != .memory else {
            throw GranaryError(.unsupported, "A store in memory ends with its process. Name a store on disk.")
        }
        let difference = SchemaDifference(from: try await store.schema(), to: schema)
        if !difference.isEmpty {
            try await Stack(schema, store: kind.provider(at: store.path), migration: .automatic).close()
        }
        if isJSON {
            output.json(.object([("changes", .array(difference.changes.map(\.json)))]))
        } else {
            output.line(difference.isEmpty ? "The store has this schema." : difference.description)
        }
    }
}
