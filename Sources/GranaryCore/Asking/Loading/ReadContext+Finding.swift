extension ReadContext {
    /// The last record of a query, or nil.
    public func last<R: Record>(_ query: Query<R>) throws -> R? {
        guard query.limit == nil, query.offset == 0 else { return try fetch(query).last }
        return try first(query.reversed())
    }

    /// The record with the least value of a field, or nil; records with nil do not count. A limit and an offset of the
    /// query choose first, in its own order, among which records to look.
    public func first<R: Record, Value: QueryExpression>(
        _ query: Query<R> = R.all, minimumOf value: (R.Fields) -> Value
    ) throws -> R? where Value.Root == R {
        try first(extreme(query, value, .ascending))
    }

    /// The record with the greatest value of a field, or nil; records with nil do not count. A limit and an offset of the
    /// query choose first, in its own order, among which records to look.
    public func first<R: Record, Value: QueryExpression>(
        _ query: Query<R> = R.all, maximumOf value: (R.Fields) -> Value
    ) throws -> R? where Value.Root == R {
        try first(extreme(query, value, .descending))
    }

    private func extreme<R: Record, Value: QueryExpression>(
        _ query: Query<R>, _ value: (R.Fields) -> Value, _ direction: SortDirection
    ) -> Query<R> where Value.Root == R {
        let found = DynamicQuery(query).extreme(value(R.fields).untyped, direction, key: R.entity.key)
        var query = Query<R>()
        (query.condition, query.order) = (found.condition, found.order)
        return query
    }

    /// Records of a query chosen at random, in no order. Each record of the query is equally likely.
    ///
    /// Cost: reads the keys of all records of the query, and the chosen records.
    public func sample<R: Record>(
        _ query: Query<R>, count: Int, using generator: inout some RandomNumberGenerator
    ) throws -> [R] {
        try sampleKeys(try FetchRequest(query, in: schema), count: count, using: &generator)
            .compactMap { try find(R.self, try $0.withCell { try R.Key.decode($0) }) }
    }

    /// So many records of a query chosen at random.
    public func sample<R: Record>(_ query: Query<R>, count: Int) throws -> [R] {
        var generator = SystemRandomNumberGenerator()
        return try sample(query, count: count, using: &generator)
    }
}
