public import GranaryCore
import Foundation

/// Songs that came out together. Written by hand, as every record of the suite: no macro is needed.
public struct Album: Record, Equatable {
    public var id: Int64
    public var title: String
    public var artist: Ref<Artist>
    public var year: Int64?
    public var price: Decimal?

    public init(id: Int64, title: String = "", artist: Ref<Artist>, year: Int64? = nil, price: Decimal? = nil) {
        self.id = id
        self.title = title
        self.artist = artist
        self.year = year
        self.price = price
    }
}

extension Album {
    public static let entityName = "Album"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("title", String.self),
            Attribute("artist", Ref<Artist>.self, onDelete: .cascade),
            Attribute("year", Int64?.self),
            Attribute("price", Decimal?.self),
        ], indexes: [.index("year")])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("songs", entity: "Song", attribute: "album"))
    ]

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        artist = try row.decode(at: 2)
        year = try row.decode(at: 3)
        price = try row.decode(at: 4)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(artist, at: 2)
        try row.encode(year, at: 3)
        try row.encode(price, at: 4)
    }

    public struct Fields: Sendable {
        public let id = Field<Album, Int64>("id")
        public let title = Field<Album, String>("title")
        public let artist = Field<Album, Ref<Artist>>("artist")
        public let year = Field<Album, Int64?>("year")
        public let price = Field<Album, Decimal?>("price")
        public let songs = Related<Album, Song>("songs")
    }
    public static let fields = Fields()
}
