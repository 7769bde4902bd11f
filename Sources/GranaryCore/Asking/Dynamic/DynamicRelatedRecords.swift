/// The records related to one record, by names: what ``RelatedRecords`` is without types.
///
/// ```swift
/// let songs = try playlist.related("songs")
/// for song in try songs.fetch(in: snapshot) { print(song) }
/// try songs.add(keys: [.integer(3)], in: tx)
/// ```
///
/// A value that holds the owner's key and nothing that was fetched. Keys are in their stored form; one of another type
/// than the entity's throws `typeMismatch`.
public struct DynamicRelatedRecords: Sendable, Hashable {
    /// The key of the record that they are related to.
    public let owner: StoredValue
    /// The way from the one to the others.
    public let relationship: Relationship

    public init(of owner: StoredValue, _ relationship: Relationship) {
        self.owner = owner
        self.relationship = relationship
    }
}

extension DynamicRecord {
    /// The records related to this one by a to-many or many-to-many relationship.
    ///
    /// - Throws: `unknownAttribute` if the entity has none of that name.
    public func related(_ name: String) throws -> DynamicRelatedRecords {
        DynamicRelatedRecords(of: key, try entity.relationship(named: name))
    }
}

extension DynamicRelatedRecords {
    /// The request for the related records: to narrow, sort and cut. In the relationship's order if it has one and the query
    /// is not sorted by anything else, else by key: as ``RelatedRecords/all``.
    public func all(in schema: Schema) throws -> Query<DynamicRecord> {
        let entity = try related(try links(in: schema), in: schema)
        let related = relationship.related(to: .value(owner), key: entity.key)
        return Query(records: AnyRequest(entity.name, where: related.condition, order: related.order))
    }

    /// The related records, in the relationship's order if it has one, else by key.
    public func fetch(in context: ReadContext) throws -> [DynamicRecord] {
        let query = try all(in: context.schema)
        guard relationship.isOrderedByLinks else { return try context.fetch(query) }
        return try links(in: context.schema).all(in: context)
            .arranged(try context.fetch(query.with { $0.order = [] }), by: \.key)
    }

    /// The related records of which a condition holds, in the relationship's order if it has one, else by key.
    public func fetch(in context: ReadContext, where condition: AnyCondition) throws -> [DynamicRecord] {
        let query = try all(in: context.schema).where(condition)
        guard relationship.isOrderedByLinks else { return try context.fetch(query) }
        let records = try context.fetch(query.with { $0.order = [] })
        return try links(in: context.schema).among(records.map(\.key), in: context).arranged(records, by: \.key)
    }

    public func count(in context: ReadContext) throws -> Int { try context.count(try all(in: context.schema)) }
    public func isEmpty(in context: ReadContext) throws -> Bool { try count(in: context, atMost: 1) == 0 }

    /// Whether the record with a key is one of them.
    public func contains(key: StoredValue, in context: ReadContext) throws -> Bool {
        let links = try links(in: context.schema)
        return try !links.among(try checked([key], links, in: context.schema), in: context).isEmpty
    }

    private func count(in context: ReadContext, atMost limit: Int) throws -> Int {
        try context.count(try all(in: context.schema).limit(limit))
    }
}

// Changing what is related: as the methods of ``RelatedRecords`` of the same names.
extension DynamicRelatedRecords {
    /// Relates records to the owner, at the end of the order if there is one: as ``RelatedRecords/add(keys:in:)``.
    public func add(keys: some Sequence<StoredValue>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.add(try checked(keys, editor.links, in: context.schema))
    }

    /// Ends the relation of records to the owner; those that are not related to it are passed over. The records stay.
    public func remove(keys: some Sequence<StoredValue>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.remove(try checked(keys, editor.links, in: context.schema))
    }

    /// Ends the relation of every related record.
    public func removeAll(in context: Context) throws { try editor(in: context).removeAll() }

    /// Makes these, in this order if it is kept in a number, the related records.
    public func replace(withKeys keys: some Sequence<StoredValue>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.replace(with: try checked(keys, editor.links, in: context.schema))
    }

    /// Relates a record to the owner at a place in the order, or moves it there: as ``RelatedRecords/insert(_:at:in:)``.
    public func insert(key: StoredValue, at place: Int, in context: Context) throws {
        let editor = try editor(in: context)
        for key in try checked([key], editor.links, in: context.schema) { try editor.insert(key, at: place) }
    }

    /// Moves the record at one place in the order to another: as ``RelatedRecords/move(from:to:in:)``.
    public func move(from place: Int, to other: Int, in context: Context) throws {
        try editor(in: context).move(from: place, to: other)
    }

    private func editor(in context: Context) throws -> LinkEditor {
        LinkEditor(try links(in: context.schema), context)
    }

    private func links(in schema: Schema) throws -> RelationshipLinks {
        try RelationshipLinks(relationship, of: owner, in: schema)
    }

    private func related(_ links: RelationshipLinks, in schema: Schema) throws -> Entity {
        schema.entities[try schema.position(ofEntity: links.relatedEntity)]
    }

    private func checked(
        _ keys: some Sequence<StoredValue>, _ links: RelationshipLinks, in schema: Schema
    ) throws -> [StoredValue] {
        let entity = try related(links, in: schema)
        let key = entity.attributes[entity.keyPosition]
        return try keys.map { value in
            try key.check(value, in: entity)
            return value
        }
    }
}
