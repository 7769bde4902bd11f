extension QueryParser {
    /// A comparison operator and its right side.
    mutating func comparison(_ left: Operand, from start: Int) throws -> AnyCondition {
        if case .condition(let condition) = left { return try truth(of: condition) }
        let value = try expression(left, at: start)
        return try comparison(value, from: start)
    }

    mutating func comparison(_ left: AnyExpression, from start: Int) throws -> AnyCondition {
        switch token {
        case .symbol(let symbol):
            guard let comparison = symbol.comparison else { break }
            try advance()
            let result = try compared(left, comparison)
            return try checked(result, at: start)
        case .keyword(.between):
            try advance()
            let result = try between(left)
            return try checked(result, at: start)
        case .keyword(.in):
            try advance()
            let result = try listed(left)
            return try checked(result, at: start)
        case .keyword(let keyword):
            guard let kind = keyword.matchKind else { break }
            try advance()
            let folding = try folding() ?? []
            let pattern = try pattern(keyword)
            return try checked(.text(left, TextMatch(kind, utf8: pattern, folding)), at: start)
        default: break
        }
        throw expected("a comparison such as \"==\"")
    }

    /// A condition compared with a truth value: `(a > 3) == TRUE`.
    private mutating func truth(of condition: AnyCondition) throws -> AnyCondition {
        guard case .symbol(let symbol) = token, let comparison = symbol.comparison,
            comparison == .equal || comparison == .notEqual
        else { throw failure("a condition cannot be compared with \"\(tokenSpelling)\"") }
        try advance()
        let place = start
        guard case .literal(.bool(let value)) = try expression().root else {
            throw failure("a condition is compared with TRUE or FALSE alone", at: place)
        }
        return value == (comparison == .equal) ? condition : .not(condition)
    }

    private mutating func compared(_ left: AnyExpression, _ comparison: Comparison) throws -> AnyCondition {
        let place = start
        guard let folding = try folding() else { return .relation(left, comparison, try expression()) }
        guard comparison == .equal || comparison == .notEqual else {
            throw failure("only equality takes [c] and [d]. Compare folded(...) on both sides", at: place)
        }
        let right = try expression()
        let equal: AnyCondition
        if let pattern = right.text {
            equal = .text(left, TextMatch(.equal, utf8: pattern, folding))
        } else if case .value(.null) = right.root {
            equal = .relation(left, .equal, right)
        } else {
            equal = .relation(
                .function(.folded(folding), left), .equal, .function(.folded(folding), right))
        }
        return comparison == .equal ? equal : .not(equal)
    }

    /// `[c]`, `[d]`, `[cd]`, or `[]` for none; nil without brackets.
    mutating func folding() throws -> TextFolding? {
        guard try take(.openBracket) else { return nil }
        var folding: TextFolding = []
        if token != .symbol(.closeBracket) {
            guard case .name(let letters) = token, let read = TextFolding(letters: letters) else {
                throw failure("expected [c] for case, [d] for diacritics or [cd] for both")
            }
            folding = read
            try advance()
        }
        try require(.closeBracket)
        return folding
    }

    private mutating func pattern(_ keyword: QueryKeyword) throws -> [UInt8] {
        let place = start
        let right = try expression()
        guard let pattern = right.text else {
            throw failure("expected a text after \(keyword.rawValue.uppercased())", at: place)
        }
        return pattern
    }

    private mutating func between(_ left: AnyExpression) throws -> AnyCondition {
        let place = start
        if let values = try list() {
            guard values.count == 2 else {
                throw failure("BETWEEN takes two values, not \(values.count)", at: place)
            }
            return bounded(left, values[0], values[1])
        }
        let lower = try expression()
        guard token == .keyword(.and) else { throw expected("AND and the upper bound") }
        try advance()
        let upper = try expression()
        return bounded(left, lower, upper)
    }

    private func bounded(_ value: AnyExpression, _ lower: AnyExpression, _ upper: AnyExpression) -> AnyCondition {
        .all([.relation(value, .greaterOrEqual, lower), .relation(value, .lessOrEqual, upper)])
    }
}

extension QueryKeyword {
    fileprivate var matchKind: TextMatch.Kind? {
        switch self {
        case .contains: .contains
        case .beginswith: .prefix
        case .endswith: .suffix
        case .like: .like
        case .matches: .matches
        default: nil
        }
    }
}

extension TextFolding {
    fileprivate init?(letters: String) {
        self.init()
        for letter in letters.utf8 {
            switch letter | 0x20 {
            case UInt8(ascii: "c"): insert(.caseInsensitive)
            case UInt8(ascii: "d"): insert(.diacriticInsensitive)
            default: return nil
            }
        }
    }
}

extension AnyExpression {
    /// The text, if the expression is just a text.
    var text: [UInt8]? {
        switch root {
        case .literal(.string(let text)): Array(text.utf8)
        case .value(.text(let utf8)): utf8
        default: nil
        }
    }
}
