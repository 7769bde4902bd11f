// One aggregate over the records of a query by names, in stored form; several in one pass are a grouping without groups, see
// ``DynamicQuery/groups(_:in:)``. A limit and an offset of the query are taken first.
//
// ```swift
// let plays = try DynamicQuery("Song").sum(of: "plays", in: snapshot)
// let best = try DynamicQuery("Song").where("isLive == YES").maximum(of: "album.artist.rating", in: snapshot)
// ```
extension DynamicQuery {
    /// The exact sum of an expression; 0 without records.
    ///
    /// - Throws: `overflow` if a sum of integers does not fit, `range` if one of decimals does not; `typeMismatch` of what
    ///   is no number.
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
        try groups(AnyGrouping(by: [], columns: [.aggregate(function, of: value)]), in: context).first?.first ?? .null
    }
}
