import GranaryPlatform

// A number and an integer of another kind: a double or decimal times a count. The integer becomes what it stands beside; it stands
// on the right. Two kinds of decimals are combined by ``asDecimal``.
//
// Few and disfavored, because each further form of an operator makes every expression with that operator slower to compile: two
// numbers of one kind have operators of their own, and where these fit the ones here are not tried.
extension QueryExpression where Value.Unwrapped: FractionAttributeValue {
    /// A double or a decimal and an integer; nil if either is.
    @_disfavoredOverload
    public static func + <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped: IntegerAttributeValue { left.combined(.add, right) }

    /// A double or a decimal and an integer; nil if either is.
    @_disfavoredOverload
    public static func - <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped: IntegerAttributeValue { left.combined(.subtract, right) }

    /// A double or a decimal and an integer; nil if either is.
    @_disfavoredOverload
    public static func / <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped: IntegerAttributeValue { left.combined(.divide, right) }
}

extension QueryExpression where Value.Unwrapped: NumericAttributeValue {
    /// A double or a decimal multiplied by an integer; nil if either is. A scaled decimal keeps its places.
    ///
    /// ```swift
    /// Line.where { $0.price * $0.quantity > 100 }
    /// ```
    @_disfavoredOverload
    public static func * <Other: QueryExpression>(left: Self, right: Other) -> Computed<Root, Value.Nilable>
    where Other.Root == Root, Other.Value.Unwrapped: IntegerAttributeValue { left.combined(.multiply, right) }

    fileprivate func combined(
        _ operation: ArithmeticOperator, _ integer: some QueryExpression
    ) -> Computed<Root, Value.Nilable> { Computed(.arithmetic(untyped, operation, integer.untyped)) }
}

extension QueryExpression where Value.Unwrapped: ScaledAttributeValue {
    /// The number as a `Decimal`, to combine it with numbers of other kinds.
    public var asDecimal: Computed<Root, Decimal?> { Computed(.function(.decimal, untyped)) }
}

extension QueryExpression where Value.Unwrapped: IntegerAttributeValue {
    /// The integer as the nearest double, to compute with doubles.
    public var asDouble: Computed<Root, Double?> { Computed(.function(.real, untyped)) }

    /// The integer as a `Decimal`, to compute with decimals or to divide without dropping the fraction.
    public var asDecimal: Computed<Root, Decimal?> { Computed(.function(.decimal, untyped)) }
}
