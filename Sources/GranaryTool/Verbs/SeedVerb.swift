import ArgumentParser
import GranaryCore

struct SeedVerb: ToolVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "seed", abstract: "Make a new store from a seed: another store, or JSON.",
            discussion: """
                JSON is a file with an object that has an array of records for each entity, or a folder with a file for each \
                entity, such as Artist.json. Without --from the seed is that of the app that embeds the tool. The store is made \
                whole, or not at all; a store that exists stays as it is: exit code 66. See `reset --to-seed`.

                The new store is of the kind of the seed, or SQLite, unless sqlite: or lmdb: says otherwise.

                \(example(
                    "seed Music.granary --from Demo.granary", "seed lmdb:Music.granary --from Demo.granary --json",
                    "seed Music.granary --from Catalogue.json --schema schema.json"))
                """)
    }

    @Argument(help: "Where the new store is to be.")
    var store: StoreArgument

    @Option(help: "The seed: a store, or a file or folder of JSON. That of the app that embeds the tool without it.")
    var from: SeedArgument?

    @Option(
        help:
            "The schema of the new store: a store, or a schema's JSON file. That of the app that embeds the tool, or of the seed, without it."
    )
    var schema: SchemaArgument?

    @OptionGroup var options: FormatOptions

    var isJSON: Bool { options.json }

    func perform(_ output: Output) async throws {
        let seed = try SeedArgument.seed(from)
        let provider = try store.newStore(like: from.flatMap { $0.isStore ? $0.store : nil })
        guard try provider.exists() != true else {
            throw GranaryError(
                .invalidPath,
                "There is a store at \(store.path) already, which a seed never replaces. Use reset --to-seed, or destroy it first."
            )
        }
        let progress = ProgressLine()
        defer { progress.end() }
        let schema = try await wantedSchema()
        // A store of the app's records is marked as if it had taken the app's steps.
        let stack = try await Stack(
            schema, store: provider, migration: ToolApplication.policy(for: self.schema), seed: seed,
            onProgress: progress.show)
        progress.end()
        try await stack.write(output, asJSON: isJSON)
    }

    private func wantedSchema() async throws -> Schema {
        if schema == nil, ToolApplication.current.schema == nil, let from, from.isStore {
            return try await from.store.schema()
        }
        return try await SchemaArgument.schema(schema, named: "the schema with --schema")
    }
}

extension Stack {
    /// Prints how many records each entity has, and closes the stack.
    func write(_ output: Output, asJSON: Bool) async throws {
        do {
            let counts = try await read { snapshot in
                try self.schema.entities.map { ($0, try snapshot.count(DynamicQuery($0.name))) }
            }
            if asJSON {
                output.json(.object([("records", .object(counts.map { ($0.name, .count($1)) }))]))
            } else {
                var facts = Facts()
                for (entity, count) in counts { facts.add(entity.path, "\(count)") }
                facts.write(output, asJSON: false)
            }
        } catch {
            try? await close()
            throw error
        }
        try await close()
    }
}
