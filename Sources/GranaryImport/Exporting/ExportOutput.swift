import GranaryCore
public import GranaryFormats
import GranaryPlatform

/// The target of an export, and its format. The inverse of ``ImportInput``.
///
/// ```swift
/// try await stack.export(Artist.all, to: .file("artists.jsonl.gz"))
/// try await stack.export(Artist.all, to: .json(.standardOutput, .lines))
/// let bytes = try context.export(Artist.all, to: .csv(.bytes)).bytes
/// ```
public struct ExportOutput: Sendable {
    enum Format: Sendable {
        case json(JSONOptions.Layout, isPretty: Bool)
        case csv(CSVOptions)
    }

    let target: ByteTarget
    /// Nil if the name of the file does not show the format.
    let format: Format?

    /// A JSON array of objects, or JSON lines.
    ///
    /// - Parameters:
    ///   - target: The target of the bytes.
    ///   - layout: One array, or JSON lines: one object per line.
    ///   - isPretty: Whether members and elements get lines of their own. Ignored for JSON lines.
    public static func json(
        _ target: ByteTarget, _ layout: JSONOptions.Layout = .document, isPretty: Bool = false
    ) -> ExportOutput {
        ExportOutput(target: target, format: .json(layout, isPretty: isPretty))
    }

    /// CSV with one row per record. Of the relationships it has only references, as keys.
    public static func csv(_ target: ByteTarget, _ options: CSVOptions = CSVOptions()) -> ExportOutput {
        ExportOutput(target: target, format: .csv(options))
    }

    /// A file whose name ends with its format: `.json`, `.jsonl` or `.ndjson`, `.csv` or `.tsv`, optionally followed by
    /// `.gz`. With another name the export throws `unsupported`.
    ///
    /// The file appears when it is complete, and replaces a file with the same name.
    public static func file(_ path: String) -> ExportOutput {
        let target = ByteTarget.file(path)
        return switch FileFormat(ofFileNamed: path) {
        case .json: .json(target)
        case .jsonLines: .json(target, .lines)
        case .csv: .csv(target)
        case .tsv: .csv(target, .tsv)
        case nil: ExportOutput(target: target, format: nil)
        }
    }

    /// - Throws: `invalidPath` for a file in the folder of a store, which is reserved for the store; the errors of
    ///   opening the target.
    func open() throws -> any ByteSink {
        if let path = target.path { try StoreOnDisk.requireOutside(file: path) }
        return try target.open()
    }

    func knownFormat() throws -> Format {
        guard let format else {
            throw GranaryError(
                .unsupported,
                "The name of the file does not tell its format. Say .json(.file(path)) or .csv(.file(path)).")
        }
        return format
    }
}

/// A format shown by the end of a file's name.
package enum FileFormat: Sendable {
    case json, jsonLines, csv, tsv

    /// Nil if the name does not show the format.
    package init?(ofFileNamed path: String) {
        var name = path.lowercased()
        if name.hasSuffix(".gz") { name.removeLast(3) }
        switch name.split(separator: "/").last?.split(separator: ".").last {
        case "json": self = .json
        case "jsonl", "ndjson": self = .jsonLines
        case "csv": self = .csv
        case "tsv": self = .tsv
        default: return nil
        }
    }
}
