public import GranaryCore

extension ImportMapping {
    /// Defines how a relationship is imported.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - policy: What happens to the records that were related before. A to-one reference always gets the new value,
    ///     so with `add` the import throws `invalidQuery`.
    ///   - names: The attributes of the target by which a plain value, not an object, names it: its key, or the
    ///     attributes of one of its unique indexes. By default the attributes of ``identify(by:)`` in the target's
    ///     mapping, otherwise its key. With several attributes, a value is an array of their values in this order:
    ///     `["Axis", 1968]` names one record, and a list is an array of such arrays.
    ///   - missing: What happens to a value that names a record which does not exist.
    ///   - isKeyed: Whether the value is a dictionary of objects, each under its key (`@key`).
    ///   - updatesRelated: For a to-one reference: whether an object that does not identify its record updates the
    ///     record that is related in the store. If none is related, the object is a new record. Such objects are
    ///     written one after the other, with a request for each. For a to-many relationship the import throws
    ///     `invalidQuery`.
    public func relate(
        _ name: String, _ policy: ImportRelating = .replace, by names: String..., missing: ImportMissing = .wait,
        isKeyed: Bool = false, updatesRelated: Bool = false
    ) -> ImportMapping {
        var mapping = self
        mapping.relationships[name] = RelationshipRule(
            policy: policy, identity: names, missing: missing, isKeyed: isKeyed, updatesRelated: updatesRelated)
        return mapping
    }
}

/// What happens to the records that were related before an import.
public enum ImportRelating: Sendable, Hashable {
    /// Records that the source does not list are no longer related. The default.
    case replace
    /// They stay related.
    case add
    /// Records that the source does not list are deleted at the end of the import, following the delete rules. They
    /// stay if another list has them, or if a record of the import failed. Of a to-one reference, this is the record
    /// that it referred to before the source gave it another one, or null; it stays if another record refers to it by
    /// the same reference. With ``ImportCommits/every(_:)``, objects that change such a reference are held in memory
    /// until the end.
    case replaceAndDelete
}

/// What happens to a value that names a record which does not exist.
public enum ImportMissing: Sendable, Hashable {
    /// The value waits for a record that comes later in the same import. If the record is still missing at the end,
    /// this is reported, and the reference stays unchanged. The default.
    case wait
    /// As ``wait``. If the record is still missing at the end, the reference is kept in the store, as a
    /// ``PendingReference``, until a later import brings the record or another value. The schema must have a type for
    /// it. A new record fails if it requires the reference.
    case keep
    /// A new record is made with only the values that name it.
    case makeStub
    /// The reference becomes nil, or the list omits the record.
    case ignore
}

struct RelationshipRule: Sendable {
    var policy = ImportRelating.replace
    var identity: [String] = []
    var missing = ImportMissing.wait
    var isKeyed = false
    var updatesRelated = false
}

/// A relationship whose records are named by several values of an object.
struct ImportConnection: Sendable {
    var pairs: [(path: ImportPath, attribute: String)]
    var candidates: AnyRequest?
    var missing: ImportMissing
    var condition: (@Sendable (ImportValue, ImportPlace) -> Bool)?

    var paths: [ImportPath] { pairs.map(\.path) }
}

extension ImportMapping {
    /// Connects a relationship by foreign keys: values of the object itself, each for an attribute of the target.
    ///
    /// ```swift
    /// ImportMapping()
    ///     .connect("album", ["album_title": "title", "artist_id": "artist"])
    ///     .connect("tags", ["tag_names": "name"])
    /// ```
    ///
    /// If the source has none of the values, the relationship stays unchanged.
    ///
    /// **Attributes that are not unique, and conditions.** If the attributes do not identify records, or `candidates`
    /// says among which records, the records that have the values are looked for at the end of the import, whatever
    /// comes when. A list gets all of them, a reference the first: in the order of `candidates`, or by key. Then a
    /// value that is null or absent names no record, `missing` is `wait` or `ignore`, and hooks of the relationship are
    /// not called. A required reference of a new record cannot be connected in this way.
    ///
    /// ```swift
    /// ImportMapping().connect("hits", ["artist": "artist"], among: Song.where { $0.plays > 1_000 }.untyped)
    /// ```
    ///
    /// **To-many relationships.** Each value is an array, and the elements with the same index together name one
    /// record: `{"titles": ["Axis", "Smash Hits"], "years": [1967, 1968]}`. A path may lead through an array of
    /// objects: `["albums.title": "title", "albums.year": "year"]`. A value that is not an array counts for all
    /// records; if no value is an array, they name one record. Elements that are null are left out; `[]` empties the
    /// list. Arrays of different lengths are reported, and the list stays unchanged.
    /// ``relate(_:_:by:missing:isKeyed:updatesRelated:)`` defines what happens to the records that were related
    /// before.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - values: The paths of the values in the source, and the attributes of the target for them.
    ///   - candidates: A query of the records that may be connected, without limit and offset; nil for all.
    ///   - missing: What happens to values that name a record which does not exist.
    ///   - condition: Returns whether an object is connected; if not, its relationship stays unchanged. By default all
    ///     objects are.
    public func connect(
        _ name: String, _ values: KeyValuePairs<ImportPath, String>, among candidates: AnyRequest? = nil,
        missing: ImportMissing = .wait, when condition: (@Sendable (ImportValue, ImportPlace) -> Bool)? = nil
    ) -> ImportMapping {
        var mapping = self
        mapping.throughPaths[name] = nil
        mapping.connections[name] = ImportConnection(
            pairs: values.map { (path: $0.key, attribute: $0.value) }, candidates: candidates, missing: missing,
            condition: condition)
        return mapping
    }

    /// Connects a relationship with the records that a path of the record itself leads to, over references and to-many
    /// relationships.
    ///
    /// ```swift
    /// ImportMapping().connect("artist", through: "album.artist")   // of a Song
    /// ImportMapping().connect("genres", through: "albums.songs.genre")   // of an Artist
    /// ```
    ///
    /// This is done at the end of the import, after all other connections, for each record of the entity that the
    /// source has an object for. A list gets each record once, in the order of the path; a reference the first. If the
    /// path leads to no record, the list becomes empty, and the reference nil unless it is required.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - path: The names of references and to-many relationships, with dots between them. A path that does not lead
    ///     to records of the relationship's entity throws `invalidQuery`.
    public func connect(_ name: String, through path: String) -> ImportMapping {
        var mapping = self
        mapping.connections[name] = nil
        mapping.throughPaths[name] = path
        return mapping
    }
}
