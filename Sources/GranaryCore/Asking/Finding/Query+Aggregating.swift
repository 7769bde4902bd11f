extension Projection {
    /// Aggregates of all records of the query, in one pass.
    ///
    /// ```swift
    /// let (count, total, longest) = try Song.all.select { ($0.id.count, $0.plays.sum, $0.length.maximum) }
    ///     .aggregate(in: snapshot)
    /// ```
    ///
    /// The results are exact and do not depend on the order of the records: integers are summed in 128 bits, decimals
    /// to 38 digits, doubles are rounded once. Without records, a count and a sum are 0, and the others nil. A limit
    /// and an offset of the query are applied first.
    ///
    /// - Throws: `overflow` if a sum of integers does not fit, `range` if one of decimals does not; `invalidQuery` if what is
    ///   chosen is no aggregate, or is distinct.
    public func aggregate(in context: ReadContext) throws -> Output {
        let rows = try DynamicQuery(query).groups(try aggregating, in: context)
        return try selection.value(of: rows.first ?? [], Root.entityName)
    }
}

// One aggregate over a query's records; several in one pass are ``Projection/aggregate(in:)``.
extension Query {
    /// The sum of a value over the records; 0 without records.
    public func sum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Unwrapped.Sum where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try Projection(self, Selection(value(Root.fields).sum)).aggregate(in: context)
    }

    /// The average of a value over the records; nil without values.
    public func average<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Unwrapped.Average.Nilable
    where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try Projection(self, Selection(value(Root.fields).average)).aggregate(in: context)
    }

    /// The least value over the records; nil without values.
    public func minimum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try Projection(self, Selection(value(Root.fields).minimum)).aggregate(in: context)
    }

    /// The greatest value over the records; nil without values.
    public func maximum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try Projection(self, Selection(value(Root.fields).maximum)).aggregate(in: context)
    }
}
