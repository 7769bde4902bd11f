/// An operation on two numbers in a query.
///
/// If an operand is nil, the result is nil. Otherwise the result depends on the kind of the numbers:
///
/// | | integers | doubles | decimals |
/// |---|---|---|---|
/// | `+` `-` `*` | exact, an error beyond Int64 | IEEE | exact, an error beyond 38 digits |
/// | `/` | truncated toward zero | IEEE | nearest of 38 digits, half to even |
/// | `%` | sign of the left operand | sign of the left operand | exact, sign of the left operand |
///
/// Dividing by zero, or taking the remainder by zero, is an error for all three, and so is a double that would be NaN.
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
}

/// The kind of numbers that an operation or an aggregate computes with.
public enum NumberKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Int64: the integer types, and scaled decimals of one scale.
    case integer
    /// Double: the floating-point types, and dates as seconds.
    case real
    /// Decimals in the form of `DecimalEncoding`.
    case decimal
}
