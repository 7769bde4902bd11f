import ArgumentParser
import GranaryCore

struct VerifyVerb: ToolVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "verify", abstract: "Check every page, row, index and reference of a store.",
            discussion: """
                Changes nothing. Prints a line a fault. Exit code 1 if there are faults, 79 if the damage is such that the store \
                cannot be opened.

                \(example("verify Music.granary"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @OptionGroup var options: FormatOptions

    var isJSON: Bool { options.json }

    func perform(_ output: Output) async throws {
        let progress = ProgressLine()
        defer { progress.end() }
        let faults = try await store.withStack { try await $0.verify(onProgress: progress.show) }
        progress.end()
        if isJSON {
            try output.json(.object([("faults", .array(faults.map { .string($0) }))]))
        } else {
            output.line(faults.isEmpty ? "No faults." : faults.map(\.inOneLine).joined(separator: "\n"))
        }
        if !faults.isEmpty { throw ToolExit.negative }
    }
}
