extension FetchRequest {
    /// Checks a query by names against a schema.
    public init(_ query: DynamicQuery, in schema: Schema) throws {
        try self.init(
            entityNamed: query.entity, condition: query.condition, order: query.order, limit: query.limit,
            offset: query.offset, in: schema)
    }

    /// Checks a query by names and the columns chosen.
    package init(_ query: DynamicQuery, selecting columns: [AnyExpression], isDistinct: Bool, in schema: Schema) throws
    {
        var query = query
        if isDistinct { query.order = query.order.explicit }
        try self.init(query, in: schema)
        try select(columns, isDistinct: isDistinct, in: schema)
    }

    /// Checks a projection against a schema.
    package init<Root, Output>(_ projection: Projection<Root, Output>, in schema: Schema) throws {
        try self.init(
            DynamicQuery(projection.query), selecting: projection.columns, isDistinct: projection.isDistinct,
            in: schema)
    }

    /// Chooses columns.
    ///
    /// - Throws: `unknownAttribute`, `typeMismatch`; `invalidQuery` for a distinct request ordered by what is not chosen.
    package mutating func select(_ columns: [AnyExpression], isDistinct: Bool, in schema: Schema) throws {
        let resolver = QueryResolver(schema: schema)
        let resolved = try columns.map {
            isDistinct ? try resolver.expression($0.root, of: entity) : try resolver.column($0.root, of: entity)
        }
        try select(resolved, isDistinct: isDistinct, schema.entities[entity])
    }

    package mutating func select(_ columns: [TypedExpression], isDistinct: Bool, _ entity: Entity) throws {
        self.columns = columns
        self.isDistinct = isDistinct
        guard isDistinct else { return }
        for term in order where !columns.contains(where: { $0.expression == term.value.expression }) {
            throw GranaryError(
                .invalidQuery, "Distinct values are ordered by values that are chosen. Choose the one ordered by, too.",
                entity: entity.name)
        }
    }
}
