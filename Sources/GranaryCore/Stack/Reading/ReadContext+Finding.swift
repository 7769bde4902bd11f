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
        let value = value(R.fields).untyped
        var chosen = query
        if query.limit != nil || query.offset != 0 {
            let key = AnyExpression.attribute(R.entity.key)
            chosen = Query().where(Condition(.amongRows(key, query.subquery(column: key))))
        }
        chosen = chosen.where(Condition(.relation(value, .notEqual, .value(.null))))
        chosen.order = [Ordering(value, direction)]
        return chosen
    }

    /// So many records of a query chosen at random, each as likely as any other, in no order.
    ///
    /// Cost: reads the keys of all of them, and the records chosen.
    public func sample<R: Record>(
        _ query: Query<R>, count: Int, using generator: inout some RandomNumberGenerator
    ) throws -> [R] {
        guard count > 0 else { return [] }
        var request = try FetchRequest(query, in: schema)
        let entity = schema.entities[request.entity]
        let key = TypedExpression(
            .attribute(entity.keyPosition), entity.attributes[entity.keyPosition].type, isOptional: false)
        request.columns = [key]
        if request.limit == nil && request.offset == 0 { request.order = [] }
        // Each key after the first ones replaces one of those kept with the right likelihood (reservoir sampling).
        var kept: [StoredValue] = []
        var seen = 0
        let cursor = try rows(request)
        while let row = try cursor.next() {
            seen += 1
            if kept.count < count {
                kept.append(StoredValue(row[0]))
            } else {
                let place = Int.random(in: 0..<seen, using: &generator)
                if place < count { kept[place] = StoredValue(row[0]) }
            }
        }
        kept.shuffle(using: &generator)
        return try kept.compactMap { try find(R.self, try $0.withCell { try R.Key.decode($0) }) }
    }

    /// So many records of a query chosen at random.
    public func sample<R: Record>(_ query: Query<R>, count: Int) throws -> [R] {
        var generator = SystemRandomNumberGenerator()
        return try sample(query, count: count, using: &generator)
    }
}
