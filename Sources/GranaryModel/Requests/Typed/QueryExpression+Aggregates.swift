// Aggregates over all records of a query, or of a group: for `aggregate` and `grouped`. Nil is skipped.
extension QueryExpression {
    /// The number of values that are not nil. ``Record/recordCount`` is the number of records.
    public var count: Computed<Root, Int> { aggregate(.count) }
    /// The number of different values, without nil.
    public var distinctCount: Computed<Root, Int> {
        Computed(.aggregate(.count, of: untyped, isDistinct: true))
    }
    /// The least value; nil if there are no values.
    public var minimum: Computed<Root, Value.Nilable> { aggregate(.minimum) }
    /// The greatest value; nil if there are no values.
    public var maximum: Computed<Root, Value.Nilable> { aggregate(.maximum) }

    func aggregate<Result: AttributeValue>(_ function: AggregateFunction) -> Computed<Root, Result> {
        Computed(.aggregate(function, of: untyped))
    }
}

extension QueryExpression where Value.Unwrapped: NumericAttributeValue {
    /// The sum; 0 if there are no values. Exact, and independent of the order of the records.
    public var sum: Computed<Root, Value.Unwrapped.Sum> { aggregate(.sum) }
    /// The average; nil if there are no values.
    public var average: Computed<Root, Value.Unwrapped.Average.Nilable> { aggregate(.average) }
}

extension Record {
    /// The number of records of a group, or of a query.
    ///
    /// ```swift
    /// Song.grouped(by: { $0.genre }, select: { ($0.genre, Song.recordCount) }).having { _ in Song.recordCount > 10 }
    /// ```
    public static var recordCount: Computed<Self, Int> { Computed(.aggregate(.count)) }
}
