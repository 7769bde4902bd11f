extension QueryParser {
    /// `ANY songs.plays > 3`, or `ANY songs (plays > 3 AND title CONTAINS "x")`; likewise SOME, ALL and NONE.
    mutating func quantified(_ keyword: QueryKeyword) throws -> AnyCondition {
        let start = start
        try advance()
        let path = try path()
        guard !path.isBeforeAggregate, path.emptyRelationship == nil else {
            throw failure("\(keyword.rawValue.uppercased()) takes a relationship, and no aggregate of it")
        }
        let relationship: String
        let inner: AnyCondition
        if token == .symbol(.openParenthesis) {
            relationship = path.name
            inner = try block()
        } else {
            // The last name is the attribute, in the path of an argument as well.
            let parts = path.name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count > 1, let attribute = parts.last else {
                throw expected("an attribute of the related records, or a condition on them in parentheses")
            }
            relationship = parts.dropLast().joined(separator: ".")
            inner = try scoped(.constants) { parser in
                try parser.nested { try $0.comparison(.attribute(String(attribute)), from: start) }
            }
        }
        switch keyword {
        case .all: return try checked(.not(.exists(relationship, .not(inner))), at: start)
        case .none: return try checked(.not(.exists(relationship, inner)), at: start)
        default: return try checked(.exists(relationship, inner), at: start)
        }
    }

    private mutating func block() throws -> AnyCondition {
        try enter()
        try advance()
        let start = start
        scopes.append(.record)
        let operand = try operand(.or)
        scopes.removeLast()
        let condition = try condition(operand, at: start)
        guard try take(.closeParenthesis) else { throw expected("\")\"") }
        leave()
        return condition
    }

    /// `SUBQUERY(songs, $s, $s.plays > 3).@count`, or with any other aggregate.
    mutating func countedSubquery() throws -> AnyExpression {
        try advance()
        let (relationship, condition) = try nested { parser in
            try parser.require(.openParenthesis)
            let path = try parser.path()
            guard !path.isBeforeAggregate else { throw parser.failure("SUBQUERY takes a relationship") }
            try parser.require(.comma)
            guard case .variable(let variable) = parser.token else { throw parser.expected("a variable such as $x") }
            try parser.advance()
            try parser.require(.comma)
            let condition = try parser.scoped(.variable(variable)) { try $0.condition() }
            guard try parser.take(.closeParenthesis) else { throw parser.expected("\")\"") }
            return (path.name, condition)
        }
        guard try take(.point), case .aggregate = token else {
            throw expected(".@count or another aggregate of the subquery")
        }
        return try aggregate(over: relationship, where: condition)
    }

    /// `@count`, `@sum.plays`, `@sum(plays * 2)`, `@count(DISTINCT genre WHERE plays > 3)`.
    mutating func aggregate(over relationship: String?, where outer: AnyCondition? = nil) throws -> AnyExpression {
        let start = start
        guard case .aggregate(let name) = token, let function = AggregateFunction(text: name) else {
            throw failure("\"\(tokenSpelling)\" is no aggregate. Known are @count, @sum, @avg, @min and @max")
        }
        try advance()
        if token == .symbol(.openParenthesis) {
            return try nested { parser in
                try parser.scoped(.record) {
                    try $0.aggregateArguments(function, over: relationship, where: outer, from: start)
                }
            }
        }
        var value: AnyExpression?
        if try take(.point) {
            value = .attribute(try aggregatedPath())
        } else if function != .count {
            throw expected("a point and an attribute")
        }
        return try checked(.aggregate(function, of: value, over: relationship, where: outer), at: start)
    }

    private mutating func aggregateArguments(
        _ function: AggregateFunction, over relationship: String?, where outer: AnyCondition?, from start: Int
    ) throws -> AnyExpression {
        try advance()
        let isDistinct = try takeWord("distinct")
        var value: AnyExpression?
        if token != .symbol(.closeParenthesis), !isWord("where") { value = try expression() }
        if value == nil, function != .count { throw expected("an attribute") }
        var condition = outer
        if try takeWord("where") {
            let inner = try self.condition()
            condition = outer.map { .all([$0, inner]) } ?? inner
        }
        guard try take(.closeParenthesis) else { throw expected("\")\"") }
        return try checked(
            .aggregate(function, of: value, over: relationship, where: condition, isDistinct: isDistinct), at: start)
    }
}

extension AggregateFunction {
    fileprivate init?(text: String) {
        switch text.lowercased() {
        case "count": self = .count
        case "sum": self = .sum
        case "avg", "average": self = .average
        case "min", "minimum": self = .minimum
        case "max", "maximum": self = .maximum
        default: return nil
        }
    }

    /// The name after the `@`.
    var text: String {
        switch self {
        case .count, .sum: rawValue
        case .average: "avg"
        case .minimum: "min"
        case .maximum: "max"
        }
    }
}
