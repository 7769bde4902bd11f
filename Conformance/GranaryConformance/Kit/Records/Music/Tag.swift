public import GranaryCore

/// Two texts of which one is unique without regard to case, one indexed without regard to case and diacritics. Written by hand, as every record of the suite: no macro is needed.
public struct Tag: Record, Equatable {
    public var id: Int64
    public var label: String?
    public var word: String?

    public init(id: Int64, label: String? = nil, word: String? = nil) {
        self.id = id
        self.label = label
        self.word = word
    }
}

extension Tag {
    public static let entityName = "Tag"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("label", String?.self),
            Attribute("word", String?.self),
        ],
        indexes: [
            .unique("label", folding: [.caseInsensitive]), .index("word", folding: [.caseInsensitive]),
            .index("word", folding: [.caseInsensitive, .diacriticInsensitive]),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        label = try row.decode(at: 1)
        word = try row.decode(at: 2)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(label, at: 1)
        try row.encode(word, at: 2)
    }

    public struct Fields: Sendable {
        public let id = Field<Tag, Int64>("id")
        public let label = Field<Tag, String?>("label")
        public let word = Field<Tag, String?>("word")
    }
    public static let fields = Fields()
}
