extension RelatedRecords {
    /// The query for the related records: to narrow, sort and cut. Ordered by the relationship's order only where that is
    /// an attribute of the related records themselves.
    public var query: Query<Target> {
        var query = Query<Target>()
        let isOwned = AnyCondition.relation(.attribute(relationship.attribute), .equal, AnyExpression(owner))
        if let through = relationship.through {
            let links = AnySubquery(relationship.entity, column: .attribute(through), condition: isOwned)
            query.condition = .amongRows(.attribute(Target.entity.key), links)
        } else {
            query.condition = isOwned
            query.order = relationship.orderedBy.map { [Ordering(attribute: $0)] } ?? []
        }
        return query
    }

    /// The query for the related records of which a condition holds.
    public func `where`(_ condition: (Target.Fields) -> Condition<Target>) -> Query<Target> { query.where(condition) }

    /// The related records, in the relationship's order if it has one, else by key.
    public func fetch(in context: some ReadContext) throws -> [Target] {
        guard relationship.through != nil, relationship.orderedBy != nil else { return try context.fetch(query) }
        return try links(in: context).compactMap { link in
            try context.find(Target.self, try link.member.withCell { try Target.Key.decode($0) })
        }
    }

    /// The related records of which a condition holds.
    public func fetch(
        in context: some ReadContext, where condition: (Target.Fields) -> Condition<Target>
    ) throws -> [Target] { try context.fetch(query.where(condition)) }

    public func count(in context: some ReadContext) throws -> Int { try context.count(query) }
    public func isEmpty(in context: some ReadContext) throws -> Bool { try !context.exists(query) }

    /// Whether a record is one of them.
    public func contains(_ record: Target, in context: some ReadContext) throws -> Bool {
        try context.exists(
            query.where(
                Condition(.relation(.attribute(Target.entity.key), .equal, AnyExpression(record.id)))))
    }

    /// A link of a many-to-many relationship, or what stands for it: a related record itself.
    struct Link {
        /// The link's key, or the related record's.
        var key: StoredValue
        /// The related record's key.
        var member: StoredValue
        /// Its place; null if the relationship has no order.
        var place: StoredValue
    }

    /// In the relationship's order.
    func links(in context: some ReadContext) throws -> [Link] {
        let resolver = QueryResolver(schema: context.schema)
        let source = try resolver.position(ofEntity: relationship.entity)
        let entity = context.schema.entities[source]
        let owner = try StoredValue(encoding: owner)
        var request = FetchRequest(
            entity: source,
            condition: .compare(
                position: try entity.position(ofAttribute: relationship.attribute), .equal, owner))
        let member = try relationship.through.map { try entity.position(ofAttribute: $0) } ?? entity.keyPosition
        let place = try relationship.orderedBy.map { try entity.position(ofAttribute: $0) }
        request.order =
            place.map {
                [FetchRequest.OrderTerm(resolver.attribute($0, of: source), isDescending: false)]
            } ?? []
        request.columns = ([entity.keyPosition, member] + (place.map { [$0] } ?? []))
            .map { resolver.attribute($0, of: source) }
        var links: [Link] = []
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            links.append(Link(key: StoredValue(row[0]), member: StoredValue(row[1]), place: StoredValue(row[2])))
        }
        return links
    }
}
