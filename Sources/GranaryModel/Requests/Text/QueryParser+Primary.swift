extension QueryParser {
    /// A value, a name, a function, or anything in parentheses.
    mutating func primary() throws -> Operand {
        switch token {
        case .symbol(.openParenthesis): return try parenthesised()
        case .number(let digits): return try literal(.number(digits))
        case .string(let text): return try literal(.string(text))
        case .bytes(let bytes):
            try advance()
            return .expression(.value(.bytes(bytes)))
        case .keyword(let keyword): return try word(keyword)
        case .placeholder("@"): return try argumentValue()
        case .variable(let name) where !scopes.contains(.variable(name)): return try argumentValue()
        case .aggregate: return .expression(try aggregate(over: nil))
        case .name(let name): return try function(orPath: name)
        case .quotedName, .placeholder, .variable:
            let path = try path()
            return try operand(at: path)
        case .symbol, .end: throw expected("a value")
        }
    }

    private mutating func parenthesised() throws -> Operand {
        try enter()
        try advance()
        let inner = try operand(.or)
        guard try take(.closeParenthesis) else { throw expected("\")\"") }
        leave()
        return inner
    }

    private mutating func literal(_ literal: AnyExpression.Literal) throws -> Operand {
        try advance()
        return .expression(.literal(literal))
    }

    private mutating func word(_ keyword: QueryKeyword) throws -> Operand {
        switch keyword {
        case .true, .yes: return try literal(.bool(true))
        case .false, .no: return try literal(.bool(false))
        case .nil, .null:
            try advance()
            return .expression(.value(.null))
        case .truepredicate, .falsepredicate:
            try advance()
            return .condition(.always(keyword == .truepredicate))
        case .any, .some, .all, .none: return .condition(try quantified(keyword))
        case .subquery: return .expression(try countedSubquery())
        case .and, .or, .not, .in, .between, .contains, .beginswith, .endswith, .like, .matches:
            throw expected("a value")
        }
    }

    /// A path as a value; `songs.isEmpty` is a condition, and a path that ends in `.@count` an aggregate.
    mutating func operand(at path: Path) throws -> Operand {
        if path.isBeforeAggregate { return .expression(try aggregate(over: path.name)) }
        if let relationship = path.emptyRelationship { return .condition(.not(.exists(relationship))) }
        return .expression(.attribute(path.name))
    }
}

// MARK: Arguments
extension QueryParser {
    /// The argument for the current placeholder or variable, which is consumed.
    private mutating func argument() throws -> QueryArgument {
        let argument = try peekedArgument()
        if case .placeholder = token { usedArguments += 1 }
        try advance()
        return argument
    }

    private func peekedArgument() throws -> QueryArgument {
        let argument: QueryArgument
        if case .variable(let name) = token {
            guard let found = named[name] else { throw failure("there is no argument named \"\(name)\"") }
            argument = found
        } else {
            guard usedArguments < arguments.count else {
                throw failure("there is no argument for this placeholder: \(arguments.count) were given")
            }
            argument = arguments[usedArguments]
        }
        if case .failure(let code, let message) = argument.form { throw failure(message, code: code) }
        return argument
    }

    private mutating func argumentValue() throws -> Operand {
        let start = start
        let argument = try argument()
        switch argument.form {
        case .value(.real(let seconds)) where argument.isDate: return .expression(.literal(.date(seconds)))
        case .value(let value): return .expression(.value(value))
        case .values: throw failure("a list of values may follow IN and BETWEEN alone", at: start)
        case .attribute: throw failure("this argument is a name. Use %K for names", at: start)
        case .failure(let code, let message): throw failure(message, at: start, code: code)
        }
    }

    /// The values of the current argument, if it is a list.
    mutating func listArgument() throws -> [AnyExpression]? {
        switch token {
        case .placeholder("@"): break
        case .variable(let name) where !scopes.contains(.variable(name)): break
        default: return nil
        }
        guard case .values(let values) = try peekedArgument().form else { return nil }
        _ = try argument()
        return values.map { .value($0) }
    }

    /// The name given for `%K`.
    mutating func nameArgument() throws -> String {
        let start = start
        let argument = try argument()
        switch argument.form {
        case .attribute(let path): return path
        case .value(.text(let utf8)): return String(decoding: utf8, as: UTF8.self)
        default: throw failure("the argument for %K is not the name of an attribute", at: start)
        }
    }
}
