public import GranaryCore

/// A relationship of a record that an import has written: what the hooks of relationships are called with.
public struct ImportedRelationship: Sendable {
    /// The entity of the record whose relationship it is.
    public let entity: String
    /// The key of that record.
    public let key: StoredValue
    /// The name of the reference or of the to-many relationship.
    public let name: String
    /// What the source has for it, as ``ImportMapping/transform(_:exporting:importing:)`` has left it.
    public let value: ImportValue
    /// Where in the source that is.
    public let place: ImportPlace

    /// The record whose relationship it is.
    ///
    /// - Throws: `typeMismatch` if records of the type have other keys.
    public func owner<R: Record>(_ type: R.Type) throws -> Ref<R> {
        try key.withCell { Ref<R>(try R.Key.decode($0)) }
    }
}

extension ImportMapping {
    /// Has a relationship imported by code of your own. The import does nothing else with what the source has for it.
    ///
    /// ```swift
    /// ImportMapping().takeOver("songs") { relationship, tx in
    ///     let artist = try relationship.owner(Artist.self)
    ///     ...
    /// }
    /// ```
    ///
    /// The code is called once for each object that has a value for the relationship, `null` included, at the end of the
    /// object's batch: all records of the batch are written by then. Where the import is undone, what the code writes is
    /// undone too. It is not called for objects that are skipped or fail.
    ///
    /// A required reference that is taken over has no value when a new record is written: such a record fails.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - body: Gets the relationship, and what it can read and write with. Throwing fails the object.
    public func takeOver(
        _ name: String, _ body: @escaping @Sendable (ImportedRelationship, Context) throws -> Void
    ) -> ImportMapping {
        var mapping = self
        mapping.relationshipHooks[name, default: RelationshipHooks()].takeOver = body
        return mapping
    }

    /// Calls code after a relationship has been imported.
    ///
    /// The code is called as that of ``takeOver(_:_:)`` is. If the relationship waits for records that come later in the
    /// source, the code is called at the end of the import. Records that a list with the policy
    /// ``ImportRelating/replaceAndDelete`` does not have any more are deleted after that.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - body: Gets the relationship, and what it can read and write with. Throwing fails the object; at the end of the import,
    ///     where failures are reported, it is reported.
    public func didRelate(
        _ name: String, _ body: @escaping @Sendable (ImportedRelationship, Context) throws -> Void
    ) -> ImportMapping {
        var mapping = self
        mapping.relationshipHooks[name, default: RelationshipHooks()].didRelate = body
        return mapping
    }
}

extension ImportMapping {
    /// Has code of your own import a value of the source. The import does nothing else with what is at the path: the value is
    /// neither written nor reported, also where no attribute has its name.
    ///
    /// ```swift
    /// ImportMapping().takeOver(from: "full_name") { value, _ in
    ///     guard case .string(let text) = value, let blank = text.firstIndex(of: " ") else { return nil }
    ///     return ["first": .string(String(text[..<blank])), "last": .string(String(text[blank...].dropFirst()))]
    /// }
    /// ```
    ///
    /// The code is called with each object that has a value at the path, `null` included, before the other values of the
    /// object are read. It may be called again with the same object, so it should have no side effects.
    ///
    /// - Parameters:
    ///   - path: A key of the source, or keys, as in `name.full`: with anything else the import throws `invalidQuery`.
    ///   - body: Returns what is imported in place of the value: values by the names of attributes and relationships, which
    ///     are transformed and converted as those of the source are, and count where the source has values for the same
    ///     names. An empty dictionary if nothing is. Nil if the value is not taken over: then it is imported as if there
    ///     were no such code. Throwing, or a name that does not exist, is reported, and the value is left out.
    public func takeOver(
        from path: ImportPath, _ body: @escaping @Sendable (ImportValue, ImportPlace) throws -> [String: ImportValue]?
    ) -> ImportMapping {
        var mapping = self
        mapping.takeovers.removeAll { $0.path == path }
        mapping.takeovers.append(ImportTakeover(path: path, body: body))
        return mapping
    }
}

/// A value that is imported by code.
struct ImportTakeover: Sendable {
    let path: ImportPath
    let body: @Sendable (ImportValue, ImportPlace) throws -> [String: ImportValue]?
}

/// The hooks of one relationship.
struct RelationshipHooks: Sendable {
    var takeOver: (@Sendable (ImportedRelationship, Context) throws -> Void)?
    var didRelate: (@Sendable (ImportedRelationship, Context) throws -> Void)?

    func overridden(by other: RelationshipHooks) -> RelationshipHooks {
        RelationshipHooks(takeOver: other.takeOver ?? takeOver, didRelate: other.didRelate ?? didRelate)
    }
}
