/// The rules that records of a schema keep to: what their values may be, which are unique, what they refer to, and what a
/// deletion does.
///
/// A store made of ``RowSource`` and ``RowTarget`` makes one when it is opened; its rows are checked by it.
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

    /// By what rows of an entity are looked for when others are written: its unique indexes and the references that
    /// are enforced.
    public func lookups(of entity: Int) -> [IndexedValues] {
        lookups.indices.contains(entity) ? lookups[entity] : []
    }

    func rules(of entity: Int) throws -> EntityRules {
        guard entities.indices.contains(entity) else { throw GranaryError.noEntity(at: entity) }
        return entities[entity]
    }
}

/// What becomes of one row: it is inserted if there is no `old`, deleted if there is no `new`.
public struct RowChange: Sendable {
    public let entity: Int
    public let key: StoredValue
    public let old: StoredRow?
    public let new: StoredRow?

    /// Notes the change.
    public func record(into recorder: ChangeRecorder) {
        key.withCell { key in
            guard let new else { return recorder.delete(key, from: entity) }
            guard let old else { return recorder.insert(key, into: entity) }
            recorder.update(key, in: entity, new.difference(from: old))
        }
    }
}
