// A ``ScaledDecimal`` beside a plain `Decimal`, as which a program has it. Comparisons are exact. A Decimal that the
// attribute cannot hold - more places, larger, NaN - is not rounded: `range` is thrown when the query is run, as of a
// ``ScaledDecimal`` itself.
//
// Generic, so that a literal is never a Decimal, which would have it by way of a double, but a ScaledDecimal.

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
    /// True of values from one to the other, both included; of none if the first is the greater.
    public func between<Number: DecimalAttributeValue>(_ lower: Number, _ upper: Number) -> Condition<Root> {
        self >= lower && self <= upper
    }

    /// True of values within the range, both ends included; never of nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: ClosedRange<Number>) -> Condition<Root> {
        between(range.lowerBound, range.upperBound)
    }

    /// True of values within the range, its upper end left out; never of nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: Range<Number>) -> Condition<Root> {
        self >= range.lowerBound && self < range.upperBound
    }

    /// True of values from the range's lower end on; never of nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: PartialRangeFrom<Number>) -> Condition<Root> {
        self >= range.lowerBound
    }

    /// True of values up to the range's upper end, which is included; never of nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: PartialRangeThrough<Number>) -> Condition<Root> {
        self <= range.upperBound
    }

    /// True of values up to the range's upper end, which is left out; never of nil.
    public func `in`<Number: DecimalAttributeValue>(_ range: PartialRangeUpTo<Number>) -> Condition<Root> {
        self < range.upperBound
    }

    /// True of records whose value is one of these; never of nil. As many as `in(_:)` of a list of values takes.
    public func `in`<Number: DecimalAttributeValue>(_ values: some Sequence<Number>) -> Condition<Root> {
        Computed<Root, Value.Unwrapped>(untyped).in(values.lazy.map { Value.Unwrapped($0._decimal) })
    }
}
