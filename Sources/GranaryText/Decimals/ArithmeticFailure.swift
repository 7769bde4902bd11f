/// Errors of computing with stored values. The caller adds the entity and the attribute.
package enum ArithmeticFailure {
    @inline(never) package static func overflow(_ operation: String) -> GranaryError {
        GranaryError(
            .overflow,
            "The result of \"\(operation)\" does not fit a 64-bit integer. Compute with doubles instead.")
    }

    @inline(never) package static func divisionByZero(_ operation: ArithmeticOperator) -> GranaryError {
        GranaryError(
            .overflow, "The right side of \"\(operation.rawValue)\" is zero. Leave out such records with a condition.")
    }

    @inline(never) package static func notANumber() -> GranaryError {
        GranaryError(.range, "The result is not a number. Leave out infinities with a condition.")
    }

    @inline(never) package static func sumTooLarge() -> GranaryError {
        GranaryError(
            .overflow, "The sum does not fit a 64-bit integer. Sum fewer records, or a double or decimal attribute.")
    }

    @inline(never) static func decimalTooLong() -> GranaryError {
        GranaryError(
            .range, "The result has more than 38 digits or is out of the range of decimals. Compute with fewer places.")
    }

    @inline(never) package static func invalidDecimal() -> GranaryError {
        GranaryError(.corrupt, "The store holds bytes that are not a decimal.")
    }
}
