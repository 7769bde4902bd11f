/// The rules for the records of a schema: allowed values, uniqueness, references, and the effect of deletions.
///
/// A store that uses ``RowSource`` and ``RowTarget`` makes one when it is opened; it checks the store's rows.
public final class SchemaRules: Sendable {
    public let schema: Schema
    public let limits: Capabilities.Limits
    let entities: [EntityRules]
    private let lookups: [[IndexedValues]]

    public init(_ schema: Schema, limits: Capabilities.Limits = Capabilities.Limits()) {
        self.schema = schema
        self.limits = limits
        entities = EntityRules.all(of: schema)
        lookups = entities.map(\.lookups)
    }

    /// The entity at a position.
    ///
    /// - Throws: `unknownEntity`.
    public func entity(at position: Int) throws -> Entity { try rules(of: position).entity }

    /// The values by which rows of an entity are looked up when others are written: its unique indexes and its enforced
    /// references.
    public func lookups(of entity: Int) -> [IndexedValues] {
        lookups.indices.contains(entity) ? lookups[entity] : []
    }

    func rules(of entity: Int) throws -> EntityRules {
        guard entities.indices.contains(entity) else { throw GranaryError.noEntity(at: entity) }
        return entities[entity]
    }
}

/// The change of one row: it is inserted if `old` is nil, and deleted if `new` is nil.
public struct RowChange: Sendable {
    public let entity: Int
    public let key: StoredValue
    public let old: StoredRow?
    public let new: StoredRow?

    /// Records the change.
    public func record(into recorder: ChangeRecorder) {
        key.withCell { key in
            guard let new else { return recorder.delete(key, from: entity) }
            guard let old else { return recorder.insert(key, into: entity) }
            recorder.update(key, in: entity, new.difference(from: old))
        }
    }
}
