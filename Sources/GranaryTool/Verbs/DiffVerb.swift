import ArgumentParser
import GranaryCore

struct DiffVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "diff", abstract: "Say what differs between two stores: their schemas, or their records.",
            discussion: """
                Without --contents a file with a schema's JSON may stand for a store. Records are the same if they have the same \
                key; what only one of the schemas has is not compared, and where types differ a value is the same if one type \
                has the other's. Of long values the part is shown where they begin to differ; --json has all. Both stores are read in the order of their keys, in \
                bounded memory. Exit code 0 if nothing differs, 1 if something does.

                \(example("diff Music.granary Copy.granary", "diff schema.json Music.granary --json", "diff Music.granary lmdb:Copy.granary --contents"))
                """)
    }

    @Argument(help: "The first store or schema.")
    var first: SchemaArgument

    @Argument(help: "The second store or schema.")
    var second: SchemaArgument

    @Flag(help: "Compare the records, by key.")
    var contents = false

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let isSame = contents ? try await compareContents(output) : try await compareSchemas(output)
        if !isSame { throw ToolExit.negative }
    }

    func state(after interruption: GranaryError?) -> String { "Nothing was changed, and the output is not whole." }

    private func compareSchemas(_ output: Output) async throws -> Bool {
        let difference = SchemaDifference(from: try await first.schema(), to: try await second.schema())
        if isJSON {
            try output.json(.array(difference.changes.map(\.json)))
        } else if !difference.isEmpty {
            output.line(difference.description)
        }
        return difference.isEmpty
    }

    private func compareContents(_ output: Output) async throws -> Bool {
        let (second, isJSON) = (second, isJSON)
        return try await first.store.withStack { left in
            try await second.store.withStack { right in
                try await left.read { left in
                    try right.blocking.read { right in
                        let report = ContentsReport(output, asJSON: isJSON)
                        try ContentsDifference(left, right).compare(report)
                        report.finish()
                        return report.isEmpty
                    }
                }
            }
        }
    }
}

extension SchemaChange {
    /// The change in words, its cost, and its entity.
    var json: JSONText { .object(members) }

    var members: [(String, JSONText)] {
        [("entity", .string(entity)), ("change", .string(description)), ("cost", .string(cost.rawValue))]
    }
}
