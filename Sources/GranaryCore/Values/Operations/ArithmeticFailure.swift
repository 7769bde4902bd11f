/// The failures of computing with stored values. The entity and the attribute are added above.
enum ArithmeticFailure {
    @inline(never) static func overflow(_ operation: String) -> GranaryError {
        GranaryError(
            .overflow,
            "The result of \"\(operation)\" does not fit a 64-bit integer. Compute with doubles instead.")
    }

    @inline(never) static func divisionByZero(_ operation: ArithmeticOperator) -> GranaryError {
        GranaryError(
            .overflow, "The right side of \"\(operation.rawValue)\" is zero. Leave out such records with a condition.")
    }

    @inline(never) static func notANumber() -> GranaryError {
        GranaryError(.range, "The result is not a number. Leave out infinities with a condition.")
    }

    @inline(never) static func sumTooLarge() -> GranaryError {
        GranaryError(
            .overflow, "The sum does not fit a 64-bit integer. Sum fewer records, or a double or decimal attribute.")
    }

    @inline(never) static func decimalTooLong() -> GranaryError {
        GranaryError(
            .range, "The result has more than 38 digits or is out of the range of decimals. Compute with fewer places.")
    }

    @inline(never) static func invalidDecimal() -> GranaryError {
        GranaryError(.corrupt, "The store holds bytes that are not a decimal.")
    }

    @inline(never) static func mismatch(_ kind: Cell.Kind, expected: NumberKind?) -> GranaryError {
        GranaryError(
            .typeMismatch,
            "A value of kind \(kind) stands where \(expected.map { "a number of kind \($0)" } ?? "a number") is needed."
        )
    }
}
