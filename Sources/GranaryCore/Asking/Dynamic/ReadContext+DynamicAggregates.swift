// One aggregate over the records of a query by names, in stored form; several in one pass are a grouping without groups, see
// ``ReadContext/groups(_:_:)``. A limit and an offset of the query are taken first.
//
// ```swift
// let plays = try snapshot.sum(DynamicQuery("Song"), of: "plays")
// let best = try snapshot.maximum(DynamicQuery("Song").where("isLive == YES"), of: "album.artist.rating")
// ```
extension ReadContext {
    /// The sum of an expression, exact; 0 of nothing.
    ///
    /// - Throws: `overflow` if a sum of integers does not fit, `range` if one of decimals does not; `typeMismatch` of what
    ///   is no number.
    public func sum(_ query: DynamicQuery, of value: AnyExpression) throws -> StoredValue {
        try aggregate(.sum, value, query)
    }

    /// The average of an expression; null of nothing.
    public func average(_ query: DynamicQuery, of value: AnyExpression) throws -> StoredValue {
        try aggregate(.average, value, query)
    }

    /// The least value of an expression; null of nothing.
    public func minimum(_ query: DynamicQuery, of value: AnyExpression) throws -> StoredValue {
        try aggregate(.minimum, value, query)
    }

    /// The greatest value of an expression; null of nothing.
    public func maximum(_ query: DynamicQuery, of value: AnyExpression) throws -> StoredValue {
        try aggregate(.maximum, value, query)
    }

    /// The sum of an attribute, or of an expression in text form.
    public func sum(_ query: DynamicQuery, of text: String) throws -> StoredValue {
        try sum(query, of: try AnyExpression(parsing: text))
    }

    /// The average of an attribute, or of an expression in text form.
    public func average(_ query: DynamicQuery, of text: String) throws -> StoredValue {
        try average(query, of: try AnyExpression(parsing: text))
    }

    /// The least value of an attribute, or of an expression in text form.
    public func minimum(_ query: DynamicQuery, of text: String) throws -> StoredValue {
        try minimum(query, of: try AnyExpression(parsing: text))
    }

    /// The greatest value of an attribute, or of an expression in text form.
    public func maximum(_ query: DynamicQuery, of text: String) throws -> StoredValue {
        try maximum(query, of: try AnyExpression(parsing: text))
    }

    private func aggregate(
        _ function: AggregateFunction, _ value: AnyExpression, _ query: DynamicQuery
    ) throws -> StoredValue {
        try groups(query, AnyGrouping(by: [], columns: [.aggregate(function, of: value)])).first?.first ?? .null
    }
}
