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
    /// - Parameter body: Gets the relationship, and what it can read and write with. Throwing fails the object.
    public func takeOver(
        _ name: String, _ body: @escaping @Sendable (ImportedRelationship, Transaction) throws -> Void
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
    /// - Parameter body: Gets the relationship, and what it can read and write with. Throwing fails the object; at the end of
    ///   the import, where failures are reported, it is reported.
    public func didRelate(
        _ name: String, _ body: @escaping @Sendable (ImportedRelationship, Transaction) throws -> Void
    ) -> ImportMapping {
        var mapping = self
        mapping.relationshipHooks[name, default: RelationshipHooks()].didRelate = body
        return mapping
    }
}

/// The hooks of one relationship.
struct RelationshipHooks: Sendable {
    var takeOver: (@Sendable (ImportedRelationship, Transaction) throws -> Void)?
    var didRelate: (@Sendable (ImportedRelationship, Transaction) throws -> Void)?

    func overridden(by other: RelationshipHooks) -> RelationshipHooks {
        RelationshipHooks(takeOver: other.takeOver ?? takeOver, didRelate: other.didRelate ?? didRelate)
    }
}
