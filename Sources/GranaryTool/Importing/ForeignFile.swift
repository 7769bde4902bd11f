import Foundation

/// A kind of file that is sometimes mistaken for a file of records or for a seed, recognised by its first bytes.
enum ForeignFile: CaseIterable {
    case sqlite, zip, bzip2, xz, zstandard

    /// Nil if the file cannot be read, or is of another kind. Pipes are not examined, because bytes read from a pipe
    /// are lost.
    init?(_ path: String) {
        guard ForeignFile.isRegular(path), let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let start = try? file.read(upToCount: 16) else { return nil }
        guard let kind = ForeignFile.allCases.first(where: { start.starts(with: $0.mark) }) else { return nil }
        self = kind
    }

    /// Whether the path is a file that can be read twice.
    static func isRegular(_ path: String) -> Bool {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    private var mark: [UInt8] {
        switch self {
        case .sqlite: Array("SQLite format 3\u{0}".utf8)
        case .zip: [0x50, 0x4B, 0x03, 0x04]
        case .bzip2: Array("BZh".utf8)
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        case .zstandard: [0x28, 0xB5, 0x2F, 0xFD]
        }
    }

    var name: String {
        switch self {
        case .sqlite: "an SQLite database"
        case .zip: "a zip archive"
        case .bzip2: "an archive of bzip2"
        case .xz: "an archive of xz"
        case .zstandard: "an archive of zstd"
        }
    }

    var advice: String {
        switch self {
        case .sqlite:
            "Write each table into a file of its own, with `sqlite3 -csv -header FILE 'SELECT * FROM TABLE'`, and import that."
        case .zip, .bzip2, .xz, .zstandard: "Unpack it first: of packed files, those of gzip are read."
        }
    }
}
