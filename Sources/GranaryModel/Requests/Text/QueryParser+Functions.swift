extension QueryParser {
    private static let components = Dictionary(
        uniqueKeysWithValues: DateComponent.allCases.map { ($0.rawValue.lowercased(), $0) })
    private static let known =
        (DateComponent.allCases.map(\.rawValue) + AnyExpression.Function.plain.map(\.word)
        + ["folded", "json", "ifnil", "integer", "real", "text", "number", "date", "search", "rank"])
        .joined(separator: ", ")

    /// A call, if a parenthesis follows the current name; otherwise a path that begins with it.
    mutating func function(orPath name: String) throws -> Operand {
        if scopes.last == nil || scopes.last == .record || isCall { return try callOrPath(name) }
        let path = try path()
        return try operand(at: path)
    }

    /// Whether the current name is followed by something that only a function has.
    private var isCall: Bool {
        var ahead = self
        guard (try? ahead.advance()) != nil else { return false }
        return ahead.beginsArguments
    }

    private var beginsArguments: Bool {
        switch token {
        case .symbol(.openParenthesis), .symbol(.openBracket), .symbol(.colon): true
        default: false
        }
    }

    private mutating func callOrPath(_ name: String) throws -> Operand {
        let start = start
        try advance()
        guard beginsArguments else {
            let path = try path(after: name)
            return try operand(at: path)
        }
        try enter()
        defer { leave() }
        if name.lowercased() == "search" { return .condition(try checked(try search(), at: start)) }
        return .expression(try checked(try call(name.lowercased(), from: start), at: start))
    }

    /// `search("hendrix fire")`, or `search(artist, "hendrix")` of another record or of one attribute.
    private mutating func search() throws -> AnyCondition {
        try require(.openParenthesis)
        var path = ""
        if let text = try searchedText() { return try closed(.search(text)) }
        path = try self.path().name
        try require(.comma)
        guard let text = try searchedText() else { throw expected("a text to search for") }
        return try closed(.search(text, of: path))
    }

    private mutating func closed<Result>(_ result: Result) throws -> Result {
        guard try take(.closeParenthesis) else { throw expected("\")\"") }
        return result
    }

    /// The search in a text or an argument; nil if there is neither.
    private mutating func searchedText() throws -> SearchText? {
        let start = start
        let text: String
        switch token {
        case .string(let string):
            text = string
            try advance()
        case .placeholder("@"), .variable:
            guard case .expression(let value) = try primary(), case .value(.text(let utf8)) = value.root else {
                throw failure("a search is a text", at: start)
            }
            text = String(decoding: utf8, as: UTF8.self)
        default: return nil
        }
        do {
            return try SearchText(parsing: text)
        } catch let error as GranaryError {
            throw failure(error.message, at: start)
        }
    }

    private mutating func call(_ name: String, from start: Int) throws -> AnyExpression {
        let folding = name == "folded" ? try folding() : nil
        let suffix = name == "json" ? try typeSuffix() : nil
        let component = QueryParser.components[name]
        let plain = AnyExpression.Function(plain: name)
        let isKnown =
            component != nil || plain != nil
            || ["folded", "json", "ifnil", "integer", "real", "text", "number", "date", "literal", "rank"]
                .contains(name)
        guard isKnown else {
            throw failure("there is no function of this name. Known are \(QueryParser.known)", at: start)
        }
        try require(.openParenthesis)
        let result: AnyExpression
        if let component {
            let date = try expression()
            let offset = try take(.comma) ? try integer(Int.self) : 0
            result = .function(.date(component, offset: offset), date)
        } else if let plain {
            result = .function(plain, try expression())
        } else {
            switch name {
            case "folded":
                result = .function(.folded(folding ?? [.caseInsensitive, .diacriticInsensitive]), try expression())
            case "ifnil":
                let first = try expression()
                try require(.comma)
                result = .ifNil(first, try expression())
            case "json": result = try json(suffix)
            case "rank": result = .rank(of: try searchedText())
            default: result = try typedValue(name)
            }
        }
        guard try take(.closeParenthesis) else { throw expected("\")\"") }
        return result
    }

    private mutating func json(_ suffix: AttributeType?) throws -> AnyExpression {
        let value = try expression()
        try require(.comma)
        let place = start
        guard case .string(let text) = token else { throw expected("a path in quotes such as \"theme.name\"") }
        let path: JSONPath
        do {
            path = try JSONPath(text)
        } catch let error as GranaryError {
            throw failure(error.message, at: place)
        }
        try advance()
        var type = suffix ?? .string
        if suffix == nil, try take(.comma) { type = try self.type() }
        return .function(.json(path, type), value)
    }

    /// The type in `json:int(settings, "size")`.
    private mutating func typeSuffix() throws -> AttributeType? { try take(.colon) ? try type() : nil }

    private mutating func type() throws -> AttributeType {
        let name: String
        switch token {
        case .name(let text), .string(let text): name = text
        default: throw expected("the name of a type")
        }
        let type = ["int", "integer"].contains(name) ? .int64 : AttributeType(name)
        guard let type else { throw failure("there is no such type. Known are string, int, double and bool") }
        try advance()
        return type
    }

    /// `integer(5)`, `real(4.5)`, `text("x")`: a value in this stored form, independent of the expression beside it.
    /// `number("5")` is a literal like 5, `date(86400)` a date by its seconds since 2001.
    private mutating func typedValue(_ name: String) throws -> AnyExpression {
        switch name {
        case "integer": return .value(.integer(try integer(Int64.self)))
        case "real": return .value(.real(try real()))
        case "date": return .literal(.date(try real()))
        case "literal":
            guard token == .keyword(.nil) else { throw expected("nil") }
            try advance()
            return .literal(.null)
        default: break
        }
        let value: AnyExpression
        switch token {
        case .string(let text): value = name == "number" ? .literal(.number(text)) : .value(.string(text))
        case .bytes(let bytes) where name == "text": value = .value(.text(bytes))
        default: throw expected("a text")
        }
        try advance()
        return value
    }

    private mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        let isNegative = try take(.minus)
        guard case .number(let digits) = token, let value = Integer((isNegative ? "-" : "") + digits) else {
            throw expected("a whole number")
        }
        try advance()
        return value
    }

    private mutating func real() throws -> Double {
        let isNegative = try take(.minus)
        var value: Double?
        switch token {
        case .number(let digits): value = Double(digits)
        case .name("inf"): value = .infinity
        case .name("nan"): value = .nan
        default: break
        }
        guard let value else { throw expected("a number") }
        try advance()
        return isNegative ? -value : value
    }
}
