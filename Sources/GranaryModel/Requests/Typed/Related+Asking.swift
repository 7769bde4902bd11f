// What a query asks of a to-many relationship.
extension Related {
    /// True of records with at least one related record of which the condition holds.
    ///
    /// ```swift
    /// Artist.where { $0.songs.contains { $0.plays > 1_000 } }
    /// ```
    public func contains(@ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>) -> Condition<Root>
    {
        Condition(.exists(path, condition(Target.fields).untyped))
    }

    /// True of records to which this one is related.
    public func contains(_ record: Target) -> Condition<Root> { contains(key: record.id) }

    /// True of records to which the one with this key is related.
    public func contains(key: Target.Key) -> Condition<Root> {
        Condition(
            .exists(path, .relation(.attribute(Target.entity.key), .equal, AnyExpression(key))))
    }

    /// True of records of which every related record meets the condition; also where there are none.
    public func allSatisfy(@ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>) -> Condition<
        Root
    > {
        Condition(.not(.exists(path, .not(condition(Target.fields).untyped))))
    }

    /// True of records without related ones.
    public var isEmpty: Condition<Root> { Condition(.not(.exists(path))) }

    /// The number of related records.
    public var count: Computed<Root, Int> { Computed(.aggregate(.count, over: path)) }

    /// The number of related records of which the condition holds.
    public func count(@ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target>) -> Computed<
        Root, Int
    > {
        Computed(.aggregate(.count, over: path, where: condition(Target.fields).untyped))
    }

    /// The sum of a value of the related records; 0 where there are none.
    public func sum<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Unwrapped.Sum
    > where Value.Root == Target, Value.Value.Unwrapped: NumericAttributeValue {
        Computed(.aggregate(.sum, of: value(Target.fields).untyped, over: path))
    }

    /// The average of a value of the related records; nil where there are none.
    public func average<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Unwrapped.Average.Nilable
    > where Value.Root == Target, Value.Value.Unwrapped: NumericAttributeValue {
        Computed(.aggregate(.average, of: value(Target.fields).untyped, over: path))
    }

    /// The least value of the related records; nil where there are none.
    public func minimum<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Nilable
    > where Value.Root == Target {
        Computed(.aggregate(.minimum, of: value(Target.fields).untyped, over: path))
    }

    /// The greatest value of the related records; nil where there are none.
    public func maximum<Value: QueryExpression>(_ value: (Target.Fields) -> Value) -> Computed<
        Root, Value.Value.Nilable
    > where Value.Root == Target {
        Computed(.aggregate(.maximum, of: value(Target.fields).untyped, over: path))
    }
}
