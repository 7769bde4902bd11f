import ArgumentParser
import Foundation
import GranaryCore
import GranaryFormats
import GranaryImport
import GranaryPlatform
import GranarySQLite

struct ExportVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export", abstract: "Export records as JSON, JSON lines or CSV, or everything as SQLite.",
            discussion: """
                Without an entity all records go to a plain SQLite database that other programs read, in the file that --to names: \
                .sqlite, .sqlite3 or .db. A file that exists is not replaced: exit code 66.

                The records of an entity go to standard output, as JSON if no --format says otherwise. With --to they go to a file whose name \
                tells the format: .json, .jsonl, .ndjson, .csv or .tsv, each perhaps with .gz; it appears when it is whole, in the place of a file that was there. \
                An import of the file gives the same records.

                \(example(
                    "export Music.granary --to Music.sqlite",
                    "export Music.granary Artist > artists.json",
                    "export Music.granary Song --where 'plays > 100' --to songs.csv.gz",
                    "export Music.granary Artist --nested 1 --format jsonl"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Argument(help: "The records' entity; all of them if it is left out.")
    var entity: String?

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

    func validate() throws {
        if entity == nil {
            guard ["sqlite", "sqlite3", "db"].contains(where: { to.lowercased().hasSuffix(".\($0)") }) else {
                throw ValidationError(
                    "Name an entity; or a file that ends with .sqlite, .sqlite3 or .db with --to, for all of them.")
            }
            guard condition == nil, format == nil, map == nil, nested == nil, !lists else {
                throw ValidationError(
                    "Without an entity everything is written as it is. Name an entity, or leave options out.")
            }
        }
        if let nested, nested < 0 || lists { throw ValidationError("--nested takes a depth, and excludes --lists.") }
    }

    /// A comparison of values of different types is a mistake in the query: no record is refused.
    func exitCode(for error: GranaryError) -> ExitCode {
        error.code == .typeMismatch ? ToolExit.usage : ToolExit.code(for: error)
    }

    func hints(for error: GranaryError) -> [String] {
        error.code == .invalidQuery ? condition.map(QueryHints.hints) ?? [] : []
    }

    /// A file appears only when it is complete.
    func state(after interruption: GranaryError?) -> String {
        to == "-" ? "Nothing was changed, and the output is not whole." : "Nothing was changed."
    }

    func perform(_ output: Output) async throws {
        guard let entity else { return try await exportAll(output) }
        var exporter = Exporter(nested.map { .nested(depth: $0) } ?? (lists ? .lists : .keys))
        if let file = try MappingFile(atPath: map) {
            exporter.mappings = file.mappings
            exporter.root = file.root?.description
            exporter.isKeyed = file.isKeyed
        }
        if format == nil, to != "-" { try RecordFormat.require(inNameOf: to) }
        let (toOutput, progress) = (to == "-", ProgressLine())
        // On a terminal the progress line would appear between the records.
        if !toOutput || !output.isTerminal {
            exporter.progress = { progress.show(entity, $0.exported) }
        }
        let target: ExportOutput =
            toOutput
            ? (format ?? .json).output(.standardOutput) : format?.output(.file(to)) ?? .file(to)
        var query = Request(entity)
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
            // The output has no reader any more.
        }
    }

    private func exportAll(_ output: Output) async throws {
        let url = URL(filePath: to)
        let progress = ProgressLine()
        defer { progress.end() }
        try await store.withStack { try await $0.export(to: .sqliteFile(at: url), onProgress: progress.show) }
        progress.end()
        let size = try FileSystem.status(url.path).map { Int($0.size) } ?? 0
        if isJSON {
            try output.json(.object([("file", .string(url.path)), ("bytes", .count(size))]))
        } else {
            output.line("\(url.path), \(readableSize(size))")
        }
    }
}
