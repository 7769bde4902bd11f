public import GranaryCore

/// A tokenizer that indexes the stems of a language's words. A conformer says the language only.
public protocol StemTokenizer: WordTokenizer {
    /// The name of Snowball's algorithm.
    static var language: String { get }
    var words: StemmedWords { get }
    init(_ words: StemmedWords)
}

extension StemTokenizer {
    /// A store keeps the name, so it says which library the stems are from.
    public static var name: String { "snowball-\(language)" }
    /// The version of the stems: one more whenever a newer library gives other stems.
    public static var version: Int { 1 }

    public init() throws { self.init(try StemmedWords(Self.language)) }

    public mutating func findWords(in text: String, _ found: WordFinding) throws {
        try text.findWords { word, place in try found(words.stem(of: word), place) }
    }
}

/// The stems of a language's words.
public struct StemmedWords {
    private let stemmer: Stemmer

    init(_ language: String) throws { stemmer = try Stemmer(language) }

    func stem(of word: String) -> String { stemmer.stem(word) }
}

public struct EnglishStems: StemTokenizer {
    public static let language = "english"
    public let words: StemmedWords
    public init(_ words: StemmedWords) { self.words = words }
}

public struct GermanStems: StemTokenizer {
    public static let language = "german"
    public let words: StemmedWords
    public init(_ words: StemmedWords) { self.words = words }
}
