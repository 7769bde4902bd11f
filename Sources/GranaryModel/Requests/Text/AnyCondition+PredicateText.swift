extension AnyCondition {
    /// The condition as text that ``init(parsing:arguments:named:)`` parses into an equal condition.
    ///
    /// Values are written so that they keep their stored form: `rating >= real(4.5)`. A condition that is not valid
    /// cannot be expressed in text. It prints as `<code>`, which the parser refuses.
    public var predicateText: String { root.predicateText(inGroup: false) }
}

extension AnyExpression {
    /// The expression as text that ``init(parsing:)`` parses into an equal expression.
    public var predicateText: String { root.predicateText(.or) }
}

extension AnyCondition.Node {
    /// - Parameter inGroup: Whether it is part of a larger condition, so that a group needs parentheses.
    fileprivate func predicateText(inGroup: Bool) -> String {
        switch self {
        case .always(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .compare(let attribute, let comparison, let value):
            return "\(QueryText.path(attribute)) \(comparison.rawValue) \(QueryText.value(value))"
        case .among(let attribute, let values):
            return "\(QueryText.path(attribute)) IN {\(values.map(QueryText.value).joined(separator: ", "))}"
        case .relation(let left, let comparison, let right):
            return "\(left.predicateText(.ifNil)) \(comparison.rawValue) \(right.predicateText(.ifNil))"
        case .listed(let expression, let values):
            let list = values.map { $0.predicateText(.ifNil) }.joined(separator: ", ")
            return "\(expression.predicateText(.ifNil)) IN {\(list)}"
        case .text(let expression, let match):
            return "\(expression.predicateText(.ifNil)) \(QueryText.match(match))"
        case .exists(let relationship, nil): return "\(QueryText.path(relationship)).@count > 0"
        case .exists(let relationship, let inner?): return QueryText.quantified("ANY", relationship, inner)
        case .amongRows(let expression, let query):
            return "\(expression.predicateText(.ifNil)) IN (\(QueryText.selection(query)))"
        case .search(let path, let search):
            return "search(\(path.isEmpty ? "" : QueryText.path(path) + ", ")\(QueryText.quoted(search.description)))"
        case .all(let nodes): return QueryText.group(nodes, "AND", inGroup)
        case .any(let nodes): return QueryText.group(nodes, "OR", inGroup)
        case .not(.exists(let relationship, .not(let inner))):
            return QueryText.quantified("ALL", relationship, inner)
        case .not(let inner): return "NOT \(inner.predicateText(inGroup: true))"
        case .invalid(let code, _, _): return "<\(code)>"
        }
    }
}

extension AnyExpression.Node {
    /// - Parameter minimum: Operators with a lower precedence need parentheses.
    fileprivate func predicateText(_ minimum: QueryParser.Precedence) -> String {
        // Two signs in a row would cancel each other.
        if let negated { return QueryText.parenthesised("-\(negated.predicateText(.prefix))", minimum == .prefix) }
        switch self {
        case .attribute(let path): return QueryText.path(path)
        case .value(let value): return QueryText.value(value)
        case .literal(let literal): return QueryText.literal(literal)
        case .arithmetic(let operation, let left, let right):
            let own: QueryParser.Precedence = operation == .add || operation == .subtract ? .sum : .product
            // The right operand of equal precedence needs parentheses; products have the highest precedence.
            let rightText: String
            if case .arithmetic(let inner, _, _) = right, own == .product || inner == .add || inner == .subtract {
                rightText = "(\(right.predicateText(.or)))"
            } else {
                rightText = right.predicateText(own)
            }
            return QueryText.parenthesised(
                "\(left.predicateText(own)) \(operation.rawValue) \(rightText)", own.rawValue < minimum.rawValue)
        case .ifNil(let first, let second):
            return QueryText.parenthesised(
                "\(first.predicateText(.sum)) ?? \(second.predicateText(.ifNil))",
                QueryParser.Precedence.ifNil.rawValue < minimum.rawValue)
        case .function(let function, let argument):
            return QueryText.call(function, argument.predicateText(.or))
        case .aggregate(let function, let inner, let relationship, let condition, let isDistinct):
            let name = (relationship.map { QueryText.path($0) + "." } ?? "") + "@\(function.text)"
            if condition == nil, !isDistinct {
                guard let inner else { return name }
                if case .attribute(let path) = inner { return "\(name).\(QueryText.path(path))" }
            }
            let parts = [
                isDistinct ? "DISTINCT" : nil, inner?.predicateText(.or),
                condition.map { "WHERE \($0.predicateText(inGroup: false))" },
            ]
            return "\(name)(\(parts.compactMap { $0 }.joined(separator: " ")))"
        case .rank(let search): return "rank(\(search.map { QueryText.quoted($0.description) } ?? ""))"
        case .invalid(let code, _, _): return "<\(code)>"
        }
    }
}

/// The pieces of the text form.
private enum QueryText {
    static func parenthesised(_ text: String, _ isNeeded: Bool) -> String { isNeeded ? "(\(text))" : text }

    static func group(_ nodes: [AnyCondition.Node], _ word: String, _ inGroup: Bool) -> String {
        parenthesised(nodes.map { $0.predicateText(inGroup: true) }.joined(separator: " \(word) "), inGroup)
    }

    static func quantified(_ word: String, _ relationship: String, _ inner: AnyCondition.Node) -> String {
        "\(word) \(path(relationship)) (\(inner.predicateText(inGroup: false)))"
    }

    static func match(_ match: TextMatch) -> String {
        let word =
            switch match.kind {
            // Without brackets it would be a plain comparison.
            case .equal: match.folding.isEmpty ? "==[]" : "=="
            case .contains: "CONTAINS"
            case .prefix: "BEGINSWITH"
            case .suffix: "ENDSWITH"
            case .like: "LIKE"
            case .matches: "MATCHES"
            }
        let pattern = String(validating: match.pattern, as: UTF8.self).map(quoted) ?? value(.text(match.pattern))
        return "\(word)\(match.folding) \(pattern)"
    }

    static func selection(_ query: AnySubquery) -> String {
        var text =
            "SELECT \(query.isDistinct ? "DISTINCT " : "")\(query.column.predicateText(.or)) FROM \(name(query.entity))"
        if let condition = query.condition { text += " WHERE \(condition.predicateText(inGroup: false))" }
        if !query.order.isEmpty {
            let terms = query.order.map { term in
                term.expression.predicateText(.or) + (term.direction == .descending ? " DESC" : "")
                    + (term.nils.map { $0 == .first ? " NILS FIRST" : " NILS LAST" } ?? "")
            }
            text += " ORDER BY \(terms.joined(separator: ", "))"
        }
        if let limit = query.limit { text += " LIMIT \(limit)" }
        if query.offset != 0 { text += " OFFSET \(query.offset)" }
        return text
    }

    static func call(_ function: AnyExpression.Function, _ argument: String) -> String {
        switch function {
        case .date(_, let offset) where offset != 0: "\(function.word)(\(argument), \(offset))"
        case .folded(let folding): "\(function.word)\(folding.isEmpty ? "[]" : folding.description)(\(argument))"
        case .json(let path, let type):
            "\(function.word)(\(argument), \(quoted(path.description)), \(self.type(type)))"
        default: "\(function.word)(\(argument))"
        }
    }

    private static func type(_ type: AttributeType) -> String {
        if case .scaledDecimal = type { "\"\(type)\"" } else { "\(type)" }
    }

    static func value(_ value: StoredValue) -> String {
        switch value {
        case .null: return "nil"
        case .integer(let value): return "integer(\(value))"
        case .real(let value): return "real(\(value))"
        case .text(let utf8):
            return "text(\(String(validating: utf8, as: UTF8.self).map(quoted) ?? "\(StoredValue.bytes(utf8))"))"
        case .bytes: return "\(value)"
        }
    }

    static func literal(_ literal: AnyExpression.Literal) -> String {
        switch literal {
        case .null: return "literal(nil)"
        case .bool(let value): return value ? "TRUE" : "FALSE"
        case .string(let text): return quoted(text)
        case .date(let seconds): return "date(\(seconds))"
        case .number(let text): return isNumber(text) ? text : "number(\(quoted(text)))"
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        var lexer = QueryLexer(text.first == "-" ? String(text.dropFirst()) : text)
        guard let (token, start) = try? lexer.next(after: .end), case .number = token else { return false }
        return start == 0 && lexer.current == nil
    }

    /// The path as it is if the parser reads it as the same path, otherwise in backquotes.
    static func path(_ path: String) -> String {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isPlain =
            parts.allSatisfy(isPlainName) && parts.last != "isEmpty"
            && !parts.prefix(1).contains(where: isReserved) && !parts.contains(where: isClause)
        return isPlain ? path : quoted(path, with: "`")
    }

    private static func name(_ name: String) -> String {
        isPlainName(name) && !isReserved(name) ? name : quoted(name, with: "`")
    }

    private static func isPlainName(_ name: String) -> Bool {
        guard let first = name.utf8.first, QueryLexer.beginsName(first) else { return false }
        return name.utf8.allSatisfy(QueryLexer.continuesName)
    }

    private static func isReserved(_ name: String) -> Bool {
        QueryKeyword(spelling: name) != nil || isClause(name) || name.lowercased() == "self"
    }

    private static func isClause(_ name: String) -> Bool { QueryKeyword.clauses.contains(name.lowercased()) }

    static func quoted(_ text: String) -> String { quoted(text, with: "\"") }

    private static func quoted(_ text: String, with quote: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView()
        result.append(quote)
        for scalar in text.unicodeScalars {
            switch scalar {
            case quote, "\\":
                result.append("\\")
                result.append(scalar)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "\0": result.append(contentsOf: "\\0".unicodeScalars)
            default: result.append(scalar)
            }
        }
        result.append(quote)
        return String(result)
    }
}
