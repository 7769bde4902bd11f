// An optional value beside an expression that is never nil, or beside a reference: nil equals only nil, as in `== nil`.
//
// Disfavored, so that literals and cases, `.none` too, have the type that is never nil, and nil has the reference's own
// type.

extension QueryExpression where Value.Unwrapped == Value {
    /// True for records with this value; for no record if `right` is nil.
    @_disfavoredOverload
    public static func == (left: Self, right: Value?) -> Condition<Root> { left.compared(.equal, right) }
    /// True for records with another value; for all records if `right` is nil.
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

extension Optional where Wrapped: Record {
    /// True of records that refer to this one; where this is nil, of those that refer to none.
    @_disfavoredOverload
    public static func == <Reference: QueryExpression>(left: Reference, right: Self) -> Condition<Reference.Root>
    where Reference.Value: ReferenceValue, Reference.Value.Target == Wrapped {
        Condition(.relation(left.untyped, .equal, AnyExpression(right?.id)))
    }

    /// True for records that do not refer to this record; if `right` is nil, for records whose reference is not nil.
    @_disfavoredOverload
    public static func != <Reference: QueryExpression>(left: Reference, right: Self) -> Condition<Reference.Root>
    where Reference.Value: ReferenceValue, Reference.Value.Target == Wrapped {
        Condition(.relation(left.untyped, .notEqual, AnyExpression(right?.id)))
    }
}
