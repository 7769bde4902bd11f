import ArgumentParser
import GranaryCore

struct ResetVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "reset", abstract: "Replace everything in a store by nothing, or by a seed.",
            discussion: """
                Asks before. All or nothing: if it fails, the old records are there. The history is empty afterwards; assigned \
                keys go on. A seed of an older schema is brought to the store's. Exit code 75 if another process has the store open \
                for longer than --wait says.

                \(example(
                    "reset Music.granary", "reset Music.granary --from Demo.granary --yes",
                    "reset Music.granary --from Catalogue.json --json --yes"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Flag(help: "To the seed of the app that embeds the tool.")
    var toSeed = false

    @Option(help: "To this seed: a store, or a file or folder of JSON.")
    var from: SeedArgument?

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var options: FormatOptions

    func validate() throws {
        if toSeed && from != nil { throw ValidationError("--to-seed and --from exclude each other.") }
    }

    func perform(_ output: Output) async throws {
        if let from, from.isStore, let seed = try from.store.onDisk(), try seed.path == store.onDisk()?.path {
            throw ValidationError("The seed is the store itself. Name another.")
        }
        let provider = try store.provider()
        let seed = toSeed || from != nil ? try SeedArgument.seed(from) : nil
        let stored = try await store.schema()
        // The app's own schema has the record types, which say how they are imported.
        let own = ToolApplication.current.schema.flatMap { $0.fingerprint == stored.fingerprint ? $0 : nil }
        try confirmation.ask("Replace everything in \(store.path) by \(seed == nil ? "nothing" : "the seed")?")
        // The store already has this schema: the policy is for a seed with an older schema.
        let policy: MigrationPolicy = own == nil ? .inferred : ToolApplication.current.migration
        let progress = ProgressLine()
        defer { progress.end() }
        let stack = try await Waiting.forOthers {
            let stack = try await Stack(own ?? stored, store: provider, migration: policy, seed: seed)
            do {
                try await stack.reset(to: seed == nil ? .empty : .anySeed, onProgress: progress.show)
            } catch {
                try? await stack.close()
                throw error
            }
            return stack
        }
        progress.end()
        try await stack.write(output, asJSON: isJSON)
    }
}
