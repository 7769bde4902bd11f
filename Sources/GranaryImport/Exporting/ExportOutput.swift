import GranaryCore
public import GranaryFormats
import GranaryPlatform

/// Where records are exported to, and in which format. The inverse of ``ImportInput``.
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
    /// Nil if the name of the file does not tell it.
    let format: Format?

    /// A JSON array of objects, or JSON lines.
    ///
    /// - Parameters:
    ///   - target: Where the bytes go.
    ///   - layout: One array, or JSON lines: an object a line.
    ///   - isPretty: Whether members and elements get lines of their own. Without effect on JSON lines.
    public static func json(
        _ target: ByteTarget, _ layout: JSONOptions.Layout = .document, isPretty: Bool = false
    ) -> ExportOutput {
        ExportOutput(target: target, format: .json(layout, isPretty: isPretty))
    }

    /// CSV, a row a record. Without relationships but references, which are keys.
    public static func csv(_ target: ByteTarget, _ options: CSVOptions = CSVOptions()) -> ExportOutput {
        ExportOutput(target: target, format: .csv(options))
    }

    /// A file, in the format that its name ends with: `.json`, `.jsonl` or `.ndjson`, `.csv` or `.tsv`, each perhaps with
    /// `.gz`. With another name the export throws `unsupported`.
    ///
    /// The file appears when it is whole, in place of one that has the name.
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

    /// - Throws: `invalidPath` for a file in the folder of a store, whose files are the store's; what opening the target throws.
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

/// A format that the name of a file ends with.
package enum FileFormat: Sendable {
    case json, jsonLines, csv, tsv

    /// Nil if the name does not tell the format.
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
