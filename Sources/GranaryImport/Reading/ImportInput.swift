import Foundation
import GranaryCore
public import GranaryPlatform
public import GranaryFormats

/// Objects in JSON, JSON lines or CSV: in a file, in memory, or from another source. They are read one after the other,
/// in constant memory; gzip archives are unpacked.
///
/// ```swift
/// try await stack.import(.json(.file("artists.json")), as: Artist.self)
/// try await stack.import(.csv(.file("artists.csv.gz"), CSVOptions(delimiter: UInt8(ascii: ";"))), as: Artist.self)
/// ```
public struct ImportInput: ImportSource, AheadReadable, SizedSource {
    private enum Format: Sendable {
        case json(JSONOptions)
        case csv(CSVOptions)
    }

    private let source: ByteSource
    private let format: Format

    fileprivate init(json source: ByteSource, _ options: JSONOptions) {
        self.source = source
        format = .json(options)
    }

    fileprivate init(csv source: ByteSource, _ options: CSVOptions) {
        self.source = source
        format = .csv(options)
    }

    package var canBeReadAhead: Bool { source.isAtHand }
    /// Whether its bytes come only once, as those of a stream do.
    var isReadOnce: Bool { !source.isAtHand && (source.fileName == nil || source.fileSize != nil) }
    package var byteCount: Int? { source.fileSize }

    public func makeReader(_ layout: ImportLayout) throws -> any ImportReader {
        let source = source.metered(by: layout.meter)
        switch format {
        case .json(let options): return try JSONItems(source, options, layout)
        case .csv(let options):
            guard layout.root == nil, !layout.isKeyed else {
                throw GranaryError(
                    .unsupported, "CSV is rows alone. Leave the importer's root and isKeyed out.")
            }
            return try CSVItems(source, options)
        }
    }
}

extension ImportInput: LineSource {
    func lines() -> (source: ByteSource, options: JSONOptions)? {
        guard case .json(let options) = format, options.layout == .lines else { return nil }
        return (source, options)
    }
}

extension ImportSource where Self == ImportInput {
    /// The JSON of a source: an array of objects, or one object; JSON lines if the options say so.
    public static func json(_ source: ByteSource, _ options: JSONOptions = JSONOptions()) -> ImportInput {
        ImportInput(json: source, options)
    }

    /// The CSV of a source. Each row is an object whose keys are the names in the header, or `0`, `1`, ... without a
    /// header. An empty field without quotes is null.
    public static func csv(_ source: ByteSource, _ options: CSVOptions = CSVOptions()) -> ImportInput {
        ImportInput(csv: source, options)
    }
}

extension URL: ImportSource {
    /// The objects of a file, by the end of its name: `.json`, `.jsonl` or `.ndjson`, `.csv` or `.tsv`, optionally
    /// followed by `.gz`. A folder stands for its files of these kinds in the order of their names, without hidden
    /// files and subfolders.
    ///
    /// - Throws: `unsupported` for a file with another name, `invalidInput` for a folder without such a file; the
    ///   errors of opening them.
    public func makeReader(_ layout: ImportLayout) throws -> any ImportReader {
        guard isFileURL else {
            throw GranaryError(.unsupported, "Only files are imported by URL. Load the data first, and import that.")
        }
        guard isFolder else {
            guard let input = ImportInput(filePath: path) else {
                throw GranaryError(
                    .unsupported,
                    "The name of the file does not tell its format. Say .json(.file(path)) or .csv(.file(path)).")
            }
            return try input.makeReader(layout)
        }
        let inputs = try filesOfFolder().map { (name: $0.name as String?, source: $0.input as any ImportSource) }
        guard !inputs.isEmpty else {
            throw GranaryError(
                .invalidInput, "The folder \(path) has no file that ends in .json, .jsonl, .ndjson, .csv or .tsv.")
        }
        return SuccessiveItems(inputs, layout)
    }

    private var isFolder: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The files of a folder whose names show their formats.
    private func filesOfFolder() throws -> [(name: String, input: ImportInput)] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        return names.filter(ImportInput.isNamed).compactMap { name in
            ImportInput(filePath: "\(path)/\(name)").map { (name: name, input: $0) }
        }
    }
}

extension URL: AheadReadable {
    /// In a folder, the next file is read while records of the previous file are still imported.
    package var canBeReadAhead: Bool {
        guard isFileURL else { return false }
        guard isFolder else { return ImportInput(filePath: path)?.canBeReadAhead ?? false }
        return (try? filesOfFolder())?.allSatisfy { $0.input.canBeReadAhead } ?? false
    }
}

extension URL: SizedSource {
    package var byteCount: Int? {
        guard isFileURL else { return nil }
        guard isFolder else { return ImportInput(filePath: path)?.byteCount }
        return (try? filesOfFolder())?.map(\.input).byteCount
    }
}

extension Sequence where Element: SizedSource {
    /// The sum of the sizes in bytes; nil if one is unknown.
    package var byteCount: Int? {
        var sum = 0
        for source in self {
            guard let count = source.byteCount else { return nil }
            sum += count
        }
        return sum
    }
}

extension URL: LineSource {
    func lines() -> (source: ByteSource, options: JSONOptions)? {
        guard isFileURL, !isFolder else { return nil }
        return ImportInput(filePath: path)?.lines()
    }
}

extension ImportInput {
    /// Nil if the name does not show the format.
    fileprivate init?(filePath path: String) {
        let source = ByteSource.file(path)
        switch FileFormat(ofFileNamed: path) {
        case .json: self.init(json: source, JSONOptions())
        case .jsonLines: self.init(json: source, JSONOptions(layout: .lines))
        case .csv: self.init(csv: source, CSVOptions())
        case .tsv: self.init(csv: source, .tsv)
        case nil: return nil
        }
    }

    /// Whether the name of a file in a folder shows its format. Hidden files, which systems leave behind, are ignored.
    static func isNamed(_ name: String) -> Bool { !name.hasPrefix(".") && ImportInput(filePath: name) != nil }
}

/// The objects of several files, one file after the other.
package final class SuccessiveItems: ImportReader {
    private var inputs: ArraySlice<(name: String?, source: any ImportSource)>
    private let layout: ImportLayout
    private var current: (any ImportReader)?
    private var name: String?
    /// The input of the last object without the name of its file, and the same with the name.
    private var named: (before: ImportPlace.Input?, input: ImportPlace.Input)?
    /// The total size in bytes of the files before the current one.
    private var bytesBefore = 0
    /// Whether the rest of an input is left out because of the last error.
    private(set) var hasLeftOut = false

    package init(_ inputs: [(name: String?, source: any ImportSource)], _ layout: ImportLayout) {
        self.inputs = inputs[...]
        self.layout = layout
    }

    package var fileName: String? { current?.fileName ?? name }
    package var bytesRead: Int { bytesBefore + (current?.bytesRead ?? 0) }

    package func next() throws -> ImportItem? {
        while true {
            if var item = try current?.next() {
                if !item.place.namesFile { item.place.input = withFileName(item.place) }
                return item
            }
            end()
            guard let input = inputs.popFirst() else { return nil }
            name = input.name
            named = nil
            current = try input.source.makeReader(layout)
        }
    }

    /// The input of objects in the current file, with the file's name.
    private func withFileName(_ place: ImportPlace) -> ImportPlace.Input {
        if let named, named.before === place.input { return named.input }
        let input = ImportPlace.Input(
            root: place.root, isTable: place.isTable, isUnquoted: place.isUnquoted, file: fileName ?? place.file,
            isOneOfSeveral: fileName != nil)
        named = (place.input, input)
        return input
    }

    package func skip(after error: any Error) throws {
        do {
            try current?.skip(after: error)
            hasLeftOut = current.map { ($0 as? SuccessiveItems)?.hasLeftOut ?? false } ?? true
        } catch {
            // The rest of this input cannot be read, but the next input can.
            end()
            hasLeftOut = true
        }
    }

    private func end() {
        bytesBefore = bytesRead
        current = nil
    }
}
