public import GranaryCore

/// A record whose words are found by the suite's own tokenizer, without stop words, and which has a group of attributes.
public struct Poem: Record, Equatable {
    public var id: Int64
    public var title: String
    public var text: String?
    public var author: String?
    public var translator: String?

    public init(id: Int64, title: String = "", text: String? = nil, author: String? = nil, translator: String? = nil) {
        (self.id, self.title, self.text) = (id, title, text)
        (self.author, self.translator) = (author, translator)
    }
}

extension Poem {
    public static let entityName = "Poem"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("title", String.self).searchable(),
            Attribute("text", String?.self).searchable(),
            Attribute("author", String?.self).searchable("people", weight: 2),
            Attribute("translator", String?.self).searchable("people"),
        ], words: WordRules(Stems.self, stopWords: .english))

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        text = try row.decode(at: 2)
        author = try row.decode(at: 3)
        translator = try row.decode(at: 4)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(text, at: 2)
        try row.encode(author, at: 3)
        try row.encode(translator, at: 4)
    }

    public struct Fields: Sendable {
        public let id = Field<Poem, Int64>("id")
        public let title = Field<Poem, String>("title")
        public let text = Field<Poem, String?>("text")
        public let author = Field<Poem, String?>("author")
        public let translator = Field<Poem, String?>("translator")
        public let search = RecordSearch<Poem>()
    }
    public static let fields = Fields()
}

/// Takes the endings of some words away: `walks` and `walking` are `walk`.
public struct Stems: WordTokenizer {
    public static let name = "suite-stems"
    public static let version = 1

    public init() {}

    public mutating func findWords(in text: String, _ found: WordFinding) throws {
        try text.findWords { word, place in try found(word.without(["ing", "s"]), place) }
    }
}

/// The next version of ``Stems``: `walked` is `walk`, too.
public struct NewerStems: WordTokenizer {
    public static let name = Stems.name
    public static let version = 2

    public init() {}

    public mutating func findWords(in text: String, _ found: WordFinding) throws {
        try text.findWords { word, place in try found(word.without(["ing", "ed", "s"]), place) }
    }
}

extension String {
    /// The word without the first ending that it has, unless little is left.
    func without(_ endings: [String]) -> String {
        let ending = endings.first { hasSuffix($0) && count > $0.count + 2 }
        return ending.map { String(dropLast($0.count)) } ?? self
    }
}
