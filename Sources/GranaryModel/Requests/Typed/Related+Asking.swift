// Conditions and aggregates over a to-many relationship.
extension Related {
    /// True for records with at least one related record that meets the condition.
    ///
    /// ```swift
    /// Artist.where { $0.songs.contains { $0.plays > 1_000 } }
    /// ```
    public func contains(@ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>) -> Condition<Root>
    {
        Condition(.exists(path, condition(Target.fields).untyped))
    }

    /// True for records to which `record` is related.
    public func contains(_ record: Target) -> Condition<Root> { contains(key: record.id) }

    /// True for records to which the record with this key is related.
    public func contains(key: Target.Key) -> Condition<Root> {
        Condition(
            .exists(path, .relation(.attribute(Target.entity.key), .equal, AnyExpression(key))))
    }

    /// True for records whose related records all meet the condition; also for records without related records.
    public func allSatisfy(@ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>) -> Condition<
        Root
    > {
        Condition(.not(.exists(path, .not(condition(Target.fields).untyped))))
    }

    /// True for records without related records.
    public var isEmpty: Condition<Root> { Condition(.not(.exists(path))) }

    /// The number of related records.
    public var count: Computed<Root, Int> { Computed(.aggregate(.count, over: path)) }

    /// The number of related records that meet the condition.
    public func count(@ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target>) -> Computed<
        Root, Int
    > {
        Computed(.aggregate(.count, over: path, where: condition(Target.fields).untyped))
    }

    /// The sum of a value of the related records, or of those that meet a condition; 0 without any.
    ///
    /// ```swift
    /// Artist.all.select { ($0.name, $0.songs.sum(\.plays) { $0.isLive }) }
    /// ```
    public func sum<Value: QueryExpression>(
        _ value: (Target.Fields) -> Value,
        @ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target> = { _ in .always }
    ) -> Computed<Root, Value.Value.Unwrapped.Sum>
    where Value.Root == Target, Value.Value.Unwrapped: NumericAttributeValue { aggregate(.sum, value, condition) }

    /// The average of a value of the related records, or of those that meet a condition; nil without values.
    public func average<Value: QueryExpression>(
        _ value: (Target.Fields) -> Value,
        @ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target> = { _ in .always }
    ) -> Computed<Root, Value.Value.Unwrapped.Average.Nilable>
    where Value.Root == Target, Value.Value.Unwrapped: NumericAttributeValue { aggregate(.average, value, condition) }

    /// The least value of the related records, or of those that meet a condition; nil without values.
    public func minimum<Value: QueryExpression>(
        _ value: (Target.Fields) -> Value,
        @ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target> = { _ in .always }
    ) -> Computed<Root, Value.Value.Nilable> where Value.Root == Target { aggregate(.minimum, value, condition) }

    /// The greatest value of the related records, or of those that meet a condition; nil without values.
    public func maximum<Value: QueryExpression>(
        _ value: (Target.Fields) -> Value,
        @ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target> = { _ in .always }
    ) -> Computed<Root, Value.Value.Nilable> where Value.Root == Target { aggregate(.maximum, value, condition) }

    private func aggregate<Value: QueryExpression, Result: AttributeValue>(
        _ function: AggregateFunction, _ value: (Target.Fields) -> Value,
        _ condition: (Target.Fields) -> Condition<Target>
    ) -> Computed<Root, Result> {
        let condition = condition(Target.fields)
        return Computed(
            .aggregate(
                function, of: value(Target.fields).untyped, over: path,
                where: condition == .always ? nil : condition.untyped))
    }
}

// What one writes by habit, so that the compiler answers with what to write here.
extension Related {
    @available(*, unavailable, renamed: "contains(_:)")
    public func contains(@ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target>) -> Condition<
        Root
    > { .never }

    @available(
        *, unavailable,
        message: "Write `contains { }` for whether one meets the condition, `count { }` for how many do."
    )
    public func filter(@ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>) -> Related { self }
}
