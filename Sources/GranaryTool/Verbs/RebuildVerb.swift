import ArgumentParser
import GranaryCore

struct RebuildVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rebuild", abstract: "Make all indexes of a store anew from its records.",
            discussion: """
                One transaction: what to do where `verify` finds faults in indexes alone. Exit code 65 if records do not have the \
                uniqueness that an index asks for; nothing is changed then.

                \(example("rebuild Music.granary"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let progress = ProgressLine()
        defer { progress.end() }
        let count = try await store.withStack(.readWrite) { stack in
            try await stack.rebuildIndexes(onProgress: progress.show)
            return stack.schema.entities.reduce(0) { $0 + $1.indexes.count }
        }
        progress.end()
        if isJSON {
            try output.json(.object([("indexes", .count(count))]))
        } else {
            output.line("\(count) indexes of records were made anew.")
        }
    }
}
