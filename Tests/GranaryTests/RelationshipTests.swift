import Granary
import Testing

@Suite struct RelationshipTests {
    @Test func `relationships make a schema with their delete rules, indexes and links`() throws {
        let schema = Schema(
            Library.Genre.self, Library.Artist.self, Library.Album.self, Library.Playlist.self, Library.Song.self)
        try schema.validate()
        #expect(
            schema.description == """
                entity Genre
                    id: int64 key
                    name: string
                    unique[c] (name)
                entity Artist
                    id: int64 key
                    name: string
                    genre: int64? -> Genre, on delete deny
                    index (name)
                    index[c] (name)
                    index[cd] (name)
                    index (genre)
                entity Album
                    id: int64 key
                    artist: int64 -> Artist, on delete deny
                    published: int64
                    index (artist)
                entity Playlist
                    id: int64 key
                    name: string
                entity Song
                    isrc: string key
                    artist: int64? -> Artist, on delete cascade
                    index (artist)
                entity Playlist_songs
                    id: int64 key, assigned
                    source: int64 -> Playlist, on delete cascade
                    target: string -> Song, on delete cascade
                    position: int64
                    unique (source, target)
                    index (target)
                    index (source, position)
                """)
        #expect(
            schema.entities.map(\.relationships) == [
                [Relationship("artists", entity: "Artist", attribute: "genre")],
                [
                    Relationship("songs", entity: "Song", attribute: "artist"),
                    Relationship("albums", entity: "Album", attribute: "artist", orderedBy: "published"),
                ],
                [],
                [
                    Relationship(
                        "songs", entity: "Playlist_songs", attribute: "source", through: "target", orderedBy: "position"
                    )
                ],
                [Relationship("playlists", entity: "Playlist_songs", attribute: "target", through: "source")],
                [],
            ])
    }

    @Test func `a record relates to records of its own type`() throws {
        let schema = Schema(Node.self)
        try schema.validate()
        #expect(
            schema.description == """
                entity Node
                    id: int64 key
                    parent: int64? -> Node, on delete cascade
                    place: int64 = 0
                    index (parent)
                entity Node_neighbours
                    id: int64 key, assigned
                    source: int64 -> Node, on delete deny
                    target: int64 -> Node, on delete cascade
                    unique (source, target)
                    index (target)
                """)
        #expect(
            schema.entities[0].relationships == [
                Relationship("children", entity: "Node", attribute: "parent", orderedBy: "place"),
                Relationship("neighbours", entity: "Node_neighbours", attribute: "source", through: "target"),
                Relationship("neighbourOf", entity: "Node_neighbours", attribute: "target", through: "source"),
            ])
    }

    @Test func `every spelling of a relationship is read`() throws {
        let schema = Schema(Spelling.self, Spelled.self)
        try schema.validate()
        #expect(
            schema.entities.flatMap { entity in
                entity.relationships.map { "\(entity.name).\($0.name): \($0.entity).\($0.attribute)" }
            } == [
                "Speller.plain: Spelled.required", "Speller.second: Spelled.optional",
                "Speller.annotated: Spelled.required", "Speller.qualified: Spelled.optional",
                "Speller.specialized: Spelled.required", "Speller.secret: Spelled.required",
                "Speller.many: Speller_many.source", "Speller.switch: Speller_switch.source",
                "Speller.other: Speller_other.source", "Spelled.many: Speller_many.target",
                "Spelled.switches: Speller_switch.target",
            ])
        #expect(schema.entities[1].attributes.map(\.reference?.onDelete) == [nil, .cascade, .nullify])
        #expect(
            schema.entities.map(\.name) == ["Speller", "Spelled", "Speller_many", "Speller_switch", "Speller_other"])
    }

    @Test func `a field names a relationship with its types`() {
        let songs: Related<Library.Artist, Library.Song> = Library.Artist.fields.songs
        let playlists: Related<Library.Song, Library.Playlist> = Library.Song.fields.playlists
        let switches: Related<Spelling, Spelled> = Spelling.fields.switch
        #expect([songs.path, playlists.path, switches.path] == ["songs", "playlists", "switch"])
    }

    @Test func `a record's member names its key and the relationship`() {
        let songs: RelatedRecords<Library.Artist, Library.Song> = Library.Artist(id: 7, name: "n").songs
        #expect(songs == RelatedRecords(of: 7, Relationship("songs", entity: "Song", attribute: "artist")))
        let playlists: RelatedRecords<Library.Song, Library.Playlist> = Library.Song(isrc: "x").playlists
        #expect(playlists.owner == "x")
        #expect(playlists.relationship.through == "source")
        #expect(Spelling(default: 3).switch.owner == 3)
        #expect(Spelling(default: 3).secrets.relationship.name == "secret")
    }

    @Test func `a relationship to a type that the schema lacks is refused by name`() {
        func message(_ types: any Record.Type...) -> String? {
            #expect(throws: GranaryError.self) { try Schema(types).validate() }?.message
        }
        #expect(
            message(Library.Album.self, Library.Artist.self, Library.Genre.self)
                == "Artist.songs is a relationship to Song, which the schema lacks. Add it to Schema(...).")
        #expect(
            message(Library.Song.self, Library.Album.self, Library.Artist.self, Library.Genre.self)
                == "Song.playlists goes through the links Playlist_songs, which the schema lacks. Add the record that"
                + " owns them to Schema(...); there the relationship is ManyToMany(Song.self).")
        #expect(
            message(Library.Playlist.self)
                == "Playlist_songs.target refers to Song, which the schema lacks. Add it to Schema(...).")
    }

    @Test func `a reference that is given two delete rules is refused by name`() {
        let error = #expect(throws: GranaryError.self) {
            try Schema(Disputed.Part.self, Disputed.Thing.self, Disputed.Owner.self).validate()
        }
        #expect(error?.code == .invalidSchema)
        #expect(error?.entity == "Thing")
        #expect(error?.attributes == ["owner"])
        #expect(
            error?.message == "Thing.owner is given two delete rules: deny by itself, and cascade by Owner.things."
                + " Give the rule in one of the two places, or the same in both.")
    }

    @Test(.timeLimit(.minutes(5)))
    func `two types that relate to each other can be first asked for at the same time`() async throws {
        async let left = Left.relationships
        async let right = Right.relationships
        #expect(await left.map(\.relationship.entity) == ["Right", "Left_others", "Right_others"])
        #expect(await right.map(\.relationship.entity) == ["Left", "Right_others", "Left_others"])
        try Schema(Left.self, Right.self).validate()
    }
}
