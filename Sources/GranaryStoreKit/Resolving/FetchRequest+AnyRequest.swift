extension FetchRequest {
    /// Checks a request against a schema. With groups, the result is the request for the rows that are grouped.
    public init(_ request: AnyRequest, in schema: Schema) throws {
        try self.init(
            entityNamed: request.entity, condition: request.condition,
            order: request.isDistinct ? request.order.explicit : request.order, limit: request.limit,
            offset: request.offset, in: schema)
        guard request.columns?.isEmpty != true else {
            throw GranaryError(.invalidQuery, "Nothing is chosen. Choose at least one value.", entity: request.entity)
        }
        guard case .columns(let columns, let isDistinct) = request.output else { return }
        try select(columns, isDistinct: isDistinct, QueryResolver(schema: schema, ranking: request.condition?.root))
    }

    /// Chooses columns.
    ///
    /// - Throws: `unknownAttribute`, `typeMismatch`; `invalidQuery` for a distinct request ordered by a value that is
    ///   not chosen.
    package mutating func select(_ columns: [AnyExpression], isDistinct: Bool, in schema: Schema) throws {
        try select(columns, isDistinct: isDistinct, QueryResolver(schema: schema))
    }

    private mutating func select(_ columns: [AnyExpression], isDistinct: Bool, _ resolver: QueryResolver) throws {
        let resolved = try columns.map {
            isDistinct ? try resolver.expression($0.root, of: entity) : try resolver.column($0.root, of: entity)
        }
        try select(resolved, isDistinct: isDistinct, resolver.schema.entities[entity])
    }

    package mutating func select(_ columns: [TypedExpression], isDistinct: Bool, _ entity: Entity) throws {
        self.columns = columns
        self.isDistinct = isDistinct
        guard isDistinct else { return }
        // Distinct values need no key after a rank.
        if let last = order.last, last.value.position == entity.keyPosition,
            case .words? = order.dropLast().last?.value.expression
        {
            order.removeLast()
        }
        for term in order where !columns.contains(where: { $0.expression == term.value.expression }) {
            throw GranaryError(
                .invalidQuery, "Distinct values are ordered by values that are chosen. Choose the one ordered by, too.",
                entity: entity.name)
        }
    }
}
