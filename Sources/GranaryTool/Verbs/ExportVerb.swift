import ArgumentParser
import GranaryCore
import GranaryFormats
import GranaryImport
import GranaryPlatform

struct ExportVerb: ToolVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export", abstract: "Export records as JSON, JSON lines or CSV.",
            discussion: """
                The records go to standard output, as JSON if no --format says otherwise. With --to they go to a file whose name \
                tells the format: .json, .jsonl, .ndjson, .csv or .tsv, each perhaps with .gz; it appears when it is whole. \
                An import of the file gives the same records.

                \(example(
                    "export Music.granary Artist > artists.json",
                    "export Music.granary Song --where 'plays > 100' --to songs.csv.gz",
                    "export Music.granary Artist --nested 1 --format jsonl"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Argument(help: "The records' entity.")
    var entity: String

    @Option(name: .customLong("where"), help: "A condition in text form: only records of which it holds.")
    var condition: String?

    @Option(help: "The format.")
    var format: RecordFormat?

    @Option(help: "The file; - is standard output.")
    var to = "-"

    @Option(help: "A JSON file that says which keys attributes are written under: that of `import`.")
    var map: String?

    @Option(help: "Write related records as objects within others, to this depth.")
    var nested: Int?

    @Flag(help: "Write to-many relationships as lists of keys.")
    var lists = false

    @OptionGroup var options: FormatOptions

    var isJSON: Bool { options.json }

    func validate() throws {
        if let nested, nested < 0 || lists { throw ValidationError("--nested takes a depth, and excludes --lists.") }
    }

    /// A comparison of values of different types is a fault of the query: no record is refused.
    func exitCode(for error: GranaryError) -> ExitCode {
        error.code == .typeMismatch ? ToolExit.usage : ToolExit.code(for: error)
    }

    func perform(_ output: Output) async throws {
        var exporter = Exporter(nested.map { .nested(depth: $0) } ?? (lists ? .lists : .keys))
        if let file = try MappingFile(atPath: map) {
            guard !file.isKeyed else {
                throw GranaryError(
                    .unsupported,
                    "An export writes an array, and the file of mappings says @keyed. Export with a file that leaves it out."
                )
            }
            exporter.mappings = file.mappings
            exporter.root = file.root
        }
        if format == nil, to != "-" { try RecordFormat.require(inNameOf: to) }
        let (toOutput, progress) = (to == "-", ProgressLine())
        // On a terminal the line would stand among the records.
        if !toOutput || !output.isTerminal {
            exporter.progress = { [entity] in progress.show(entity, $0.exported) }
        }
        let target: ExportOutput =
            toOutput
            ? (format ?? .json).output(.standardOutput) : format?.output(.file(to)) ?? .file(to)
        var query = DynamicQuery(entity)
        if let condition { query = try query.where(condition) }
        defer { progress.end() }
        do {
            let (wanted, finished) = (query, exporter)
            let report = try await store.withRecordTypes(.readOnly) { stack in
                try await stack.export(wanted, to: target, with: finished)
            }
            guard !toOutput else { return }
            var facts = Facts()
            facts.add("exported", "\(report.exported)", ("exported", .count(report.exported)))
            facts.add("nested", report.nested > 0 ? "\(report.nested)" : nil, ("nested", .count(report.nested)))
            try facts.write(output, asJSON: isJSON)
        } catch let error as GranaryError where toOutput && error.underlying?.code == EPIPE {
            // Nothing reads any more.
        }
    }
}
