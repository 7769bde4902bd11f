/// Finds the words of a text for searches, instead of the default rules: for stems, or for a script that needs a
/// dictionary.
///
/// ```swift
/// struct Plurals: WordTokenizer {
///     static let name = "plurals"
///     static let version = 1
///
///     mutating func findWords(in text: String, _ found: WordFinding) throws {
///         try text.findWords { word, place in
///             try found(word.hasSuffix("s") ? String(word.dropLast()) : word, place)
///         }
///     }
/// }
///
/// @Record(words: WordRules(Plurals.self)) struct Essay { … }
/// ```
///
/// The words of stored texts and those of searches go through it, also those of highlights and snippets. What it gives
/// is then folded like any word: case and accents do not matter, and the first 128 bytes count.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `name` | the same for ever: it is kept in the schema of stores; 1 to 63 letters, digits, `_`, `-`, `.` |
/// | `version` | another number whenever the same text may give other words: stores then make their indexes anew |
/// | `findWords` | the same words for the same text; it ends; it does not use the store |
///
/// A tokenizer that breaks a rule, or throws, ends the search or the write with the error `tokenizerFailed`. The store
/// stays as it was.
public protocol WordTokenizer: SendableMetatype {
    /// Its name in stored schemas.
    static var name: String { get }
    /// The version of its rules, from 0 to 2 147 483 647.
    static var version: Int { get }

    /// Makes a tokenizer for one search, one write or one index. It is used by one thread at a time.
    init() throws

    /// Calls `found` with each word of a text and its place there, in the order in which the words begin.
    ///
    /// Words that begin at the same place stand for each other, such as a compound and its first part: at most 64. Of a
    /// searched text only the first of them is looked for. An empty word is ignored.
    mutating func findWords(in text: String, _ found: WordFinding) throws
}

/// Takes a word, in the form in which it is searched, and its place in the text. What it throws must be passed on.
public typealias WordFinding = (_ word: String, _ place: Range<String.Index>) throws -> Void

extension String {
    /// Calls a closure with each word of the text by the default rules, in lower case and with its accents, and its
    /// place: for a ``WordTokenizer`` that changes words only.
    ///
    /// Words are those of Unicode's default rules (UAX #29). In scripts without spaces each two characters that follow
    /// each other are a word.
    public func findWords(_ found: WordFinding) rethrows {
        var text = self
        text.makeContiguousUTF8()
        // The scanner keeps bytes only while it looks for the next word, so that the closure may do as it likes.
        var position = 0
        while let (place, next) = text.word(from: position) {
            position = next
            let start = text.utf8.index(text.startIndex, offsetBy: place.lowerBound)
            let end = text.utf8.index(text.startIndex, offsetBy: place.upperBound)
            try found(text[start..<end].lowercased(), start..<end)
        }
    }

    /// The bytes of the next word at or after a position of the scanner, and the scanner's position after it.
    private func word(from position: Int) -> (place: Range<Int>, next: Int)? {
        utf8.withContiguousStorageIfAvailable { utf8 -> (Range<Int>, Int)? in
            var scanner = WordScanner(UnsafeRawBufferPointer(utf8), from: position)
            return scanner.next().map { ($0, scanner.position) }
        } ?? nil
    }
}
