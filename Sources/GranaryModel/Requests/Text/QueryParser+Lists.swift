extension QueryParser {
    /// The right side of `IN`.
    mutating func listed(_ left: AnyExpression) throws -> AnyCondition {
        // `IN[c]` is an option, `IN [c]` a list: the space before the bracket decides.
        let folding = token == .symbol(.openBracket) && self.start == previousEnd ? try optionalFolding() : nil
        if folding == nil, let query = try subquery() {
            return .amongRows(left, query)
        }
        let place = self.start
        guard let values = try list() else { throw expected("a list such as {1, 2}") }
        guard let folding else { return .listed(left, values) }
        return .any(
            try values.map { value in
                guard let pattern = value.text else { throw failure("IN[c] takes texts alone", at: place) }
                return .text(left, TextMatch(.equal, utf8: pattern, folding))
            })
    }

    /// An option if the brackets contain one; otherwise nothing is read.
    private mutating func optionalFolding() throws -> TextFolding? {
        let before = self
        if let folding = try? folding() { return folding }
        self = before
        return nil
    }

    /// `{1, 2}`, `(1, 2)`, `[1, 2]` or an argument that is a list; nil for anything else.
    mutating func list() throws -> [AnyExpression]? {
        if let argument = try listArgument() { return argument }
        let closing: QuerySymbol
        switch token {
        case .symbol(.openBrace): closing = .closeBrace
        case .symbol(.openParenthesis): closing = .closeParenthesis
        case .symbol(.openBracket): closing = .closeBracket
        default: return nil
        }
        return try nested { parser in
            try parser.advance()
            if try parser.take(closing) { return [] }
            var values: [AnyExpression] = []
            repeat {
                values.append(try parser.expression())
            } while try parser.take(.comma)
            guard try parser.take(closing) else { throw parser.expected("\",\" or \"\(closing.rawValue)\"") }
            return values
        }
    }
}

// `(SELECT DISTINCT name FROM Artist WHERE rating > 4 ORDER BY name DESC NILS LAST LIMIT 10 OFFSET 5)`
extension QueryParser {
    fileprivate mutating func subquery() throws -> AnySubquery? {
        guard token == .symbol(.openParenthesis) else { return nil }
        let before = self
        try advance()
        guard try takeWord("select") else {
            self = before
            return nil
        }
        return try nested { parser in
            let query = try parser.scoped(.record) { try $0.selection() }
            try parser.require(.closeParenthesis)
            return query
        }
    }

    private mutating func selection() throws -> AnySubquery {
        let isDistinct = try takeWord("distinct")
        let column = try expression()
        guard try takeWord("from") else { throw expected("FROM and the name of an entity") }
        let entity = try name()
        let condition = try takeWord("where") ? try condition() : nil
        let (order, limit, offset) = try ordersAndCuts()
        return AnySubquery(
            entity, column: column, condition: condition, order: order, limit: limit, offset: offset,
            isDistinct: isDistinct)
    }

    /// `ORDER BY name DESC NILS LAST LIMIT 10 OFFSET 5`; every part is optional.
    mutating func ordersAndCuts() throws -> (order: [Ordering], limit: Int?, offset: Int) {
        var order: [Ordering] = []
        if try takeWord("order") {
            guard try takeWord("by") else { throw expected("BY") }
            repeat { order.append(try ordering()) } while try take(.comma)
        }
        let limit = try takeWord("limit") ? try wholeNumber() : nil
        let offset = try takeWord("offset") ? try wholeNumber() : 0
        return (order, limit, offset)
    }

    private mutating func ordering() throws -> Ordering {
        var ordering = Ordering(try expression())
        if try takeWord("desc") {
            ordering.direction = .descending
        } else {
            _ = try takeWord("asc")
        }
        if isWord("nils") || isWord("nulls") {
            try advance()
            if try takeWord("first") {
                ordering.nils = .first
            } else if try takeWord("last") {
                ordering.nils = .last
            } else {
                throw expected("FIRST or LAST")
            }
        }
        return ordering
    }

    mutating func name() throws -> String {
        switch token {
        case .name(let name), .quotedName(let name):
            try advance()
            return name
        default: throw expected("a name")
        }
    }

    private mutating func wholeNumber() throws -> Int {
        let isNegative = try take(.minus)
        guard case .number(let digits) = token, let number = Int((isNegative ? "-" : "") + digits) else {
            throw expected("a whole number")
        }
        try advance()
        return number
    }
}
