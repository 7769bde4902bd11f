// An optional beside what is never nil, and beside a reference: nil is equal to nil alone, as `== nil` has it.
//
// Disfavored, so that a literal and a case, `.none` too, are of the type that is never nil, and nil is the reference's own.

extension QueryExpression where Value.Unwrapped == Value {
    /// True where the value is this one; of none where this is nil.
    @_disfavoredOverload
    public static func == (left: Self, right: Value?) -> Condition<Root> { left.compared(.equal, right) }
    /// True where the value is not this one; of all where this is nil.
    @_disfavoredOverload
    public static func != (left: Self, right: Value?) -> Condition<Root> { left.compared(.notEqual, right) }

    @_disfavoredOverload
    public static func == (left: Value?, right: Self) -> Condition<Root> { right.compared(.equal, left) }
    @_disfavoredOverload
    public static func != (left: Value?, right: Self) -> Condition<Root> { right.compared(.notEqual, left) }

    private func compared(_ comparison: Comparison, _ value: Value?) -> Condition<Root> {
        Condition(.relation(untyped, comparison, AnyExpression(value)))
    }
}

extension QueryExpression where Value: ReferenceValue {
    /// True of records that refer to this one; where this is nil, of those that refer to none.
    @_disfavoredOverload
    public static func == (left: Self, right: Value.Target?) -> Condition<Root> { left.compared(.equal, right) }

    /// True of records that do not refer to this one; where this is nil, of those that refer to one.
    @_disfavoredOverload
    public static func != (left: Self, right: Value.Target?) -> Condition<Root> { left.compared(.notEqual, right) }

    private func compared(_ comparison: Comparison, _ record: Value.Target?) -> Condition<Root> {
        Condition(.relation(untyped, comparison, AnyExpression(record?.id)))
    }
}
