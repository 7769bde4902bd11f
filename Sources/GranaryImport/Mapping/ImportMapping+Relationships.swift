extension ImportMapping {
    /// How a relationship is imported.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - policy: What becomes of the records that were related before by a to-many relationship. A to-one reference always gets
    ///     the new value, and the record that it referred to stays: with another policy than `replace` the import throws
    ///     `invalidQuery`.
    ///   - names: The attributes of the target by which a value that is no object names it: its key, or those of one of its
    ///     unique indexes. Unless said, those that ``identify(by:)`` of the target's mapping says, otherwise its key. By several
    ///     attributes, a value is an array of theirs in this order: `["Axis", 1968]` names one record, and a list is an array of
    ///     such arrays.
    ///   - missing: What becomes of a value that names a record which does not exist.
    ///   - isKeyed: Whether an object is a dictionary of objects, each under its key (`@key`).
    public func relate(
        _ name: String, _ policy: ImportRelating = .replace, by names: String..., missing: ImportMissing = .wait,
        isKeyed: Bool = false
    ) -> ImportMapping {
        var mapping = self
        mapping.relationships[name] = RelationshipRule(
            policy: policy, identity: names, missing: missing, isKeyed: isKeyed)
        return mapping
    }
}

/// What becomes of the records that were related before an import.
public enum ImportRelating: Sendable, Hashable {
    /// Those that the source does not list are not related any more. The default.
    case replace
    /// They stay related.
    case add
    /// Those that the source does not list are deleted at the end of the import, following the delete rules, unless another
    /// list has them, or a record of the import failed.
    case replaceAndDelete
}

/// What becomes of a value that names a record which does not exist.
public enum ImportMissing: Sendable, Hashable {
    /// It waits for a record that comes later in the same import. What is still missing at the end is reported, and the
    /// reference stays as it was. The default.
    case wait
    /// As ``wait``. What is still missing at the end is kept in the store, as a ``PendingReference``, until an import into it
    /// brings the record or says something else. The schema must have room for it. A new record that cannot be without the
    /// reference fails.
    case keep
    /// A record that has nothing but what names it is made.
    case makeStub
    /// The reference becomes nil, or the list goes without it.
    case ignore
}

struct RelationshipRule: Sendable {
    var policy = ImportRelating.replace
    var identity: [String] = []
    var missing = ImportMissing.wait
    var isKeyed = false
}

/// A relationship that several values of an object name.
struct ImportConnection: Sendable {
    var pairs: [(path: ImportPath, attribute: String)]
    var missing: ImportMissing
    var condition: (@Sendable (ImportValue, ImportPlace) -> Bool)?

    var paths: [ImportPath] { pairs.map(\.path) }
}

extension ImportMapping {
    /// Connects a relationship by values of the object itself, each of which is an attribute of the target: foreign keys.
    ///
    /// ```swift
    /// ImportMapping()
    ///     .connect("album", ["album_title": "title", "artist_id": "artist"])
    ///     .connect("tags", ["tag_names": "name"])
    /// ```
    ///
    /// The attributes are the target's key or those of one of its unique indexes. If the source has none of the values, the
    /// relationship stays as it is.
    ///
    /// **To-many relationships.** Each value is an array, and the elements at one place name one record together:
    /// `{"titles": ["Axis", "Smash Hits"], "years": [1967, 1968]}`. A path leads through an array of objects:
    /// `["albums.title": "title", "albums.year": "year"]`. A value that is not an array counts for all records; if no value is an
    /// array, they name one record. Elements that are null are left out; `[]` empties the list. Arrays of different lengths
    /// are reported, and the list stays as it is. ``relate(_:_:by:missing:isKeyed:)`` says what becomes of the records that
    /// were related before.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - values: Where the values are in the source, and which attributes of the target they are.
    ///   - missing: What becomes of values that name a record which does not exist.
    ///   - condition: Tells of an object whether it is connected; if not, its relationship stays as it is. All are by default.
    public func connect(
        _ name: String, _ values: KeyValuePairs<ImportPath, String>, missing: ImportMissing = .wait,
        when condition: (@Sendable (ImportValue, ImportPlace) -> Bool)? = nil
    ) -> ImportMapping {
        var mapping = self
        mapping.connections[name] = ImportConnection(
            pairs: values.map { (path: $0.key, attribute: $0.value) }, missing: missing, condition: condition)
        return mapping
    }
}
