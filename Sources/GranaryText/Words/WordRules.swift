/// How the words of a record type's searchable attributes are found: by the default rules, or by an app's own
/// tokenizer, with or without the stop words of a language.
///
/// ```swift
/// @Record(words: WordRules(stopWords: .english)) struct Essay { … }
/// @Record(words: WordRules(EnglishStems.self, stopWords: .english)) struct Page { … }
/// ```
///
/// One record type has one set of rules, because a search has one form of its words for all attributes.
///
/// A store keeps the name of the tokenizer and of the stop words in its schema. A program without the tokenizer can do
/// everything but searches of the type, which throw `missingTokenizer`.
public struct WordRules: Sendable, Hashable {
    /// The name of the tokenizer; nil for the default rules.
    public let tokenizer: String?
    /// The language whose stop words are left out; nil to search every word.
    public let stopWords: StopWords?
    /// Nil if the program does not have the tokenizer.
    private let known: Known?

    private struct Known: Sendable {
        var version: Int
        var type: ObjectIdentifier
        var make: @Sendable () throws -> any WordTokenizer
    }

    /// The default rules.
    public init(stopWords: StopWords? = nil) {
        (tokenizer, known) = (nil, nil)
        self.stopWords = stopWords
    }

    /// The rules of a tokenizer.
    public init<Tokenizer: WordTokenizer>(_ type: Tokenizer.Type, stopWords: StopWords? = nil) {
        tokenizer = Tokenizer.name
        known = Known(version: Tokenizer.version, type: ObjectIdentifier(Tokenizer.self)) { try Tokenizer() }
        self.stopWords = stopWords
    }

    /// The version of the tokenizer; nil without one, or without its type.
    package var version: Int? { known?.version }

    /// The type of the tokenizer, to compare it; nil without one, or without its type.
    package var type: ObjectIdentifier? { known?.type }

    /// Whether words can be found: false for a tokenizer whose type the program does not have.
    package var canFindWords: Bool { tokenizer == nil || known != nil }

    /// Rules are equal if their names are.
    public static func == (left: WordRules, right: WordRules) -> Bool {
        left.tokenizer == right.tokenizer && left.stopWords == right.stopWords
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokenizer)
        hasher.combine(stopWords)
    }

    /// A new tokenizer; nil for the default rules.
    func makeTokenizer() throws -> (any WordTokenizer)? {
        guard let tokenizer else { return nil }
        guard let known else {
            throw GranaryError(
                .missingTokenizer,
                "The words are found by the tokenizer \"\(tokenizer)\", which this program does not have. Search with the program that declares the record type."
            )
        }
        do {
            return try known.make()
        } catch {
            throw GranaryError.tokenizer(tokenizer, "could not be made: \(Swift.type(of: error))")
        }
    }
}

extension WordRules: CustomStringConvertible {
    /// `the default rules`, `the tokenizer "stems" without english stop words`.
    public var description: String {
        (tokenizer.map { "the tokenizer \"\($0)\"" } ?? "the default rules")
            + (stopWords.map { " without \($0) stop words" } ?? "")
    }
}

extension WordRules: Codable {
    private enum CodingKeys: String, CodingKey { case tokenizer, stopWords }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        tokenizer = try container.decodeIfPresent(String.self, forKey: .tokenizer)
        stopWords = try container.decodeIfPresent(StopWords.self, forKey: .stopWords)
        known = nil
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(tokenizer, forKey: .tokenizer)
        try container.encodeIfPresent(stopWords, forKey: .stopWords)
    }
}

extension GranaryError {
    /// The error of a tokenizer that breaks its rules.
    static func tokenizer(_ name: String, _ fault: String) -> GranaryError {
        GranaryError(.tokenizerFailed, "The tokenizer \"\(name)\" \(fault). Correct it, and give it another version.")
    }
}
