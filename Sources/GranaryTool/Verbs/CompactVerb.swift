import ArgumentParser
import GranaryCore

struct CompactVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "compact", abstract: "Give a store's free space back to the file system.",
            discussion: """
                Writes the store's files anew, and puts them in the place of the old ones in one step. Needs room for both, and the \
                store alone: exit code 75 if another process has it open for longer than --wait says.

                \(example("compact Music.granary"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let before = try store.size() ?? 0
        let progress = ProgressLine()
        defer { progress.end() }
        try await Waiting.forOthers {
            try await store.withStack(.readWrite) { try await $0.compact(onProgress: progress.show) }
        }
        progress.end()
        let after = try store.size() ?? 0
        if isJSON {
            try output.json(.object([("bytesBefore", .count(before)), ("bytesAfter", .count(after))]))
        } else {
            output.line("\(readableSize(before)) before, \(readableSize(after)) now")
        }
    }
}
