import GranaryCore

/// The options of an export. Every property has a default; the simplest export needs none:
///
/// ```swift
/// try await stack.export(Artist.all, to: .file("artists.json"))
///
/// var exporter = Exporter(.nested(depth: 2))
/// exporter.mapping = ImportMapping().map("name", from: "artist_name")
/// try await stack.export(Artist.all, to: .file("artists.jsonl.gz"), with: exporter)
/// ```
///
/// The mappings are those of an import, applied in reverse: an import with the same mappings into an empty store gives
/// the same records.
public struct Exporter: Sendable {
    public var relationships: ExportedRelationships
    /// The mapping of the exported entity. It overrides the mapping of its type.
    public var mapping = ImportMapping()
    /// The mappings of other entities, by name. They override the mappings of their types.
    public var mappings: [String: ImportMapping] = [:]
    /// The keys of objects around the array of records, such as `data.artists`; with JSON lines around each record. Nil
    /// for none.
    public var root: String?
    /// Whether the records are written as a dictionary of objects, each under its key, instead of an array. The key is
    /// the attribute that is mapped from `@key`, or the record's key. Only JSON has dictionaries.
    public var isKeyed = false
    /// Called after each 500 records, with the report so far.
    public var progress: (@Sendable (ExportReport) -> Void)?

    public init(_ relationships: ExportedRelationships = .keys) { self.relationships = relationships }
}

/// How the relationships of records are written.
public enum ExportedRelationships: Sendable, Hashable {
    /// A reference is written as the key of its target. To-many relationships are not written: the related records, or
    /// the records of the links, have the references. The default.
    case keys
    /// As ``keys``, and each to-many relationship as the list of the related records' keys, in its order.
    case lists
    /// References are written as objects and to-many relationships as arrays of objects, in their order, down to
    /// `depth` levels; below that as with ``keys``.
    ///
    /// Relationships that lead back are left out: an album within an artist does not have the artist again. A record
    /// within itself is written as its key.
    ///
    /// If an object would be nested deeper than the 512 levels that an import reads, or deeper than the stack of the
    /// thread allows, `limit` is thrown. Awaited exports have a stack of 8 MB.
    case nested(depth: Int)
}

/// The result of an export.
public struct ExportReport: Sendable {
    /// How many records of the query were written.
    public var exported = 0
    /// How many objects were written within other objects.
    public var nested = 0
    /// The written bytes of an export to `bytes`; empty until it has ended.
    public var bytes: [UInt8] = []
}
