import GranaryCore

/// The one side of the catalogue that queries are asked of: a key, a name with an index, a country without.
struct Artist: Record, Equatable {
    var id: Int64
    var name: String
    var country: String

    init(id: Int64, name: String, country: String) {
        self.id = id
        self.name = name
        self.country = country
    }

    static let entityName = "Artist"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("country", String.self),
        ], indexes: [.index("name")])

    static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
    static var relationships: [DeclaredRelationship] { [songs.declared(as: "songs")] }

    init(row: borrowing Row) throws {
        try self.init(
            id: row.decode(at: 0), name: row.decode(at: 1), country: row.decode(at: 2))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(country, at: 2)
    }

    struct Fields: Sendable {
        let id = Field<Artist, Int64>("id")
        let name = Field<Artist, String>("name")
        let country = Field<Artist, String>("country")
        var songs: Related<Artist, Song> { Related("songs") }
    }
    static let fields = Fields()
}
