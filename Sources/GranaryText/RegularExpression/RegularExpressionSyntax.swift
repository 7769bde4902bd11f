/// The syntax tree of a regular expression. The dialect is described at ``TextMatch``.
struct RegularExpressionSyntax {
    indirect enum Node {
        case empty
        /// Scalars one after the other.
        case literal([Unicode.Scalar])
        /// Any scalar. The newline only with the flag `s`.
        case any
        case set(ScalarSet)
        case assertion(Assertion)
        case sequence([Node])
        case alternatives([Node])
        /// Without a maximum, any number.
        case repeated(Node, minimum: Int, maximum: Int?)
    }

    /// A condition about a place between two scalars.
    enum Assertion: Sendable {
        case textStart
        case textEnd
        case lineStart
        case lineEnd
        case wordBoundary
        case noWordBoundary
    }

    static let maximumLength = 10_000
    static let maximumNesting = 100
    static let maximumCount = 1_000

    let root: Node
    let isCaseInsensitive: Bool
    let anyIncludesNewline: Bool

    /// - Throws: `invalidQuery` with the column of the mistake.
    init(_ pattern: [Unicode.Scalar]) throws(GranaryError) {
        guard pattern.count <= RegularExpressionSyntax.maximumLength else {
            throw GranaryError(
                .invalidQuery,
                "The regular expression is longer than \(RegularExpressionSyntax.maximumLength) characters.")
        }
        var parser = RegularExpressionParser(pattern)
        root = try parser.parse()
        isCaseInsensitive = parser.flags.contains("i")
        anyIncludesNewline = parser.flags.contains("s")
    }
}
