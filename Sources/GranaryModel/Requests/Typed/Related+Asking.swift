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

    /// The sum of a value of the related records; 0 if there are none.
    public func sum<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Unwrapped.Sum
    > where Value.Root == Target, Value.Value.Unwrapped: NumericAttributeValue {
        Computed(.aggregate(.sum, of: value(Target.fields).untyped, over: path))
    }

    /// The average of a value of the related records; nil if there are none.
    public func average<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Unwrapped.Average.Nilable
    > where Value.Root == Target, Value.Value.Unwrapped: NumericAttributeValue {
        Computed(.aggregate(.average, of: value(Target.fields).untyped, over: path))
    }

    /// The least value of the related records; nil if there are none.
    public func minimum<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Nilable
    > where Value.Root == Target {
        Computed(.aggregate(.minimum, of: value(Target.fields).untyped, over: path))
    }

    /// The greatest value of the related records; nil if there are none.
    public func maximum<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Nilable
    > where Value.Root == Target {
        Computed(.aggregate(.maximum, of: value(Target.fields).untyped, over: path))
    }
}
