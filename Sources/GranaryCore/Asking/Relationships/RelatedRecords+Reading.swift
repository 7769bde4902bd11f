extension RelatedRecords {
    /// The request for the related records: to narrow, sort and cut. In the relationship's order if it has one and the query
    /// is not sorted by anything else, else by key.
    ///
    /// ```swift
    /// let first = try snapshot.fetch(playlist.songs.all.limit(10))
    /// let known = try snapshot.fetch(playlist.songs.where { $0.plays > 100 }.sorted(by: \.title))
    /// ```
    ///
    /// Cost: the place in a list that is many-to-many is looked up for each of its records, as the list holds it and not they;
    /// ``fetch(in:)`` reads a whole list for less.
    public var all: Query<Target> {
        let related = relationship.related(to: AnyExpression(owner), key: Target.entity.key)
        return Query(records: AnyRequest(Target.entityName, where: related.condition, order: related.order))
    }

    /// The request for the related records of which a condition holds.
    public func `where`(@ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>) -> Query<Target> {
        all.where(condition)
    }

    /// The related records, in the relationship's order if it has one, else by key.
    public func fetch(in context: ReadContext) throws -> [Target] {
        guard relationship.isOrderedByLinks else { return try context.fetch(all) }
        return try arranged(try context.fetch(unordered), try links(in: context.schema).all(in: context))
    }

    /// The related records of which a condition holds, in the relationship's order if it has one, else by key.
    public func fetch(
        in context: ReadContext, @ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target>
    ) throws -> [Target] {
        guard relationship.isOrderedByLinks else { return try context.fetch(all.where(condition)) }
        let records = try context.fetch(unordered.where(condition))
        let keys = try records.map { try StoredValue(encoding: $0.id) }
        return try arranged(records, try links(in: context.schema).among(keys, in: context))
    }

    /// The request without the order, for where the links give it.
    private var unordered: Query<Target> {
        all.with { $0.order = [] }
    }

    private func arranged(_ records: [Target], _ links: [RelationshipLinks.Link]) throws -> [Target] {
        try links.arranged(records) { try StoredValue(encoding: $0.id) }
    }

    public func count(in context: ReadContext) throws -> Int { try context.count(all) }
    public func isEmpty(in context: ReadContext) throws -> Bool { try !all.exists(in: context) }

    /// Whether a record is one of them.
    public func contains(_ record: Target, in context: ReadContext) throws -> Bool {
        try all.where(Condition(.relation(.attribute(Target.entity.key), .equal, AnyExpression(record.id))))
            .exists(in: context)
    }

    func links(in schema: Schema) throws -> RelationshipLinks {
        try RelationshipLinks(relationship, of: try StoredValue(encoding: owner), in: schema)
    }
}
