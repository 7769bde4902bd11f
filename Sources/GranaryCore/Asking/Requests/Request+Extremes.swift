extension Request where Root: Record, Output == Root {
    /// The record with the least value of a field, or nil. Records with nil do not count. The request's limit and
    /// offset are applied first, in its own order.
    ///
    /// ```swift
    /// let oldest = try Artist.all.first(minimumOf: \.born, in: snapshot)
    /// ```
    public func first<Value: QueryExpression>(
        minimumOf value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Root? where Value.Root == Root {
        try extreme(value(Root.fields).untyped, .ascending, key: Root.entity.key).first(in: context)
    }

    /// The record with the greatest value of a field, or nil. Records with nil do not count. The request's limit and
    /// offset are applied first, in its own order.
    public func first<Value: QueryExpression>(
        maximumOf value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Root? where Value.Root == Root {
        try extreme(value(Root.fields).untyped, .descending, key: Root.entity.key).first(in: context)
    }
}

extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// The record with the least value, or nil. Records with nil do not count. The request's limit and offset are
    /// applied first, in its own order.
    public func first(minimumOf value: AnyExpression, in context: ReadContext) throws -> DynamicRecord? {
        try extreme(value, .ascending, key: try key(in: context.schema)).first(in: context)
    }

    /// The record with the greatest value, or nil. Records with nil do not count. The request's limit and offset are
    /// applied first, in its own order.
    public func first(maximumOf value: AnyExpression, in context: ReadContext) throws -> DynamicRecord? {
        try extreme(value, .descending, key: try key(in: context.schema)).first(in: context)
    }

    private func key(in schema: Schema) throws -> String {
        schema.entities[try schema.position(ofEntity: untyped.entity)].key
    }
}

extension Request {
    /// The request whose first record is the one with the least or the greatest value.
    fileprivate func extreme(_ value: AnyExpression, _ direction: SortDirection, key: String) -> Request {
        with { request in
            if request.limit != nil || request.offset != 0 {
                let rows = request.subquery(column: .attribute(key))
                request.condition = .amongRows(.attribute(key), rows)
                (request.limit, request.offset) = (nil, 0)
            }
            request.narrow(.relation(value, .notEqual, .value(.null)))
            request.order = [Ordering(value, direction)]
        }
    }
}
