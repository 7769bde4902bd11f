public import GranaryCore

/// Somebody who makes albums; the mentor may have left without notice. Written by hand, as every record of the suite: no macro is needed.
public struct Artist: Record, Equatable {
    public var id: Int64
    public var label: String
    public var genre: Ref<Genre>?
    public var rating: Double?
    public var mentor: Ref<Artist>?

    public init(
        id: Int64, label: String = "", genre: Ref<Genre>? = nil, rating: Double? = nil, mentor: Ref<Artist>? = nil
    ) {
        self.id = id
        self.label = label
        self.genre = genre
        self.rating = rating
        self.mentor = mentor
    }
}

extension Artist {
    public static let entityName = "Artist"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("label", String.self),
            Attribute("genre", Ref<Genre>?.self),
            Attribute("rating", Double?.self),
            Attribute("mentor", Ref<Artist>?.self, onDelete: .noAction),
        ], indexes: [.index("label")])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("albums", entity: "Album", attribute: "artist")),
        DeclaredRelationship(Relationship("pupils", entity: "Artist", attribute: "mentor")),
    ]

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        label = try row.decode(at: 1)
        genre = try row.decode(at: 2)
        rating = try row.decode(at: 3)
        mentor = try row.decode(at: 4)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(label, at: 1)
        try row.encode(genre, at: 2)
        try row.encode(rating, at: 3)
        try row.encode(mentor, at: 4)
    }

    public struct Fields: Sendable {
        public let id = Field<Artist, Int64>("id")
        public let label = Field<Artist, String>("label")
        public let genre = Field<Artist, Ref<Genre>?>("genre")
        public let rating = Field<Artist, Double?>("rating")
        public let mentor = Field<Artist, Ref<Artist>?>("mentor")
        public let albums = Related<Artist, Album>("albums")
        public let pupils = Related<Artist, Artist>("pupils")
    }
    public static let fields = Fields()
}
