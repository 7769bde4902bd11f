extension RelatedRecords {
    /// The query for the related records: to narrow, sort and cut. Ordered by the relationship's order only where that is
    /// an attribute of the related records themselves.
    public var query: Query<Target> {
        var query = Query<Target>()
        let related = relationship.related(to: AnyExpression(owner), key: Target.entity.key)
        (query.condition, query.order) = (related.condition, related.order)
        return query
    }

    /// The query for the related records of which a condition holds.
    public func `where`(@ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>) -> Query<Target> {
        query.where(condition)
    }

    /// The related records, in the relationship's order if it has one, else by key.
    public func fetch(in context: some ReadContext) throws -> [Target] {
        let records = try context.fetch(query)
        guard relationship.isOrderedByLinks else { return records }
        return try arranged(records, try links(in: context.schema).all(in: context))
    }

    /// The related records of which a condition holds, in the relationship's order if it has one, else by key.
    public func fetch(
        in context: some ReadContext, @ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target>
    ) throws -> [Target] {
        let records = try context.fetch(query.where(condition))
        guard relationship.isOrderedByLinks else { return records }
        let keys = try records.map { try StoredValue(encoding: $0.id) }
        return try arranged(records, try links(in: context.schema).among(keys, in: context))
    }

    private func arranged(_ records: [Target], _ links: [RelationshipLinks.Link]) throws -> [Target] {
        try links.arranged(records) { try StoredValue(encoding: $0.id) }
    }

    public func count(in context: some ReadContext) throws -> Int { try context.count(query) }
    public func isEmpty(in context: some ReadContext) throws -> Bool { try !context.exists(query) }

    /// Whether a record is one of them.
    public func contains(_ record: Target, in context: some ReadContext) throws -> Bool {
        try context.exists(
            query.where(
                Condition(.relation(.attribute(Target.entity.key), .equal, AnyExpression(record.id)))))
    }

    func links(in schema: Schema) throws -> RelationshipLinks {
        try RelationshipLinks(relationship, of: try StoredValue(encoding: owner), in: schema)
    }
}
