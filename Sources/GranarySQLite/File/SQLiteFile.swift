import GranaryPlatform
public import GranaryStoreKit

/// A plain SQLite database in one file, for other programs: `.sqliteFile(at:)`.
///
/// | attribute | column |
/// |---|---|
/// | `bool` | INTEGER, 0 or 1 |
/// | integers | INTEGER |
/// | `float`, `double` | REAL |
/// | `decimal`, `decimal(places)` | TEXT with all digits, such as `12.50` without the last zero: `CAST(price AS REAL)` orders by value |
/// | `string`, `url`, `json` | TEXT |
/// | `date` | TEXT in UTC, such as `2024-05-01T12:30:00.25Z`; seconds since 1970 for years before 0 and after 9999 |
/// | `uuid` | TEXT, such as `00112233-4455-6677-8899-AABBCCDDEEFF` |
/// | `data` | BLOB |
///
/// An entity is a table with its name, and so are the links of a many-to-many relationship. Keys are primary keys.
/// References are foreign keys with the delete rule, except those that may dangle. Indexes are those of the schema. An
/// index that ignores case becomes one that ignores the case of ASCII letters, or, if it is unique, one over the texts
/// as they are.
public struct SQLiteFile: StoreExport {
    let url: URL

    public func write(_ reader: any StoreReader) throws {
        let (folder, name) = try place()
        // It has a name of its own, because the file's name with a suffix may be too long. It stays open and locked to
        // the end.
        let (file, unfinished) = try UnfinishedFile.create(in: folder)
        do {
            try SQLiteFileWriter(reader, path: folder.path(of: unfinished)).write()
            try file.synchronize()
            try LongWork.checkCancellation()
            guard try folder.rename(unfinished, toFree: name) else { throw taken }
        } catch {
            try? folder.removeFile(unfinished)
            throw error
        }
        try folder.synchronize()
    }

    private var taken: GranaryError {
        GranaryError(
            .invalidPath,
            "There is something at \(url.path), which an export to SQLite never replaces. Choose another path."
        )
    }

    /// The folder and the name of the new file. The name must be free.
    private func place() throws -> (folder: OpenFolder, name: String) {
        let name = url.lastPathComponent
        guard url.isFileURL, !["", "/", ".", ".."].contains(name) else {
            throw GranaryError(.invalidPath, "The URL names no file. Give the URL of a file that does not exist yet.")
        }
        let folder = try OpenFolder(try FileSystem.realPath(url.deletingLastPathComponent().path))
        guard try folder.status(name) == nil else { throw taken }
        try StoreOnDisk.requireOutside(folder.path(of: name))
        return (folder, name)
    }
}

extension StoreExport where Self == SQLiteFile {
    /// A plain SQLite database in one file, with tables and columns named like entities and attributes, for any tool.
    /// See ``SQLiteFile`` for the contents of its columns.
    ///
    /// ```swift
    /// try await stack.export(to: .sqliteFile(at: url))
    /// ```
    ///
    /// The file is not a store: it cannot be opened as one. It appears when it is complete, for this user alone.
    public static func sqliteFile(at url: URL) -> Self { SQLiteFile(url: url) }
}
