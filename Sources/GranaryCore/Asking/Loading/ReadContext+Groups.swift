extension ReadContext {
    /// The groups of a query: a value a group, or a tuple of several.
    public func fetch<R: Record, Output>(
        _ grouped: GroupedQuery<R, Output>
    ) throws -> [Output] {
        try grouped.selection.values(of: groups(DynamicQuery(grouped.query), grouped.untyped), R.entityName)
    }

    /// The groups of a query made into something else.
    public func fetch<R: Record, Output, T>(
        _ grouped: GroupedQuery<R, Output>, as make: (Output) throws -> T
    ) throws -> [T] {
        try fetch(grouped).map(make)
    }

    /// The groups of a query made into something else: `fetch(grouped, as: Summary.init)`.
    public func fetch<R: Record, each Value, T>(
        _ grouped: GroupedQuery<R, (repeat each Value)>, as make: (repeat each Value) throws -> T
    ) throws -> [T] {
        try fetch(grouped).map { (row: (repeat each Value)) in try make(repeat each row) }
    }

    /// The groups of a query by names, a row a group.
    public func groups(_ query: DynamicQuery, _ grouping: AnyGrouping) throws -> [[StoredValue]] {
        let resolved = try ResolvedGrouping(grouping, of: try FetchRequest(query, in: schema), in: schema)
        return try GroupRows(resolved).read(try rows(resolved.request))
    }

    /// The groups of a query by names, each a dictionary: what the grouping selects, under these names in their order.
    ///
    /// - Throws: `invalidQuery` unless there are as many names as columns.
    public func dictionaries(
        _ query: DynamicQuery, _ grouping: AnyGrouping, named names: [String]
    ) throws -> [[String: StoredValue]] {
        guard names.count == grouping.columns.count else {
            throw GranaryError(
                .invalidQuery, "A grouping of \(grouping.columns.count) columns has \(names.count) names.",
                entity: query.entity)
        }
        return try groups(query, grouping).map { named($0, names) }
    }

    /// How the store would answer.
    public func explain(_ query: DynamicQuery, _ grouping: AnyGrouping) throws -> QueryPlan {
        try explain(try ResolvedGrouping(grouping, of: try FetchRequest(query, in: schema), in: schema).request)
    }

    public func explain<R: Record, Output>(
        _ grouped: GroupedQuery<R, Output>
    ) throws -> QueryPlan {
        try explain(DynamicQuery(grouped.query), grouped.untyped)
    }

    /// Aggregates of all records of a query, in one pass.
    ///
    /// ```swift
    /// let (count, total, longest) = try snapshot.aggregate(
    ///     Song.all.select { ($0.id.count, $0.plays.sum, $0.length.maximum) })
    /// ```
    ///
    /// The results are exact and do not depend on the order of the records: integers are summed in 128 bits, decimals
    /// to 38 digits, doubles are rounded once. Without records, a count and a sum are 0, and the others nil. A limit
    /// and an offset of the query are applied first.
    ///
    /// - Throws: `overflow` if a sum of integers does not fit, `range` if one of decimals does not; `invalidQuery` if what is
    ///   chosen is no aggregate, or is distinct.
    public func aggregate<R: Record, Output>(_ chosen: Projection<R, Output>) throws -> Output {
        let rows = try groups(DynamicQuery(chosen.query), try chosen.aggregating)
        return try chosen.selection.value(of: rows.first ?? [], R.entityName)
    }

    /// The sum of a value over a query's records; 0 of nothing.
    public func sum<R: Record, Value: QueryExpression>(
        _ query: Query<R>, _ value: (R.Fields) -> Value
    ) throws -> Value.Value.Unwrapped.Sum where Value.Root == R, Value.Value.Unwrapped: NumericAttributeValue {
        try aggregate(Projection(query, Selection(value(R.fields).sum)))
    }

    /// The average of a value over a query's records; nil of nothing.
    public func average<R: Record, Value: QueryExpression>(
        _ query: Query<R>, _ value: (R.Fields) -> Value
    ) throws -> Value.Value.Unwrapped.Average.Nilable
    where Value.Root == R, Value.Value.Unwrapped: NumericAttributeValue {
        try aggregate(Projection(query, Selection(value(R.fields).average)))
    }

    /// The least value over a query's records; nil of nothing.
    public func minimum<R: Record, Value: QueryExpression>(
        _ query: Query<R>, _ value: (R.Fields) -> Value
    ) throws -> Value.Value.Nilable where Value.Root == R {
        try aggregate(Projection(query, Selection(value(R.fields).minimum)))
    }

    /// The greatest value over a query's records; nil of nothing.
    public func maximum<R: Record, Value: QueryExpression>(
        _ query: Query<R>, _ value: (R.Fields) -> Value
    ) throws -> Value.Value.Nilable where Value.Root == R {
        try aggregate(Projection(query, Selection(value(R.fields).maximum)))
    }
}
