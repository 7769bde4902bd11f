// Integers are exact, and overflow and division by zero throw `overflow` when the query is run; integer division
// truncates toward zero. Decimals are exact up to 38 digits. Floats are computed and compared as doubles; a chosen
// result is read as the nearest Float. A value may stand on either side of an operator.
extension QueryExpression where Value.Unwrapped: NumericAttributeValue {
    public static func + (left: Self, right: Value.Unwrapped) -> Computed<Root, Value> { left.combined(.add, right) }
    public static func - (left: Self, right: Value.Unwrapped) -> Computed<Root, Value> {
        left.combined(.subtract, right)
    }

    public static func + (left: Value.Unwrapped, right: Self) -> Computed<Root, Value> { right.combined(left, .add) }
    public static func - (left: Value.Unwrapped, right: Self) -> Computed<Root, Value> {
        right.combined(left, .subtract)
    }

    fileprivate func combined(_ operation: ArithmeticOperator, _ value: Value.Unwrapped) -> Computed<Root, Value> {
        Computed(.arithmetic(untyped, operation, AnyExpression(value)))
    }

    /// The operation with the value on the left.
    fileprivate func combined(_ value: Value.Unwrapped, _ operation: ArithmeticOperator) -> Computed<Root, Value> {
        Computed(.arithmetic(AnyExpression(value), operation, untyped))
    }
}

// Two expressions of one number type; the result is nil if either is nil.
extension QueryExpression where Value.Unwrapped: NumericAttributeValue {
    public static func + <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.combined(.add, with: right) }

    public static func - <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.combined(.subtract, with: right) }

    fileprivate func combined(_ operation: ArithmeticOperator, with other: some QueryExpression) -> Computed<
        Root, Value.Nilable
    > {
        Computed(.arithmetic(untyped, operation, other.untyped))
    }
}

extension QueryExpression where Value.Unwrapped: FactorAttributeValue {
    public static func * (left: Self, right: Value.Unwrapped) -> Computed<Root, Value> {
        left.combined(.multiply, right)
    }
    public static func / (left: Self, right: Value.Unwrapped) -> Computed<Root, Value> { left.combined(.divide, right) }
    public static func % (left: Self, right: Value.Unwrapped) -> Computed<Root, Value> {
        left.combined(.remainder, right)
    }

    public static func * (left: Value.Unwrapped, right: Self) -> Computed<Root, Value> {
        right.combined(left, .multiply)
    }
    public static func / (left: Value.Unwrapped, right: Self) -> Computed<Root, Value> { right.combined(left, .divide) }
    public static func % (left: Value.Unwrapped, right: Self) -> Computed<Root, Value> {
        right.combined(left, .remainder)
    }

    public static func * <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.combined(.multiply, with: right) }

    public static func / <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.combined(.divide, with: right) }

    public static func % <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.combined(.remainder, with: right) }
}

// Two integers of different types: the result is an `Int`, which all of them fit.
extension QueryExpression where Value.Unwrapped: NumericAttributeValue {
    public static func + <Other: QueryExpression>(
        left: Self, right: Other
    ) -> Computed<Root, Value.Unwrapped.Widened.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.widened(.add, with: right)
    }

    public static func - <Other: QueryExpression>(
        left: Self, right: Other
    ) -> Computed<Root, Value.Unwrapped.Widened.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.widened(.subtract, with: right)
    }

    fileprivate func widened(
        _ operation: ArithmeticOperator, with other: some QueryExpression
    ) -> Computed<Root, Value.Unwrapped.Widened.Nilable> {
        Computed(.arithmetic(untyped, operation, other.untyped))
    }
}

extension QueryExpression where Value.Unwrapped: FactorAttributeValue {
    public static func * <Other: QueryExpression>(
        left: Self, right: Other
    ) -> Computed<Root, Value.Unwrapped.Widened.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.widened(.multiply, with: right)
    }

    public static func / <Other: QueryExpression>(
        left: Self, right: Other
    ) -> Computed<Root, Value.Unwrapped.Widened.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.widened(.divide, with: right)
    }

    public static func % <Other: QueryExpression>(
        left: Self, right: Other
    ) -> Computed<Root, Value.Unwrapped.Widened.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        left.widened(.remainder, with: right)
    }
}

extension QueryExpression where Value.Unwrapped: NumericAttributeValue & SignedNumeric {
    /// The number with its sign changed: 0 minus the number.
    ///
    /// For `Int64.min` it throws `overflow` when the query is run. The least value of a narrower type can be compared,
    /// but selecting its negative throws `range`. The negative of 0.0 is 0.0, because a store has no other zero.
    public static prefix func - (value: Self) -> Computed<Root, Value> { Computed(.negated(value.untyped)) }
}

extension QueryExpression where Value.Unwrapped: UnsignedInteger {
    /// The number with its sign changed, as an `Int`.
    public static prefix func - (value: Self) -> Computed<Root, Value.Unwrapped.Widened.Nilable> {
        Computed(.negated(value.untyped))
    }
}

extension QueryExpression where Value.Unwrapped: ScaledAttributeValue {
    /// The number with its sign changed: 0 minus the number.
    public static prefix func - (value: Self) -> Computed<Root, Value> { Computed(.negated(value.untyped)) }

    /// A decimal multiplied by an integer. The result has the decimal's number of places.
    public static func * (left: Self, right: Int) -> Computed<Root, Value> {
        Computed(.arithmetic(left.untyped, .multiply, AnyExpression(right)))
    }

    /// An integer multiplied by a decimal. The result has the decimal's number of places.
    public static func * (left: Int, right: Self) -> Computed<Root, Value> {
        Computed(.arithmetic(AnyExpression(left), .multiply, right.untyped))
    }
}

extension QueryExpression where Value.Unwrapped: NumericAttributeValue {
    /// The number without its sign: its distance from zero; nil for nil.
    ///
    /// ```swift
    /// Song.where { $0.gain.absoluteValue > 0.5 }
    /// ```
    ///
    /// For `Int64.min` it throws `overflow` when the query is run. The absolute value of the least value of a narrower
    /// type can be compared, but selecting it throws `range`.
    public var absoluteValue: Computed<Root, Value> { Computed(.function(.absolute, untyped)) }
}

extension QueryExpression {
    /// The value, or another value if it is nil.
    public static func ?? (left: Self, right: Value.Unwrapped) -> Computed<Root, Value.Unwrapped> {
        Computed(.ifNil(left.untyped, AnyExpression(right)))
    }
}
