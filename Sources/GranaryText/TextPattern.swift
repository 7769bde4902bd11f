/// A ``TextMatch``, checked and prepared. It is immutable: make it once per query and share it between threads.
///
/// To test texts, make a ``TextMatcher`` of it on each thread.
package struct TextPattern: Sendable {
    enum Test: Sendable {
        case equal([UInt8])
        case contains([UInt8])
        case prefix([UInt8])
        case suffix([UInt8])
        case like(LikePattern)
        case matches(RegularExpressionProgram)
    }

    package let match: TextMatch
    /// The folding of the match, and the folding that the expression itself demands.
    let folding: TextFolding
    let test: Test

    /// - Throws: `invalidQuery` if the pattern is not valid.
    package init(_ match: TextMatch) throws(GranaryError) {
        self.match = match
        guard let text = String(validating: match.pattern, as: UTF8.self) else {
            throw GranaryError(.invalidQuery, "The pattern of a text condition is not UTF-8.")
        }
        let scalars = Array(text.unicodeScalars)
        var folding = match.folding
        switch match.kind {
        case .equal: test = .equal(try folding.folded(match.pattern))
        case .contains: test = .contains(try folding.folded(match.pattern))
        case .prefix: test = .prefix(try folding.folded(match.pattern))
        case .suffix: test = .suffix(try folding.folded(match.pattern))
        case .like: test = .like(try LikePattern(scalars, folding))
        case .matches:
            let syntax = try RegularExpressionSyntax(scalars)
            if syntax.isCaseInsensitive { folding.insert(.caseInsensitive) }
            test = .matches(try RegularExpressionProgram(syntax, folding))
        }
        self.folding = folding
    }

    /// The bytes that every matching text begins with, after folding. Often empty.
    package var literalPrefix: [UInt8] {
        switch test {
        case .equal(let bytes), .prefix(let bytes): bytes
        case .like(let pattern): pattern.literalPrefix
        case .contains, .suffix, .matches: []
        }
    }
}
