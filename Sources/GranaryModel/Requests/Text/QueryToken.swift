/// A word, value or sign in the text of a condition.
enum QueryToken: Equatable {
    case end
    /// A name that is not a keyword.
    case name(String)
    /// A name in backquotes, or one after `#`: never a keyword.
    case quotedName(String)
    case keyword(QueryKeyword)
    /// A number without a sign, as written.
    case number(String)
    case string(String)
    /// `x'00FF'`
    case bytes([UInt8])
    case symbol(QuerySymbol)
    /// `%@`, `%K`: the character after the `%`.
    case placeholder(Unicode.Scalar)
    /// `$name`
    case variable(String)
    /// `@sum`
    case aggregate(String)

    /// Whether a value may end with this token, so that a following `%` is the remainder operator and not a
    /// placeholder.
    var endsValue: Bool {
        switch self {
        case .name(let name): !QueryKeyword.clauses.contains(name.lowercased())
        case .quotedName, .number, .string, .bytes, .placeholder, .variable, .aggregate, .symbol(.closeParenthesis):
            true
        case .keyword(let keyword): keyword.isValue
        case .end, .symbol: false
        }
    }
}

/// Keywords, in upper or lower case.
enum QueryKeyword: String, CaseIterable {
    case and, or, not
    case any, some, all, none
    case `in`, between
    case contains, beginswith, endswith, like, matches
    case truepredicate, falsepredicate
    case `true`, `false`, yes, no, `nil`, null
    case subquery

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// Words that are keywords only in some places and may begin a clause there.
    static let clauses: Set<String> = ["select", "distinct", "where", "from", "by"]

    init?(spelling: String) {
        guard spelling.utf8.count <= 14, let keyword = QueryKeyword.byName[spelling.lowercased()] else { return nil }
        self = keyword
    }

    var isValue: Bool {
        switch self {
        case .true, .false, .yes, .no, .nil, .null: true
        default: false
        }
    }
}

enum QuerySymbol: String {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case point = "."
    case colon = ":"
    case equals = "="
    case doubleEquals = "=="
    case notEqual = "!="
    case lessOrGreater = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case equalOrLess = "=<"
    case greater = ">"
    case greaterOrEqual = ">="
    case equalOrGreater = "=>"
    case exclamation = "!"
    case doubleAmpersand = "&&"
    case doubleBar = "||"
    case plus = "+"
    case minus = "-"
    case asterisk = "*"
    case doubleAsterisk = "**"
    case slash = "/"
    case percent = "%"
    case doubleQuestion = "??"

    var comparison: Comparison? {
        switch self {
        case .equals, .doubleEquals: .equal
        case .notEqual, .lessOrGreater: .notEqual
        case .less: .less
        case .lessOrEqual, .equalOrLess: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual, .equalOrGreater: .greaterOrEqual
        default: nil
        }
    }
}
