// Aggregates over all records of a query, or of a group: for `aggregate` and `grouped`. Nil is skipped.
extension QueryExpression {
    /// The number of values that are not nil. ``Record/recordCount`` is the number of records.
    public var count: Computed<Root, Int> { aggregate(.count) }
    /// The number of different values, without nil.
    public var distinctCount: Computed<Root, Int> { aggregate(.count, isDistinct: true) }
    /// The least value; nil if there are no values.
    public var minimum: Computed<Root, Value.Nilable> { aggregate(.minimum) }
    /// The greatest value; nil if there are no values.
    public var maximum: Computed<Root, Value.Nilable> { aggregate(.maximum) }

    fileprivate func aggregate<Result: AttributeValue>(
        _ function: AggregateFunction, isDistinct: Bool = false
    ) -> Computed<Root, Result> { Computed(.aggregate(function, of: untyped, isDistinct: isDistinct)) }

    /// The values of the records that meet a condition, to count or sum them: so one query of groups counts several kinds of
    /// records side by side.
    ///
    /// ```swift
    /// Song.all.grouped(by: { $0.genre.name }).select {
    ///     ($0.genre.name, $0.id.count, $0.id.where { $0.isLive }.count, $0.plays.where { $0.rating > 3 }.sum)
    /// }
    /// ```
    public func `where`(
        @ConditionBuilder<Root> _ condition: (Root.Fields) -> Condition<Root>
    ) -> ConditionalValues<Root, Value> { ConditionalValues(untyped, condition(Root.fields).untyped) }
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
    /// Song.all.grouped(by: { $0.genre }).having { _ in Song.recordCount > 10 }.select { ($0.genre, Song.recordCount) }
    /// ```
    public static var recordCount: Computed<Self, Int> { Computed(.aggregate(.count)) }
}

/// The values of the records that meet a condition, for aggregates: what `$0.plays.where { … }` is; see
/// ``QueryExpression/where(_:)``.
public struct ConditionalValues<Root: Record, Value: AttributeValue>: Sendable, Hashable {
    private let value: AnyExpression
    private let condition: AnyCondition

    init(_ value: AnyExpression, _ condition: AnyCondition) {
        self.value = value
        self.condition = condition
    }

    /// The number of values that are not nil.
    public var count: Computed<Root, Int> { aggregate(.count) }
    /// How many different values there are, nil apart.
    public var distinctCount: Computed<Root, Int> { aggregate(.count, isDistinct: true) }
    /// The least value; nil if there are no values.
    public var minimum: Computed<Root, Value.Nilable> { aggregate(.minimum) }
    /// The greatest value; nil if there are no values.
    public var maximum: Computed<Root, Value.Nilable> { aggregate(.maximum) }

    fileprivate func aggregate<Result: AttributeValue>(
        _ function: AggregateFunction, isDistinct: Bool = false
    ) -> Computed<Root, Result> {
        Computed(.aggregate(function, of: value, where: condition, isDistinct: isDistinct))
    }
}

extension ConditionalValues where Value.Unwrapped: NumericAttributeValue {
    /// The sum; 0 if there are no values. Exact, and independent of the order of the records.
    public var sum: Computed<Root, Value.Unwrapped.Sum> { aggregate(.sum) }
    /// The average; nil if there are no values.
    public var average: Computed<Root, Value.Unwrapped.Average.Nilable> { aggregate(.average) }
}
