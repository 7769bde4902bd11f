import GranaryCore

/// How an export is done. Every property has a default; the simplest export needs none:
///
/// ```swift
/// try await stack.export(Artist.all, to: .file("artists.json"))
///
/// var exporter = Exporter(.nested(depth: 2))
/// exporter.mapping = ImportMapping().map("name", from: "artist_name")
/// try await stack.export(Artist.all, to: .file("artists.jsonl.gz"), with: exporter)
/// ```
///
/// The mappings are those of an import, followed the other way: an import with the same mappings into an empty store gives the
/// same records.
public struct Exporter: Sendable {
    public var relationships: ExportedRelationships
    /// For the entity that is exported, over what its type says.
    public var mapping = ImportMapping()
    /// For other entities, by name, over what their types say.
    public var mappings: [String: ImportMapping] = [:]
    /// The keys of objects to put the array of records in, such as `data.artists`; of JSON lines each record. Nil for none.
    public var root: String?
    /// Whether the records are written as a dictionary of objects, each under its key, in place of an array. The key is the
    /// attribute that is mapped from `@key`, or the record's key. JSON alone has dictionaries.
    public var isKeyed = false
    /// Called after each 500 records, with the report so far.
    public var progress: (@Sendable (ExportReport) -> Void)?

    public init(_ relationships: ExportedRelationships = .keys) { self.relationships = relationships }
}

/// How the relationships of records are written.
public enum ExportedRelationships: Sendable, Hashable {
    /// A reference as the key of the record that it names. To-many relationships are not written: the related records, or
    /// the records of the links, have the references. The default.
    case keys
    /// As ``keys``, and each to-many relationship as the list of the related records' keys, in its order.
    case lists
    /// References as objects and to-many relationships as arrays of objects, in their order, to a depth; as ``keys`` below it.
    ///
    /// What leads back is left out: an album within an artist does not have the artist again. A record within itself is
    /// written as its key.
    ///
    /// What would be nested deeper than the 512 levels that an import reads, or than the stack of the thread holds, throws
    /// `limit`. Awaited exports have a stack of 8 MB.
    case nested(depth: Int)
}

/// What an export did.
public struct ExportReport: Sendable {
    /// How many records of the query were written.
    public var exported = 0
    /// How many objects were written within others.
    public var nested = 0
    /// What was written, of an export to `bytes`; empty until it has ended.
    public var bytes: [UInt8] = []
}
