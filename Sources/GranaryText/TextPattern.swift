/// A ``TextMatch`` checked and made ready: immutable, to be made once for a query and shared by all threads.
///
/// To look at texts, make a ``TextMatcher`` of it on each thread.
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
    /// The match's folding, with the one that the expression itself asks for.
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

    /// The bytes that every text that matches begins with, after folding. Often empty.
    package var literalPrefix: [UInt8] {
        switch test {
        case .equal(let bytes), .prefix(let bytes): bytes
        case .like(let pattern): pattern.literalPrefix
        case .contains, .suffix, .matches: []
        }
    }
}
