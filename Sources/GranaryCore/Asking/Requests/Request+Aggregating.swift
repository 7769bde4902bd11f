extension Request {
    /// Aggregates of all records of the request, in one pass.
    ///
    /// ```swift
    /// let (count, total, longest) = try Song.all.select { ($0.id.count, $0.plays.sum, $0.length.maximum) }
    ///     .aggregate(in: snapshot)
    /// ```
    ///
    /// The results are exact and do not depend on the order of the records: integers are summed in 128 bits, decimals
    /// to 38 digits, doubles are rounded once. Without records, a count and a sum are 0, and the others nil. A limit
    /// and an offset of the request are applied first.
    ///
    /// - Throws: `overflow` if a sum of integers does not fit, `range` if a sum of decimals does not; `invalidQuery` if
    ///   a chosen value is not an aggregate, if the request is distinct, or if it has groups.
    public func aggregate(in context: ReadContext) throws -> Output {
        let (request, selection) = try aggregating
        guard let first = try request.fetch(in: context).first else {
            return try selection.value(of: [], untyped.entity)
        }
        return first
    }

    /// All records as one group, with the chosen values as its columns.
    ///
    /// - Throws: `invalidQuery` if the request is distinct, or does not choose values.
    var aggregating: (Request, Selection<Output>) {
        get throws {
            guard case .values(let selection) = making, untyped.grouping == nil, !untyped.isDistinct else {
                throw GranaryError(
                    .invalidQuery,
                    "Aggregates are one row of values chosen with `select`. Leave out `grouped` and `distinct()`, or count different values with `distinctCount`.",
                    entity: untyped.entity)
            }
            var untyped = untyped
            untyped.output = .groups(AnyGrouping(by: [], columns: selection.columns))
            return (Request(untyped, making), selection)
        }
    }
}

// One aggregate over a request's records; several in one pass are ``Request/aggregate(in:)``.
extension Request where Root: Record, Output == Root {
    /// The sum of a value over the records; 0 without records.
    ///
    /// ```swift
    /// let plays = try Song.where { $0.artist == Ref(100) }.sum(\.plays, in: snapshot)
    /// ```
    public func sum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Unwrapped.Sum where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try select { value($0).sum }.aggregate(in: context)
    }

    /// The average of a value over the records; nil without values.
    ///
    /// ```swift
    /// let rating = try Artist.all.average(\.rating, in: snapshot)
    /// ```
    public func average<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Unwrapped.Average.Nilable
    where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try select { value($0).average }.aggregate(in: context)
    }

    /// The least value over the records; nil without values.
    ///
    /// ```swift
    /// let lowest = try Artist.all.minimum(\.rating, in: snapshot)
    /// ```
    public func minimum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try select { value($0).minimum }.aggregate(in: context)
    }

    /// The greatest value over the records; nil without values.
    ///
    /// ```swift
    /// let highest = try Artist.all.maximum(\.rating, in: snapshot)
    /// ```
    public func maximum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try select { value($0).maximum }.aggregate(in: context)
    }
}

// One aggregate over the records of a query by names, in stored form; several in one pass are a grouping without
// groups, see ``Request/grouped(by:)``. A limit and an offset of the query are taken first.
//
// ```swift
// let plays = try Request("Song").sum(of: "plays", in: snapshot)
// let best = try Request("Song").where("isLive == YES").maximum(of: "album.artist.rating", in: snapshot)
// ```
extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// The exact sum of an expression; 0 without records.
    ///
    /// - Throws: `overflow` if a sum of integers does not fit, `range` if a sum of decimals does not; `typeMismatch` if
    ///   `value` is not a number.
    public func sum(of value: AnyExpression, in context: ReadContext) throws -> StoredValue {
        try aggregate(.sum, value, in: context)
    }

    /// The average of an expression; null without values.
    public func average(of value: AnyExpression, in context: ReadContext) throws -> StoredValue {
        try aggregate(.average, value, in: context)
    }

    /// The least value of an expression; null without values.
    public func minimum(of value: AnyExpression, in context: ReadContext) throws -> StoredValue {
        try aggregate(.minimum, value, in: context)
    }

    /// The greatest value of an expression; null without values.
    public func maximum(of value: AnyExpression, in context: ReadContext) throws -> StoredValue {
        try aggregate(.maximum, value, in: context)
    }

    /// The sum of an attribute, or of an expression in text form.
    public func sum(of text: String, in context: ReadContext) throws -> StoredValue {
        try sum(of: try AnyExpression(parsing: text), in: context)
    }

    /// The average of an attribute, or of an expression in text form.
    public func average(of text: String, in context: ReadContext) throws -> StoredValue {
        try average(of: try AnyExpression(parsing: text), in: context)
    }

    /// The least value of an attribute, or of an expression in text form.
    public func minimum(of text: String, in context: ReadContext) throws -> StoredValue {
        try minimum(of: try AnyExpression(parsing: text), in: context)
    }

    /// The greatest value of an attribute, or of an expression in text form.
    public func maximum(of text: String, in context: ReadContext) throws -> StoredValue {
        try maximum(of: try AnyExpression(parsing: text), in: context)
    }

    private func aggregate(
        _ function: AggregateFunction, _ value: AnyExpression, in context: ReadContext
    ) throws -> StoredValue {
        try select([.aggregate(function, of: value)]).aggregate(in: context).first ?? .null
    }
}
