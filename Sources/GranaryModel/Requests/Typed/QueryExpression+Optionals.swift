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

extension QueryExpression where Value: ReferenceValue {
    /// True for records that refer to this record; if `right` is nil, for records whose reference is nil.
    @_disfavoredOverload
    public static func == (left: Self, right: Value.Target?) -> Condition<Root> { left.compared(.equal, right) }

    /// True for records that do not refer to this record; if `right` is nil, for records whose reference is not nil.
    @_disfavoredOverload
    public static func != (left: Self, right: Value.Target?) -> Condition<Root> { left.compared(.notEqual, right) }

    private func compared(_ comparison: Comparison, _ record: Value.Target?) -> Condition<Root> {
        Condition(.relation(untyped, comparison, AnyExpression(record?.id)))
    }
}
