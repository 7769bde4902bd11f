public import GranaryCore

/// A relationship of a record that an import has written. The hooks of relationships get it.
public struct ImportedRelationship: Sendable {
    /// The entity of the record with the relationship.
    public let entity: String
    /// The key of that record.
    public let key: StoredValue
    /// The name of the reference or of the to-many relationship.
    public let name: String
    /// The value in the source, after ``ImportMapping/transform(_:exporting:importing:)``.
    public let value: ImportValue
    /// The place of that value in the source.
    public let place: ImportPlace

    /// A reference to the record with the relationship.
    ///
    /// - Throws: `typeMismatch` if records of the type have keys of another type.
    public func owner<R: Record>(_ type: R.Type) throws -> Ref<R> {
        try key.withCell { Ref<R>(try R.Key.decode($0)) }
    }
}

extension ImportMapping {
    /// Imports a relationship with code of your own. The import itself does nothing with the values of the
    /// relationship.
    ///
    /// ```swift
    /// ImportMapping().takeOver("songs") { relationship, tx in
    ///     let artist = try relationship.owner(Artist.self)
    ///     ...
    /// }
    /// ```
    ///
    /// The code is called once for each object that has a value for the relationship, `null` included. It is called at
    /// the end of the object's batch, when all records of the batch are written. If the import is undone, the changes
    /// of the code are undone too. It is not called for objects that are skipped or fail.
    ///
    /// A required reference that is taken over has no value when a new record is written: such a record fails.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - body: Gets the relationship, and a transaction to read and write with. If it throws, the object fails.
    public func takeOver(
        _ name: String, _ body: @escaping @Sendable (ImportedRelationship, Context) throws -> Void
    ) -> ImportMapping {
        var mapping = self
        mapping.relationshipHooks[name, default: RelationshipHooks()].takeOver = body
        return mapping
    }

    /// Calls code after a relationship has been imported.
    ///
    /// The code is called like that of ``takeOver(_:_:)``. If the relationship waits for records that come later in the
    /// source, the code is called at the end of the import. With the policy ``ImportRelating/replaceAndDelete``,
    /// records that have been removed from a list are deleted after that.
    ///
    /// - Parameters:
    ///   - name: The relationship.
    ///   - body: Gets the relationship, and a transaction to read and write with. If it throws, the object fails; at
    ///     the end of an import that reports failures, the error is reported instead.
    public func didRelate(
        _ name: String, _ body: @escaping @Sendable (ImportedRelationship, Context) throws -> Void
    ) -> ImportMapping {
        var mapping = self
        mapping.relationshipHooks[name, default: RelationshipHooks()].didRelate = body
        return mapping
    }
}

extension ImportMapping {
    /// Imports a value of the source with code of your own. The import itself does nothing with the value at the path:
    /// it neither writes nor reports it, even if no attribute has its name.
    ///
    /// ```swift
    /// ImportMapping().takeOver(from: "full_name") { value, _ in
    ///     guard case .string(let text) = value, let blank = text.firstIndex(of: " ") else { return nil }
    ///     return ["first": .string(String(text[..<blank])), "last": .string(String(text[blank...].dropFirst()))]
    /// }
    /// ```
    ///
    /// The code is called with each object that has a value at the path, `null` included, before the other values of
    /// the object are read. It may be called again with the same object, so it should have no side effects.
    ///
    /// - Parameters:
    ///   - path: A key of the source, or several, as in `name.full`. For other paths the import throws `invalidQuery`.
    ///   - body: Returns values to import instead of the value, by the names of attributes and relationships. They are
    ///     transformed and converted like values of the source, and override values of the source for the same names.
    ///     An empty dictionary imports nothing. Nil leaves the value to the import, as if there were no such code. If
    ///     it throws, or a name does not exist, this is reported, and the value is left out.
    public func takeOver(
        from path: ImportPath, _ body: @escaping @Sendable (ImportValue, ImportPlace) throws -> [String: ImportValue]?
    ) -> ImportMapping {
        var mapping = self
        mapping.takeovers.removeAll { $0.path == path }
        mapping.takeovers.append(ImportTakeover(path: path, body: body))
        return mapping
    }
}

/// A value that code imports.
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
