/// Tests texts with one ``TextPattern``. It keeps its buffers from one text to the next.
///
/// Making a matcher from a pattern costs little. A matcher is not for several threads at once: each thread makes its
/// own from the shared pattern.
package final class TextMatcher {
    package let pattern: TextPattern
    /// The greatest number of steps of a regular expression, or of a `like` pattern, for one text.
    private let stepLimit: Int
    private var folder: TextFolder
    private var folded: [UInt8] = []
    private var run: RegularExpressionRun?

    package init(_ pattern: TextPattern, stepLimit: Int = 200_000_000) {
        self.pattern = pattern
        self.stepLimit = stepLimit
        self.folder = TextFolder(pattern.folding)
        if case .matches(let program) = pattern.test { self.run = RegularExpressionRun(program) }
    }

    /// - Throws: `invalidQuery` if the pattern is not valid.
    package convenience init(_ match: TextMatch) throws(GranaryError) {
        self.init(try TextPattern(match))
    }

    /// - Throws: `corrupt` for bytes that are not UTF-8 (plain comparisons do not check), `limit` after too many steps.
    package func matches(_ utf8: UnsafeRawBufferPointer) throws(GranaryError) -> Bool {
        guard !pattern.folding.isEmpty else { return try matchesFolded(utf8) }
        try folder.fold(utf8, into: &folded)
        // The buffer is taken out while it is used, then put back with its storage.
        var text: [UInt8] = []
        swap(&text, &folded)
        defer { swap(&text, &folded) }
        return try text.withUnsafeBytes { bytes in
            Result { () throws(GranaryError) in try matchesFolded(bytes) }
        }.get()
    }

    private func matchesFolded(_ text: UnsafeRawBufferPointer) throws(GranaryError) -> Bool {
        switch pattern.test {
        case .equal(let bytes):
            return text.count == bytes.count && ByteSearch.begins(text, with: bytes)
        case .contains(let bytes):
            return bytes.withUnsafeBytes { ByteSearch.first($0, in: text, from: 0) } != nil
        case .prefix(let bytes):
            return ByteSearch.begins(text, with: bytes)
        case .suffix(let bytes):
            guard bytes.count <= text.count else { return false }
            return ByteSearch.begins(UnsafeRawBufferPointer(rebasing: text[(text.count - bytes.count)...]), with: bytes)
        case .like(let like):
            return try like.matches(text, stepLimit: stepLimit)
        case .matches:
            return try run?.matches(text, stepLimit: stepLimit) ?? false
        }
    }

    static func tooManySteps(_ limit: Int) -> GranaryError {
        GranaryError(
            .limit,
            "A text condition took more than \(limit) steps on one text. Use a simpler pattern, or `contains`.")
    }
}
