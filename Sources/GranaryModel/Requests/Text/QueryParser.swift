/// Reads the text of a condition or an expression: by precedence, with one token of lookahead.
///
/// Conditions and expressions share their parentheses, so the same functions read both, and the result shows which of
/// them it is. Every level counts against ``AnyCondition/maximumDepth``, so no text can exhaust the stack; signs and
/// negations in a row are counted in a loop.
struct QueryParser {
    static let maximumLength = 1 << 20

    private(set) var lexer: QueryLexer
    private(set) var token = QueryToken.end
    /// The start of the current token, and the end of the previous one.
    private(set) var start = 0
    private(set) var previousEnd = 0
    private var previousStart = 0
    private var nesting = 0

    let arguments: [QueryArgument]
    let named: [String: QueryArgument]
    var usedArguments = 0
    /// The entities whose attributes can be named at the current place, the innermost last. If it is empty, the record
    /// of the query.
    var scopes: [Scope] = []

    enum Scope: Equatable {
        /// The attributes of a block's record, by their names.
        case record
        /// The attributes of a subquery's record, as `$name.attribute`.
        case variable(String)
        /// No attributes.
        case constants
    }

    enum Operand {
        case expression(AnyExpression)
        case condition(AnyCondition)
    }

    /// A higher precedence binds tighter.
    enum Precedence: Int {
        case or, and, comparison, ifNil, sum, product
        /// The precedence of prefix operators.
        case prefix

        var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .prefix }
    }

    init(_ text: String, arguments: [QueryArgument], named: [String: QueryArgument]) throws {
        guard text.utf8.count <= QueryParser.maximumLength else {
            throw GranaryError(.invalidQuery, "The text of a query is longer than 1 MB. Pass lists as arguments.")
        }
        lexer = QueryLexer(text)
        self.arguments = arguments
        self.named = named
        try advance()
    }

    mutating func advance() throws {
        previousStart = start
        previousEnd = lexer.position
        (token, start) = try lexer.next(after: token)
    }

    /// The previous token, as written.
    private var previousSpelling: String? {
        previousEnd > previousStart ? lexer.spelling(previousStart..<previousEnd) : nil
    }

    var tokenSpelling: String { lexer.spelling(start..<lexer.position) }

    func failure(_ message: String, at offset: Int? = nil, code: GranaryError.Code = .invalidQuery) -> GranaryError {
        lexer.failure(at: offset ?? start, message, code: code)
    }

    /// An error about something that is missing after the previous token. It contains no text of the user.
    func expected(_ what: String) -> GranaryError {
        guard let previousSpelling, previousSpelling.utf8.count <= 40 else { return failure("expected \(what)") }
        if let first = previousSpelling.utf8.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            return failure("expected \(what) after the text")
        }
        return failure("expected \(what) after \"\(previousSpelling)\"")
    }

    mutating func take(_ symbol: QuerySymbol) throws -> Bool {
        guard token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func require(_ symbol: QuerySymbol) throws {
        guard try take(symbol) else { throw expected("\"\(symbol.rawValue)\"") }
    }

    /// Whether the current token is a word that is a keyword only in some places.
    func isWord(_ word: String) -> Bool {
        if case .name(let name) = token { name.lowercased() == word } else { false }
    }

    mutating func takeWord(_ word: String) throws -> Bool {
        guard isWord(word) else { return false }
        try advance()
        return true
    }

    /// Enters a level; ``leave()`` ends it. This is not a function around a closure, because each frame counts on a
    /// small stack. An error ends the parsing, so nothing needs to be undone.
    mutating func enter() throws {
        nesting += 1
        guard nesting <= AnyCondition.maximumDepth else {
            throw failure("the text is nested more than \(AnyCondition.maximumDepth) deep")
        }
    }

    mutating func leave() { nesting -= 1 }

    mutating func nested<Result>(_ body: (inout QueryParser) throws -> Result) throws -> Result {
        try enter()
        let result = try body(&self)
        leave()
        return result
    }

    /// Parses a part about another record.
    mutating func scoped<Result>(_ scope: Scope, _ body: (inout QueryParser) throws -> Result) throws -> Result {
        scopes.append(scope)
        defer { scopes.removeLast() }
        return try body(&self)
    }

    /// Checks that the whole text was read and every argument used.
    mutating func finish() throws {
        guard token == .end else {
            throw failure("expected the end or an operator, not \(describedToken)")
        }
        guard usedArguments == arguments.count else {
            throw GranaryError(
                .invalidQuery,
                "The text has \(usedArguments) placeholders, but there are \(arguments.count) arguments.")
        }
    }

    private var describedToken: String {
        switch token {
        case .string: "a text"
        case .bytes: "bytes"
        case .end: "the end"
        default: "\"\(tokenSpelling)\""
        }
    }
}

// Errors of the builders become parsing errors here, where the place is known.
extension QueryParser {
    func checked(_ condition: AnyCondition, at offset: Int) throws -> AnyCondition {
        if case .invalid(let code, let message, _) = condition.root { throw failure(message, at: offset, code: code) }
        return condition
    }

    func checked(_ expression: AnyExpression, at offset: Int) throws -> AnyExpression {
        if case .invalid(let code, let message, _) = expression.root { throw failure(message, at: offset, code: code) }
        return expression
    }
}
