import Foundation
import Granary
import Testing

/// The examples of the documentation, as they stand there.
enum Documented {
    struct Settings: Codable, Sendable {}

    @Record struct Label {
        @Key var id: Int64
    }

    @Record(unique: [["name", "born"]])
    struct Artist {
        @Key var id: Int64
        @Index var name: String
        var rating: Double?
        var born: Date?
        @Attribute(.json) var settings: Settings
        @Reference(onDelete: .cascade) var label: Ref<Label>
        @Transient var isSelected = false
    }

    @Record struct Genre {
        @Key(.assigned) var id: Int64 = 0
        @Unique var name: String
        var stars = 3
    }

    @Record struct Timed {
        @Key var id = UUID.timeOrdered()
    }

    @Record struct Band {
        @Key var id: Int64
        static let songs = ToMany(\Song.Fields.band, onDelete: .cascade)
        static let albums = ToMany(\Album.Fields.band, orderedBy: \.place)
    }
    @Record struct Album {
        @Key var id: Int64
        var band: Ref<Band>
        var place: Int
    }
    @Record struct Playlist {
        @Key var id: Int64
        static let songs = ManyToMany(Song.self, ordered: true)
    }
    @Record struct Song {
        @Key var id: Int64
        var band: Ref<Band>?
        static let playlists = ManyToMany(\Playlist.Fields.songs)
    }

    @Record struct Folded {
        @Key var id: Int64
        @Index(.caseInsensitive) var name: String
        @Index @Index(.caseInsensitive, .diacriticInsensitive) var title: String
        @Unique(.caseInsensitive) var code: String
    }

    /// What the documentation of `@Record` says it writes for ``Genre``.
    struct Written: Record {
        var id: Int64 = 0
        var name: String
        var stars = 3

        typealias Key = Int64
        static let entityName = "Genre"
        static let entity = Entity(
            Self.entityName, key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", Int64.self),
                Attribute("name", String.self),
                Attribute("stars", Int.self, default: 3),
            ],
            indexes: [
                .unique("name")
            ])
        struct Fields: Sendable {
            let id = Field<Written, Int64>("id")
            let name = Field<Written, String>("name")
            let stars = Field<Written, Int>("stars")
        }
        static let fields = Fields()
        mutating func take(assignedKey: Key) {
            self.id = assignedKey
        }
        init(row: borrowing Row) throws {
            self.id = try row.decode(at: 0)
            self.name = try row.decode(at: 1)
            self.stars = try row.decode(at: 2)
        }
        func encode(into row: inout RowWriter) throws {
            try row.encode(self.id, at: 0)
            try row.encode(self.name, at: 1)
            try row.encode(self.stars, at: 2)
        }
    }
}

@Suite struct DocumentationTests {
    @Test func `the members that the documentation shows are those of the record`() throws {
        #expect(Documented.Genre.entity == Documented.Written.entity)
        try Schema(Documented.Artist.self, Documented.Label.self, Documented.Genre.self, Documented.Timed.self)
            .validate()
        try Schema(
            Documented.Band.self, Documented.Album.self, Documented.Playlist.self, Documented.Song.self,
            Documented.Folded.self
        ).validate()
        let liked = Documented.Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)
        #expect(liked.untyped.condition?.description == "rating >= 4.5")
    }
}
