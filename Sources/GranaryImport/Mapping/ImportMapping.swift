public import GranaryCore

/// How the objects of a source become records of one entity, as far as names alone do not determine it.
///
/// ```swift
/// ImportMapping()
///     .map("name", from: "artist_name", "profile.names[0]")
///     .dates(.pattern("dd.MM.yyyy"), for: "born")
///     .ignore("debug")
///     .relate("songs", .add)
/// ```
///
/// All other keys are inferred: a key of the source means the attribute or relationship of the same name, without
/// regard to case, `_`, `-` and blanks. `ArtistID` and `artist_id` mean the key `id` of an Artist, and the reference
/// `artist` of a Song. An inferred key counts only if no mapped path has a value.
///
/// The names of attributes are checked when the import begins, and a wrong one throws `unknownAttribute`. This is so
/// for the imported entity, and for the entities in ``Importer/mappings``. Other entities are checked when their first
/// object comes.
public struct ImportMapping: Sendable {
    var paths: [String: [ImportPath]] = [:]
    var ignored: [ImportPath] = []
    var order: [String] = []
    var dateFormats: [ImportDateFormat]?
    var dateFormatsByName: [String: [ImportDateFormat]] = [:]
    var dataFormats: [String: ImportDataFormat] = [:]
    var transformers: [String: ImportTransformer] = [:]
    var absence: [String: ImportAbsence] = [:]
    var nulls: [String: ImportAbsence] = [:]
    var relationships: [String: RelationshipRule] = [:]
    var connections: [String: ImportConnection] = [:]
    /// The paths of records through which relationships are connected.
    var throughPaths: [String: String] = [:]
    var relationshipHooks: [String: RelationshipHooks] = [:]
    var choices: [ImportChoice] = []
    var takeovers: [ImportTakeover] = []
    var identity: [String]?
    var finder: (@Sendable (ImportValue, ImportPlace) throws -> AnyRequest?)?
    var modification: String?
    var infersKeys = true

    public init() {}

    /// Reads an attribute or a relationship from the first of these paths that has a value, null included.
    ///
    /// A key that is mapped in this way has no other meaning. An attribute with the same name as the key is read from
    /// it only if this is mapped too: `.map("country", from: "code").map("code", from: "code")`.
    ///
    /// The name may lead over to-one references to an attribute of another record: `.map("genre.label", from:
    /// "genreName")`. The values for one reference are imported as an object nested in its place. So they find or make
    /// its record, and change it. If the object also has a value for the reference itself, they are added to it: a key
    /// tells the record. If all of them are absent or null, the reference stays as it is.
    public func map(_ name: String, from paths: ImportPath...) -> ImportMapping {
        changed { $0.paths[name] = paths }
    }

    /// Leaves out these keys, or the values at these paths. The report of unknown keys omits them too.
    public func ignore(_ paths: ImportPath...) -> ImportMapping { changed { $0.ignored += paths } }

    /// Imports these keys before the others, in this order: for hooks and transformers that depend on each other.
    public func order(_ keys: String...) -> ImportMapping { changed { $0.order = keys } }

    /// Reads no keys of the source except those that ``map(_:from:)`` names.
    public func withoutInference() -> ImportMapping { changed { $0.infersKeys = false } }

    /// The formats of dates; the first matching one counts. For some attributes, or for all that have no formats of
    /// their own.
    public func dates(_ formats: ImportDateFormat..., for names: String...) -> ImportMapping {
        changed { mapping in
            if names.isEmpty { mapping.dateFormats = formats }
            for name in names { mapping.dateFormatsByName[name] = formats }
        }
    }

    /// The text form of the data of an attribute; base64 by default.
    public func data(_ format: ImportDataFormat, for names: String...) -> ImportMapping {
        changed { mapping in for name in names { mapping.dataFormats[name] = format } }
    }

    /// Changes the value of an attribute or a relationship before it is converted.
    ///
    /// - Parameters:
    ///   - name: The attribute or relationship.
    ///   - exporting: The inverse, for exports.
    ///   - importing: Returns the value to convert. Nil leaves the attribute unchanged; an error is reported for the
    ///     value. Return nil with a statement of its own: in `condition ? nil : value` the `nil` is
    ///     ``ImportValue/null``.
    public func transform(
        _ name: String, exporting: (@Sendable (ImportValue) throws -> ImportValue)? = nil,
        importing: @escaping @Sendable (ImportValue, ImportPlace) throws -> ImportValue?
    ) -> ImportMapping {
        changed { $0.transformers[name] = ImportTransformer(importing: importing, exporting: exporting) }
    }

    /// What happens to an attribute or relationship without a value in the source: by default it stays unchanged.
    public func whenAbsent(_ name: String, _ absence: ImportAbsence) -> ImportMapping {
        changed { $0.absence[name] = absence }
    }

    /// What happens to an attribute or relationship with `null` in the source: by default it is cleared, even if a
    /// default is declared.
    ///
    /// ```swift
    /// ImportMapping().whenNull("rating", .useDefault).whenNull("songs", .keep)
    /// ```
    ///
    /// A required attribute without a default stays unchanged, and the `null` is reported, except with `keep`.
    public func whenNull(_ name: String, _ absence: ImportAbsence) -> ImportMapping {
        changed { $0.nulls[name] = absence }
    }

    /// The attributes that identify the record of an object, instead of the key. They must be the attributes of a
    /// unique index.
    public func identify(by names: String...) -> ImportMapping {
        changed {
            $0.identity = names
            $0.finder = nil
        }
    }

    /// Finds the record of each object by a query that code makes from the object, instead of ``identify(by:)``: by
    /// attributes that are not unique, or among some records only.
    ///
    /// ```swift
    /// ImportMapping().identify { value, _ in
    ///     guard case .string(let title)? = value["title"] else { return nil }
    ///     return Song.where { $0.title == title && $0.album == album }.untyped
    /// }
    /// ```
    ///
    /// If the query finds one record, the object is this record; it may have no other key. If it finds none, the object
    /// is a new record, unless its key or unique attributes tell which it is. If it finds several, the object fails: let
    /// the query be ordered and limited to 1 to have the first. Values that name records in relationships are not asked
    /// for in this way.
    ///
    /// Cost: a query for each object, and objects are written one after the other, so that each query sees what earlier
    /// objects have changed. It does not see objects that still wait for later ones.
    ///
    /// - Parameter find: Returns a query of the entity's records; nil if it cannot tell, so that the object identifies
    ///   its record as without this code. If it throws, the object fails. It may be called again with the same object.
    public func identify(
        where find: @escaping @Sendable (ImportValue, ImportPlace) throws -> AnyRequest?
    ) -> ImportMapping {
        changed {
            $0.finder = find
            $0.identity = nil
        }
    }

    /// Skips an object if its value of this attribute is not newer than the record's. Texts in the form of RFC 3339 are
    /// compared as dates; any other text counts as newer unless it is equal.
    ///
    /// Objects nested in the object are still imported: each one is skipped or not by its own value.
    public func skipUnless(newer name: String) -> ImportMapping { changed { $0.modification = name } }

    private func changed(_ change: (inout ImportMapping) -> Void) -> ImportMapping {
        var mapping = self
        change(&mapping)
        return mapping
    }

    /// This mapping with the additions and replacements of another one.
    func overridden(by other: ImportMapping?) -> ImportMapping {
        guard let other else { return self }
        return changed { mapping in
            mapping.paths.merge(other.paths) { $1 }
            mapping.ignored += other.ignored
            if !other.order.isEmpty { mapping.order = other.order }
            mapping.dateFormats = other.dateFormats ?? dateFormats
            mapping.dateFormatsByName.merge(other.dateFormatsByName) { $1 }
            mapping.dataFormats.merge(other.dataFormats) { $1 }
            mapping.transformers.merge(other.transformers) { $1 }
            mapping.absence.merge(other.absence) { $1 }
            mapping.nulls.merge(other.nulls) { $1 }
            mapping.relationships.merge(other.relationships) { $1 }
            for name in other.connections.keys { mapping.throughPaths[name] = nil }
            for name in other.throughPaths.keys { mapping.connections[name] = nil }
            mapping.connections.merge(other.connections) { $1 }
            mapping.throughPaths.merge(other.throughPaths) { $1 }
            mapping.choices += other.choices
            mapping.takeovers.removeAll { own in other.takeovers.contains { $0.path == own.path } }
            mapping.takeovers += other.takeovers
            mapping.relationshipHooks.merge(other.relationshipHooks) { $0.overridden(by: $1) }
            if other.identity != nil || other.finder != nil {
                mapping.identity = other.identity
                mapping.finder = other.finder
            }
            mapping.modification = other.modification ?? modification
            mapping.infersKeys = infersKeys && other.infersKeys
        }
    }

    /// All names of attributes and relationships in it.
    var names: Set<String> {
        var names = Set(paths.keys).union(dateFormatsByName.keys).union(dataFormats.keys)
        names.formUnion(transformers.keys)
        names.formUnion(absence.keys)
        names.formUnion(nulls.keys)
        names.formUnion(relationships.keys)
        names.formUnion(connections.keys)
        names.formUnion(throughPaths.keys)
        names.formUnion(relationshipHooks.keys)
        names.formUnion(choices.flatMap(\.names))
        names.formUnion(identity ?? [])
        if let modification { names.insert(modification) }
        return names
    }
}

/// What happens to an attribute or relationship that the source does not have, or has as `null`.
public enum ImportAbsence: Sendable, Hashable {
    /// It stays unchanged; in a new record it gets the attribute's default.
    case keep
    /// It gets the attribute's default, or nil.
    case useDefault
    /// It becomes nil; a to-many relationship becomes empty.
    case clear
}

struct ImportTransformer: Sendable {
    let importing: @Sendable (ImportValue, ImportPlace) throws -> ImportValue?
    let exporting: (@Sendable (ImportValue) throws -> ImportValue)?
}
