extension QueryParser {
    mutating func condition() throws -> AnyCondition {
        let start = start
        let operand = try operand(.or)
        return try condition(operand, at: start)
    }

    mutating func expression(_ precedence: Precedence = .ifNil) throws -> AnyExpression {
        let start = start
        let operand = try operand(precedence)
        return try expression(operand, at: start)
    }

    /// An operand with all following operators of at least this precedence.
    mutating func operand(_ minimum: Precedence) throws -> Operand {
        let start = start
        var left = try prefixed()
        while let precedence = token.precedence, precedence.rawValue >= minimum.rawValue {
            switch precedence {
            case .or, .and: left = .condition(try joined(left, from: start, precedence))
            case .comparison: left = .condition(try comparison(left, from: start))
            case .ifNil: left = .expression(try withDefault(left, from: start))
            case .sum, .product: left = .expression(try arithmetic(left, from: start, precedence))
            case .prefix: return left
            }
        }
        return left
    }

    /// `a AND b AND c` in one loop, so that long chains are read in time proportional to their length.
    private mutating func joined(_ first: Operand, from start: Int, _ precedence: Precedence) throws -> AnyCondition {
        var conditions = [try condition(first, at: start)]
        while token.precedence == precedence {
            try advance()
            let place = self.start
            let next = try operand(precedence.next)
            conditions.append(try condition(next, at: place))
        }
        return try checked(precedence == .or ? .any(conditions) : .all(conditions), at: start)
    }

    private mutating func withDefault(_ first: Operand, from start: Int) throws -> AnyExpression {
        let first = try expression(first, at: start)
        try advance()
        try enter()
        let second = try expression(.ifNil)
        leave()
        return try checked(.ifNil(first, second), at: start)
    }

    private mutating func arithmetic(
        _ first: Operand, from start: Int, _ precedence: Precedence
    ) throws -> AnyExpression {
        let left = try expression(first, at: start)
        guard let operation = token.arithmetic else {
            throw failure("there is no operator \"\(tokenSpelling)\". Multiply a value with itself")
        }
        try advance()
        let right = try expression(precedence.next)
        return try checked(.arithmetic(left, operation, right), at: start)
    }

    /// Negations and signs, with their operand.
    private mutating func prefixed() throws -> Operand {
        var isNegated = false
        let start = start
        var hasNegation = false
        while token == .keyword(.not) || token == .symbol(.exclamation) {
            try advance()
            hasNegation = true
            isNegated.toggle()
        }
        if hasNegation {
            let place = self.start
            try enter()
            let operand = try operand(.comparison)
            leave()
            let inner = try condition(operand, at: place)
            return .condition(isNegated ? try checked(.not(inner), at: start) : inner)
        }
        guard token == .symbol(.minus) || token == .symbol(.plus) else { return try primary() }
        while token == .symbol(.minus) || token == .symbol(.plus) {
            if token == .symbol(.minus) { isNegated.toggle() }
            try advance()
        }
        if case .number(let digits) = token {
            try advance()
            return .expression(.literal(.number(isNegated ? "-\(digits)" : digits)))
        }
        let place = self.start
        let operand = try primary()
        let value = try expression(operand, at: place)
        guard isNegated else { return .expression(value) }
        return .expression(try checked(.negated(value), at: start))
    }

    /// The operand as a condition. `TRUE` and a `true` argument are conditions, too.
    func condition(_ operand: Operand, at offset: Int) throws -> AnyCondition {
        switch operand {
        case .condition(let condition): return condition
        case .expression(let expression):
            if case .literal(.bool(let value)) = expression.root { return .always(value) }
            guard token.precedence == nil else { throw failure("expected a condition", at: offset) }
            throw expected("a comparison such as \"==\"")
        }
    }

    func expression(_ operand: Operand, at offset: Int) throws -> AnyExpression {
        guard case .expression(let expression) = operand else {
            throw failure("expected a value, not a condition", at: offset)
        }
        return expression
    }
}

extension QueryToken {
    fileprivate var precedence: QueryParser.Precedence? {
        switch self {
        case .symbol(let symbol):
            switch symbol {
            case .doubleBar: .or
            case .doubleAmpersand: .and
            case .doubleQuestion: .ifNil
            case .plus, .minus: .sum
            case .asterisk, .doubleAsterisk, .slash, .percent: .product
            default: symbol.comparison == nil ? nil : .comparison
            }
        case .keyword(let keyword):
            switch keyword {
            case .or: .or
            case .and: .and
            case .in, .between, .contains, .beginswith, .endswith, .like, .matches: .comparison
            default: nil
            }
        default: nil
        }
    }

    fileprivate var arithmetic: ArithmeticOperator? {
        switch self {
        case .symbol(.plus): .add
        case .symbol(.minus): .subtract
        case .symbol(.asterisk): .multiply
        case .symbol(.slash): .divide
        case .symbol(.percent): .remainder
        default: nil
        }
    }
}
