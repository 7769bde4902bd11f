// A ``ScaledDecimal`` beside a plain `Decimal`, the type that programs use. Comparisons are exact. A Decimal that the
// attribute cannot hold (more places, larger, NaN) is not rounded: `range` is thrown when the query is run, as for a
// ``ScaledDecimal`` itself.
//
// Generic, so that a literal is always a ScaledDecimal. As a Decimal it would be converted by way of a double.

extension QueryExpression where Value.Unwrapped: ScaledAttributeValue {
    public static func == <Number: DecimalAttributeValue>(left: Self, right: Number?) -> Condition<Root> {
        left.compared(.equal, right)
    }
    public static func != <Number: DecimalAttributeValue>(left: Self, right: Number?) -> Condition<Root> {
        left.compared(.notEqual, right)
    }
    public static func < <Number: DecimalAttributeValue>(left: Self, right: Number) -> Condition<Root> {
        left.compared(.less, right)
    }
    public static func <= <Number: DecimalAttributeValue>(left: Self, right: Number) -> Condition<Root> {
        left.compared(.lessOrEqual, right)
    }
    public static func > <Number: DecimalAttributeValue>(left: Self, right: Number) -> Condition<Root> {
        left.compared(.greater, right)
    }
    public static func >= <Number: DecimalAttributeValue>(left: Self, right: Number) -> Condition<Root> {
        left.compared(.greaterOrEqual, right)
    }

    public static func == <Number: DecimalAttributeValue>(left: Number?, right: Self) -> Condition<Root> {
        right.compared(.equal, left)
    }
    public static func != <Number: DecimalAttributeValue>(left: Number?, right: Self) -> Condition<Root> {
        right.compared(.notEqual, left)
    }
    public static func < <Number: DecimalAttributeValue>(left: Number, right: Self) -> Condition<Root> {
        right.compared(.greater, left)
    }
    public static func <= <Number: DecimalAttributeValue>(left: Number, right: Self) -> Condition<Root> {
        right.compared(.greaterOrEqual, left)
    }
    public static func > <Number: DecimalAttributeValue>(left: Number, right: Self) -> Condition<Root> {
        right.compared(.less, left)
    }
    public static func >= <Number: DecimalAttributeValue>(left: Number, right: Self) -> Condition<Root> {
        right.compared(.lessOrEqual, left)
    }

    private func compared(_ comparison: Comparison, _ value: (some DecimalAttributeValue)?) -> Condition<Root> {
        Condition(.relation(untyped, comparison, AnyExpression(value.map { Value.Unwrapped($0._decimal) })))
    }
}

extension QueryExpression where Value.Unwrapped: ScaledAttributeValue {
    /// True for values from `lower` to `upper`, both included; never true if `lower` is greater than `upper`.
    public func between<Number: DecimalAttributeValue>(_ lower: Number, _ upper: Number) -> Condition<Root> {
        self >= lower && self <= upper
    }

    /// True for values within the range, both ends included; never for nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: ClosedRange<Number>) -> Condition<Root> {
        between(range.lowerBound, range.upperBound)
    }

    /// True for values within the range, without its upper end; never for nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: Range<Number>) -> Condition<Root> {
        self >= range.lowerBound && self < range.upperBound
    }

    /// True for values from the range's lower end on; never for nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: PartialRangeFrom<Number>) -> Condition<Root> {
        self >= range.lowerBound
    }

    /// True for values up to the range's upper end, which is included; never for nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: PartialRangeThrough<Number>) -> Condition<Root> {
        self <= range.upperBound
    }

    /// True for values below the range's upper end; never for nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: PartialRangeUpTo<Number>) -> Condition<Root> {
        self < range.upperBound
    }

    /// True for records whose value is in the list; never for nil. The limit is that of `in(_:)` for a list of values.
    public func `in`<Number: DecimalAttributeValue>(_ values: some Sequence<Number>) -> Condition<Root> {
        Computed<Root, Value.Unwrapped>(untyped).in(values.lazy.map { Value.Unwrapped($0._decimal) })
    }
}
