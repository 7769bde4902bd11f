extension RegularExpressionParser {
    /// Reads the repetition after an atom; nil if the atom is not repeated.
    mutating func readRepetition() throws(GranaryError) -> (minimum: Int, maximum: Int?)? {
        let start = index
        let bounds: (minimum: Int, maximum: Int?)
        switch next {
        case "*":
            index += 1
            bounds = (0, nil)
        case "+":
            index += 1
            bounds = (1, nil)
        case "?":
            index += 1
            bounds = (0, 1)
        case "{":
            index += 1
            bounds = try readCounts(from: start)
        default: return nil
        }
        // The lazy form finds a different match, but matches the same texts.
        _ = take("?")
        switch next {
        case "+": throw failure("possessive repetitions are not supported.")
        case "*", "?", "{": throw failure("this repeats a repetition; put a group around what is repeated.")
        default: return bounds
        }
    }

    private mutating func readCounts(from start: Int) throws(GranaryError) -> (minimum: Int, maximum: Int?) {
        guard let minimum = try readCount() else {
            throw failure("a repetition is {3}, {3,} or {3,5}; write \\{ for the character.", at: start)
        }
        var maximum: Int? = minimum
        if take(",") { maximum = try readCount() }
        guard take("}") else {
            throw failure("a repetition is {3}, {3,} or {3,5}; write \\{ for the character.", at: start)
        }
        if let maximum, maximum < minimum {
            throw failure("the repetition's maximum is less than its minimum.", at: start)
        }
        return (minimum, maximum)
    }

    private mutating func readCount() throws(GranaryError) -> Int? {
        let start = index
        var count: Int?
        while let digit = next, ("0"..."9").contains(digit) {
            let value = (count ?? 0) * 10 + Int(digit.value - 0x30)
            guard value <= RegularExpressionSyntax.maximumCount else {
                throw failure(
                    "repetitions are counted to at most \(RegularExpressionSyntax.maximumCount).", at: start)
            }
            count = value
            index += 1
        }
        return count
    }
}
