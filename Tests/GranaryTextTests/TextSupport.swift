@testable import GranaryText

/// Whether a text matches, each side given as a string.
func matches(
    _ kind: TextMatch.Kind, _ pattern: String, _ text: String, _ folding: TextFolding = []
) throws -> Bool {
    try matches(TextMatcher(TextMatch(kind, pattern, folding)), Array(text.utf8))
}

func matches(_ matcher: TextMatcher, _ text: [UInt8]) throws -> Bool {
    try text.withUnsafeBytes { try matcher.matches($0) }
}

func folded(_ text: String, _ folding: TextFolding) throws -> String {
    String(decoding: try folding.folded(Array(text.utf8)), as: UTF8.self)
}

extension String {
    /// Every scalar of the planes that Unicode assigns.
    static var allScalars: some Sequence<Unicode.Scalar> {
        [UInt32(0)...0x3FFFF, 0xE0000...0xE0FFF].joined().lazy.compactMap(Unicode.Scalar.init)
    }

    init(scalars: some Sequence<Unicode.Scalar>) {
        self.init(String.UnicodeScalarView(scalars))
    }
}
