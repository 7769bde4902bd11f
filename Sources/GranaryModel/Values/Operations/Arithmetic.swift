/// The result of an operation on two stored values, the same in every store; nil if either is nil.
///
/// An integer operand of a real operation becomes the nearest double (exact up to 2^53), and one of a decimal operation
/// the same decimal. Scaled decimals are passed as their integers. It is meaningful to add, subtract and compare scaled
/// decimals with equal places, and to multiply or divide one by a plain integer; the caller must check this.
///
/// - Throws: ``GranaryError/Code/overflow`` for an integer result beyond Int64 and for a division or remainder by zero,
///   ``GranaryError/Code/range`` for a NaN and for a decimal result of more than 38 digits or out of range,
///   ``GranaryError/Code/typeMismatch`` for an operand that is not a number of this kind, ``GranaryError/Code/corrupt``
///   for bytes that are not a decimal.
package func apply(
    _ operation: ArithmeticOperator, _ left: StoredValue, _ right: StoredValue, as kind: NumberKind
) throws -> StoredValue {
    if left == .null || right == .null { return .null }
    switch kind {
    case .integer:
        return .integer(try apply(operation, try left.integerOperand(), try right.integerOperand()))
    case .real:
        return .real(try apply(operation, try left.realOperand(), try right.realOperand()))
    case .decimal:
        return .bytes(try DecimalNumber.apply(operation, left.decimalOperand(), right.decimalOperand()).bytes)
    }
}

package func apply(_ operation: ArithmeticOperator, _ left: Int64, _ right: Int64) throws -> Int64 {
    let (result, overflow): (Int64, Bool)
    switch operation {
    case .add: (result, overflow) = left.addingReportingOverflow(right)
    case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
    case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
    case .divide:
        guard right != 0 else { throw ArithmeticFailure.divisionByZero(operation) }
        (result, overflow) = left.dividedReportingOverflow(by: right)
    case .remainder:
        guard right != 0 else { throw ArithmeticFailure.divisionByZero(operation) }
        // The quotient of the least integer by -1 does not fit, but the remainder, 0, does.
        return right == -1 ? 0 : left % right
    }
    guard !overflow else { throw ArithmeticFailure.overflow(operation.rawValue) }
    return result
}

package func apply(_ operation: ArithmeticOperator, _ left: Double, _ right: Double) throws -> Double {
    let result: Double
    switch operation {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide:
        guard right != 0 else { throw ArithmeticFailure.divisionByZero(operation) }
        result = left / right
    case .remainder:
        guard right != 0 else { throw ArithmeticFailure.divisionByZero(operation) }
        result = left.truncatingRemainder(dividingBy: right)
    }
    guard !result.isNaN else { throw ArithmeticFailure.notANumber() }
    // Turns -0.0 into 0.0, and changes no other number.
    return result + 0.0
}

extension StoredValue {
    fileprivate func integerOperand() throws -> Int64 {
        guard case .integer(let value) = self else { throw ArithmeticFailure.mismatch(kind, expected: .integer) }
        return value
    }

    fileprivate func realOperand() throws -> Double {
        switch self {
        case .real(let value): return value
        case .integer(let value): return Double(value)
        case .null, .text, .bytes: throw ArithmeticFailure.mismatch(kind, expected: .real)
        }
    }

    fileprivate func decimalOperand() throws -> DecimalNumber {
        switch self {
        case .bytes(let bytes): return try bytes.withUnsafeBytes { try DecimalNumber(encoded: $0) }
        case .integer(let value): return DecimalNumber(value)
        case .null, .real, .text: throw ArithmeticFailure.mismatch(kind, expected: .decimal)
        }
    }
}

extension ArithmeticFailure {
    @inline(never) package static func mismatch(_ kind: Cell.Kind, expected: NumberKind?) -> GranaryError {
        GranaryError(
            .typeMismatch,
            "A value of kind \(kind) stands where \(expected.map { "a number of kind \($0)" } ?? "a number") is needed."
        )
    }
}
