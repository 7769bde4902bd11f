extension RegularExpressionParser {
    /// Reads a set whose opening bracket was just read.
    mutating func readSet() throws(GranaryError) -> ScalarSet {
        let opening = index - 1
        let isNegated = take("^")
        var listed = ScalarSet.Term()
        var negatedTerms: [ScalarSet.Term] = []
        var isFirst = true
        while let scalar = next, scalar != "]" {
            let start = index
            let member = try readMember(isFirst: isFirst, first: scalar)
            isFirst = false
            switch member {
            case .term(let term):
                if next == "-", pattern.dropFirst(index + 1).first != "]" {
                    throw failure("a range goes from one character to another; write \\- for the character.")
                }
                if term.isNegated { negatedTerms.append(term) } else { listed.formUnion(term) }
            case .scalar(let lower):
                guard next == "-", let after = pattern.dropFirst(index + 1).first, after != "]" else {
                    listed.ranges.append(lower.value...lower.value)
                    continue
                }
                index += 1
                guard case .scalar(let upper) = try readMember(isFirst: false, first: after) else {
                    throw failure("a range goes from one character to another.", at: start)
                }
                guard lower <= upper else { throw failure("the range ends before it begins.", at: start) }
                listed.ranges.append(lower.value...upper.value)
            }
        }
        guard !isFirst else { throw failure("the set is empty; write \\[ or \\] for the character.", at: opening) }
        guard take("]") else { throw failure("the set is not closed; write \\[ for the character.", at: opening) }
        return ScalarSet([listed] + negatedTerms, isNegated: isNegated)
    }

    /// Reads one scalar or class of a set. It begins with `first`.
    private mutating func readMember(isFirst: Bool, first: Unicode.Scalar) throws(GranaryError) -> Escape {
        switch first {
        case "\\":
            index += 1
            return try readEscape()
        case "[": throw failure("sets are not nested; write \\[ for the character.")
        case "&" where nextIs("&&"): throw failure("sets are not intersected; write \\& for the character.")
        case "-" where !isFirst && pattern.dropFirst(index + 1).first != "]":
            throw failure("- stands for itself at the beginning or end of a set; write \\- elsewhere.")
        default:
            index += 1
            return .scalar(first)
        }
    }
}
