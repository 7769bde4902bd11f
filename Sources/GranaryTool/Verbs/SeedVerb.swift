import ArgumentParser
import GranaryCore
import GranaryStoreKit

struct SeedVerb: FormattedVerb {
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

    func perform(_ output: Output) async throws {
        let watched = WatchedSeed(seed: try SeedArgument.seed(from))
        let provider = try store.newStore(like: from.flatMap { $0.isStore ? $0.store : nil })
        guard try provider.exists() != true else { throw taken }
        let progress = ProgressLine()
        defer { progress.end() }
        let schema = try await wantedSchema()
        // A store of the app's records is marked as if it had gone through the app's steps.
        let stack = try await Stack(
            schema, store: provider, migration: ToolApplication.policy(for: self.schema), seed: Seed(watched),
            onProgress: progress.show)
        progress.end()
        guard watched.isUsed.isSet else {
            // Another process has made the store in the meantime.
            try await stack.close()
            throw taken
        }
        try await stack.write(output, asJSON: isJSON)
    }

    private var taken: GranaryError {
        GranaryError(
            .invalidPath,
            "There is a store at \(store.path) already, which a seed never replaces. Use reset with --from or --to-seed, or destroy it first."
        )
    }

    private func wantedSchema() async throws -> Schema {
        if schema == nil, ToolApplication.current.schema == nil, let from, from.isStore {
            return try await from.store.schema()
        }
        return try await SchemaArgument.schema(schema, named: "the schema with --schema")
    }
}

/// A seed that notes whether a store was made from it.
private struct WatchedSeed: SeedSource {
    let seed: Seed
    let isUsed = CancellationFlag()

    func contents(for schema: Schema, migration: MigrationPolicy) throws -> StoreContents {
        let contents = try seed.contents(for: schema, migration: migration)
        var watched = StoreContents(schema: contents.schema) { [isUsed] new, old in
            try contents.fill(new, replacing: old)
            isUsed.set()
        }
        // The store remembers the seed that it was made from.
        watched.seed = contents.seed
        return watched
    }
}

extension Stack {
    /// Prints how many records each entity has, and closes the stack.
    ///
    /// The store has been made at this point. A signal that was too late to end the work does not end the counting
    /// either, so that the result is reported.
    ///
    /// - Parameter showsHistory: Whether it also prints how far back the history goes.
    func write(_ output: Output, asJSON: Bool, showsHistory: Bool = false) async throws {
        do {
            let (since, counts) = try await recordCounts(showsHistory: showsHistory)
            if asJSON {
                var members: [(String, JSONText)] = [("records", .object(counts.map { ($0.name, .count($1)) }))]
                if showsHistory { members.append(("historySince", since.map { .count($0) } ?? .null)) }
                try output.json(.object(members))
            } else {
                var facts = Facts()
                for (entity, count) in counts { facts.add(entity.path, "\(count)") }
                try facts.write(output, asJSON: false)
                if showsHistory {
                    output.line()
                    output.line("history", .bold, since.map { "  since commit \($0)" } ?? "  none")
                }
            }
        } catch {
            try? await close()
            throw error
        }
        try await close()
    }

    private func recordCounts(showsHistory: Bool) async throws -> (since: UInt64?, counts: [(Entity, Int)]) {
        do {
            return try await Task {
                try await read { snapshot in
                    let since = showsHistory ? try snapshot.firstHistoryEntry()?.number : nil
                    return (since, try self.schema.entities.map { ($0, try snapshot.count(Request($0.name))) })
                }
            }.value
        } catch let error as GranaryError {
            throw error.afterDone("The store is as you asked, but its records could not be counted.")
        }
    }
}
