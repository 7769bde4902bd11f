import ArgumentParser
import Foundation
import GranaryCore
import GranaryFormats
import GranaryImport
import GranaryPlatform

/// A format of files with records.
enum RecordFormat: String, ExpressibleByArgument, CaseIterable {
    case json, jsonl, csv, tsv

    /// - Throws: `usage` if the name of a file does not show its format. A folder stands for the files in it.
    static func require(inNameOf path: String) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { return }
        var name = path.lowercased()
        if name.hasSuffix(".gz") { name.removeLast(3) }
        if ["json", "jsonl", "ndjson", "csv", "tsv"].contains(where: { name.hasSuffix(".\($0)") }) { return }
        throw GranaryError(.usage, "The name of \(path) does not tell its format. Say it with --format.")
    }

    /// - Throws: `invalidInput` if the file is a database or an archive, and not a file of records. A folder stands for
    ///   the files in it.
    static func requireText(_ path: String) throws {
        guard let kind = ForeignFile(path) else { return }
        throw GranaryError(
            .invalidInput, "\(path) is \(kind.name), which holds no JSON or CSV as it is. \(kind.advice)")
    }

    private var csvOptions: CSVOptions { self == .tsv ? .tsv : CSVOptions() }

    func input(_ source: ByteSource, _ form: TableForm = TableForm()) -> ImportInput {
        switch self {
        case .json: .json(source)
        case .jsonl: .json(source, JSONOptions(layout: .lines))
        case .csv, .tsv: .csv(source, csvOptions(form))
        }
    }

    func csvOptions(_ form: TableForm) -> CSVOptions {
        var options = csvOptions
        options.hasHeader = form.hasHeader
        if let delimiter = form.delimiter { options.delimiter = delimiter }
        if let quote = form.quote { options.quote = quote.character }
        return options
    }

    /// The format that the name of a file shows.
    init?(ofFileNamed path: String) {
        switch FileFormat(ofFileNamed: path) {
        case .json: self = .json
        case .jsonLines: self = .jsonl
        case .csv: self = .csv
        case .tsv: self = .tsv
        case nil: return nil
        }
    }

    func output(_ target: ByteTarget) -> ExportOutput {
        switch self {
        case .json: .json(target)
        case .jsonl: .json(target, .lines)
        case .csv, .tsv: .csv(target, csvOptions)
        }
    }
}

/// The quote character of CSV: one ASCII character, or none.
struct QuoteArgument: ExpressibleByArgument, Equatable {
    /// Nil if no field is quoted.
    let character: UInt8?

    init?(argument: String) {
        if argument == "none" {
            character = nil
        } else if argument.utf8.count == 1, let byte = argument.utf8.first, byte < 0x80 {
            character = byte
        } else {
            return nil
        }
    }
}

/// Facts about CSV files that their format alone does not determine.
struct TableForm: Equatable {
    /// The delimiter of columns; nil for that of the format.
    var delimiter: UInt8?
    /// Nil for that of the format.
    var quote: QuoteArgument?
    /// Whether the first row has the names of the columns.
    var hasHeader = true
}

/// Files to import, one after the other. `-` is standard input.
struct RecordFiles: AheadReadable, SizedSource {
    let paths: [String]
    let format: RecordFormat?
    var form = TableForm()

    var canBeReadAhead: Bool {
        (try? sources)?.allSatisfy { ($0.source as? any AheadReadable)?.canBeReadAhead ?? false } ?? false
    }

    var byteCount: Int? {
        guard let sources = try? sources else { return nil }
        let counts = sources.map { ($0.source as? any SizedSource)?.byteCount }
        return counts.contains(nil) ? nil : counts.reduce(0) { $0 + ($1 ?? 0) }
    }

    func makeReader(_ layout: ImportLayout) throws -> any ImportReader { SuccessiveItems(try sources, layout) }

    private var sources: [(name: String?, source: any ImportSource)] {
        get throws {
            try paths.flatMap { path -> [(name: String?, source: any ImportSource)] in
                let name = paths.count > 1 ? path.inOneLine : nil
                if path == "-" { return [(name, input(.standardInput, format ?? .json))] }
                if format == nil, isPlain { return [(name, URL(filePath: path))] }
                let files = try RecordFiles.files(at: path)
                return files.compactMap { file in
                    guard let format = format ?? RecordFormat(ofFileNamed: file) else { return nil }
                    return (files.count > 1 ? file.inOneLine : name, input(.file(file), format))
                }
            }
        }
    }

    /// Whether no option about CSV was given, so that files are read as their names show.
    private var isPlain: Bool { form == TableForm() }

    private func input(_ source: ByteSource, _ format: RecordFormat) -> ImportInput {
        format.input(source, form)
    }

    /// The column names of the CSV files, if they can be read; only of the first ten files.
    var headers: [(path: String, names: [String])] {
        guard form.hasHeader else { return [] }
        return paths.filter(ForeignFile.isRegular).prefix(10).compactMap { path in
            guard let format = format ?? RecordFormat(ofFileNamed: path), [.csv, .tsv].contains(format),
                let reader = try? CSVReader(.file(path), format.csvOptions(form))
            else { return nil }
            return (path, reader.header)
        }
    }

    /// A file, or the files of a folder, without hidden files and subfolders.
    private static func files(at path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return [path]
        }
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { "\(path)/\($0)" }.filter {
            var isInner: ObjCBool = false
            return !($0.split(separator: "/").last?.hasPrefix(".") ?? true)
                && FileManager.default.fileExists(atPath: $0, isDirectory: &isInner) && !isInner.boolValue
        }
    }
}

extension MappingFile {
    /// The mappings of a file; nil if `path` is nil.
    init?(atPath path: String?) throws {
        guard let path else { return nil }
        guard let data = try WholeFile.contents(path) else {
            throw GranaryError(.io, "The file of mappings \(path) cannot be read. Check its path.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw GranaryError(.invalidInput, "The file of mappings \(path) is not UTF-8. Write it again in UTF-8.")
        }
        try self.init(parsing: text)
    }
}

extension StoreArgument {
    /// Runs a body with a stack. If the store has the schema of the app that embeds the tool, the stack knows the app's
    /// record types, so that their mappings, hooks and rules hold.
    func withRecordTypes<T>(_ access: StoreAccess, _ body: (Stack) async throws -> T) async throws -> T {
        guard let schema = ToolApplication.current.schema, try kind() != .memory else {
            return try await withStack(access, body)
        }
        let (stored, keepsHistory) = try await withStack { stack in
            (stack.schema, try await stack.read { try $0.lastHistoryEntry() } != nil)
        }
        guard stored.fingerprint == schema.fingerprint else {
            Notes.remark(
                "The store has another schema than this program's records: their mappings, hooks and rules are not used."
            )
            return try await withStack(access, body)
        }
        let stack = try await Stack(
            schema, store: try kind().provider(at: path, access: access), migration: .refuse,
            history: keepsHistory && access == .readWrite ? .everything : .none)
        return try await stack.closing(after: body)
    }
}
