extension QueryExpression {
    public static func == (left: Self, right: Value) -> Condition<Root> { left.compared(.equal, right) }
    public static func != (left: Self, right: Value) -> Condition<Root> { left.compared(.notEqual, right) }
    public static func < (left: Self, right: Value) -> Condition<Root> { left.compared(.less, right) }
    public static func <= (left: Self, right: Value) -> Condition<Root> { left.compared(.lessOrEqual, right) }
    public static func > (left: Self, right: Value) -> Condition<Root> { left.compared(.greater, right) }
    public static func >= (left: Self, right: Value) -> Condition<Root> { left.compared(.greaterOrEqual, right) }

    fileprivate func compared(_ comparison: Comparison, _ value: Value) -> Condition<Root> {
        Condition(.relation(untyped, comparison, AnyExpression(value)))
    }
}

// The value on the left: the same condition as with the value on the right.
extension QueryExpression {
    public static func == (left: Value, right: Self) -> Condition<Root> { right.compared(.equal, left) }
    public static func != (left: Value, right: Self) -> Condition<Root> { right.compared(.notEqual, left) }
    public static func < (left: Value, right: Self) -> Condition<Root> { right.compared(.greater, left) }
    public static func <= (left: Value, right: Self) -> Condition<Root> { right.compared(.greaterOrEqual, left) }
    public static func > (left: Value, right: Self) -> Condition<Root> { right.compared(.less, left) }
    public static func >= (left: Value, right: Self) -> Condition<Root> { right.compared(.lessOrEqual, left) }
}

// Two expressions of one type, where each may be optional or not, or two integers of any width.
extension QueryExpression {
    public static func == <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.compared(.equal, with: right)
    }

    public static func != <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.compared(.notEqual, with: right)
    }

    public static func < <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.compared(.less, with: right)
    }

    public static func <= <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.compared(.lessOrEqual, with: right)
    }

    public static func > <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.compared(.greater, with: right)
    }

    public static func >= <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.compared(.greaterOrEqual, with: right)
    }

    private func compared(_ comparison: Comparison, with other: some QueryExpression) -> Condition<Root> {
        Condition(.relation(untyped, comparison, other.untyped))
    }
}

extension QueryExpression {
    /// True for records whose value is in the list; nil matches nil. Up to 100 000 values: more throw `invalidQuery`
    /// when the query is run.
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> {
        // The sequence may be endless: at most one value more than allowed is read, which shows that there are too
        // many.
        let values = values.prefix(AnyCondition.maximumListedValues + 1)
        if case .attribute(let name) = untyped.root {
            return Condition(.among(name, encoded: values.map { value in Result { try StoredValue(encoding: value) } }))
        }
        return Condition(.listed(untyped, values.map { AnyExpression($0) }))
    }

    /// True for values within the range, both ends included.
    public func `in`(_ range: ClosedRange<Value>) -> Condition<Root> where Value: Comparable {
        between(range.lowerBound, range.upperBound)
    }

    /// True for values within the range, without its upper end.
    public func `in`(_ range: Range<Value>) -> Condition<Root> where Value: Comparable {
        self >= range.lowerBound && self < range.upperBound
    }

    /// True for values within the range, both ends included; never for nil.
    public func `in`<Wrapped: Comparable>(_ range: ClosedRange<Wrapped>) -> Condition<Root> where Value == Wrapped? {
        between(range.lowerBound, range.upperBound)
    }

    /// True for values within the range, without its upper end; never for nil.
    public func `in`<Wrapped: Comparable>(_ range: Range<Wrapped>) -> Condition<Root> where Value == Wrapped? {
        self >= range.lowerBound && self < range.upperBound
    }

    /// True for values from the range's lower end on.
    public func `in`(_ range: PartialRangeFrom<Value>) -> Condition<Root> where Value: Comparable {
        self >= range.lowerBound
    }

    /// True for values up to the range's upper end, which is included.
    public func `in`(_ range: PartialRangeThrough<Value>) -> Condition<Root> where Value: Comparable {
        self <= range.upperBound
    }

    /// True for values below the range's upper end.
    public func `in`(_ range: PartialRangeUpTo<Value>) -> Condition<Root> where Value: Comparable {
        self < range.upperBound
    }

    /// True for values from the range's lower end on; never for nil.
    public func `in`<Wrapped: Comparable>(_ range: PartialRangeFrom<Wrapped>) -> Condition<Root>
    where Value == Wrapped? { self >= range.lowerBound }

    /// True for values up to the range's upper end, which is included; never for nil.
    public func `in`<Wrapped: Comparable>(_ range: PartialRangeThrough<Wrapped>) -> Condition<Root>
    where Value == Wrapped? { self <= range.upperBound }

    /// True for values below the range's upper end; never for nil.
    public func `in`<Wrapped: Comparable>(_ range: PartialRangeUpTo<Wrapped>) -> Condition<Root>
    where Value == Wrapped? { self < range.upperBound }

    /// True for values from `lower` to `upper`, both included; never true if `lower` is greater than `upper`.
    public func between(_ lower: Value, _ upper: Value) -> Condition<Root> {
        self >= lower && self <= upper
    }
}

// Operators of the record, so that a mistake about a field of another type is not taken for one about references.
extension Record {
    /// True of records that refer to this one.
    public static func == <Reference: QueryExpression>(left: Reference, right: Self) -> Condition<Reference.Root>
    where Reference.Value: ReferenceValue, Reference.Value.Target == Self { left.compared(.equal, key: right.id) }

    /// True of records that do not refer to this one.
    public static func != <Reference: QueryExpression>(left: Reference, right: Self) -> Condition<Reference.Root>
    where Reference.Value: ReferenceValue, Reference.Value.Target == Self { left.compared(.notEqual, key: right.id) }

    /// True of records that refer to this one.
    public static func == <Reference: QueryExpression>(left: Self, right: Reference) -> Condition<Reference.Root>
    where Reference.Value: ReferenceValue, Reference.Value.Target == Self { right.compared(.equal, key: left.id) }

    /// True of records that do not refer to this one.
    public static func != <Reference: QueryExpression>(left: Self, right: Reference) -> Condition<Reference.Root>
    where Reference.Value: ReferenceValue, Reference.Value.Target == Self { right.compared(.notEqual, key: left.id) }
}

extension QueryExpression {
    fileprivate func compared(_ comparison: Comparison, key: some AttributeValue) -> Condition<Root> {
        Condition(.relation(untyped, comparison, AnyExpression(key)))
    }
}

// What one writes by habit, so that the compiler answers with what to write here.
extension QueryExpression where Value.Unwrapped: RawRepresentable {
    @available(*, unavailable, message: "An enum is compared with a case: `.done`, or `Stage(rawValue: text)`.")
    @_disfavoredOverload
    public static func == (left: Self, right: Value.Unwrapped.RawValue) -> Condition<Root> { .never }

    @available(*, unavailable, message: "An enum is compared with a case: `.done`, or `Stage(rawValue: text)`.")
    @_disfavoredOverload
    public static func != (left: Self, right: Value.Unwrapped.RawValue) -> Condition<Root> { .never }
}

extension QueryExpression where Value: ReferenceValue {
    @available(*, unavailable, message: "A reference is compared with a record, or with the key as `Ref(key)`.")
    @_disfavoredOverload
    public static func == <Other>(left: Self, right: Other) -> Condition<Root> { .never }

    @available(*, unavailable, message: "A reference is compared with a record, or with the key as `Ref(key)`.")
    @_disfavoredOverload
    public static func != <Other>(left: Self, right: Other) -> Condition<Root> { .never }
}
