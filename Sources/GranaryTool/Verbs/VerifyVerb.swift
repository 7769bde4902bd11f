import ArgumentParser
import GranaryCore
import GranaryPlatform
import GranaryStoreKit

struct VerifyVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "verify", abstract: "Check every page, row, index and reference of a store.",
            discussion: """
                Changes nothing. Prints a line a fault, the first hundred of each kind and how many more there are. Exit code 1 if there are faults, \
                79 if the damage is such that the store cannot be opened. The tool of an app also \
                lists the records that the app's record types refuse, if the store has their schema. Files of external values that no record names are no \
                fault: a remark tells of them.

                \(example("verify Music.granary"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let progress = ProgressLine()
        defer { progress.end() }
        let (faults, unused) = try await store.withStack { stack -> ([String], (count: Int, bytes: Int)) in
            let faults = try await stack.verify(onProgress: progress.show)
            // Records that cannot be read may refer to any file.
            guard faults.isEmpty else { return (faults, (count: 0, bytes: 0)) }
            return (faults, try await stack.read { try $0.engine.unusedExternalFiles() })
        }
        let refused = faults.isEmpty ? try await refusedRecords() : []
        progress.end()
        let remarks: [String] =
            unused.count == 0
            ? []
            : [
                "No record names \(unused.count) of the files of external values, which have \(readableSize(unused.bytes)). A process that is writing now has such files. A process that was killed leaves such files, and the next opening for writing removes them. Other files stay."
            ]
        let all = faults + refused
        if isJSON {
            try output.json(
                .object([
                    ("faults", .array(all.map { .string($0) })), ("remarks", .array(remarks.map { .string($0) })),
                ]))
        } else {
            output.line(all.isEmpty ? "No faults." : all.map(\.inOneLine).joined(separator: "\n"))
            for remark in remarks { output.line(remark) }
        }
        if !all.isEmpty { throw ToolExit.negative }
    }

    /// The records that the app's record types refuse, if the store has the schema of these types.
    private func refusedRecords() async throws -> [String] {
        guard ToolApplication.current.schema != nil, try store.kind() != .memory else { return [] }
        return try await store.withRecordTypes(.readOnly) { stack in
            guard let types = RecordTypeCheck(stack.schema) else { return [] }
            return try await stack.read { try types.faults(in: $0) }
        }
    }
}
