// Aggregates over all records of a query, or of a group: for `aggregate` and `grouped`. nil is skipped.
extension QueryExpression {
    /// How many values are not nil. How many records there are is ``Record/recordCount``.
    public var count: Computed<Root, Int> { aggregate(.count) }
    /// How many different values there are, nil apart.
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
    /// How many records a group has, or a query.
    ///
    /// ```swift
    /// Song.grouped(by: { $0.genre }, select: { ($0.genre, Song.recordCount) }).having { _ in Song.recordCount > 10 }
    /// ```
    public static var recordCount: Computed<Self, Int> { Computed(.aggregate(.count)) }
}
