import Foundation
import Granary
import Testing

/// What a person writes for the same as ``Twin``.
struct HandWritten: Record, Equatable {
    var id: Int64 = 0
    var name: String
    var code: String
    var rating: Double?
    var stars = 3
    var settings: Settings
    var price: Decimal
    var parent: Ref<HandWritten>?

    static let entityName = "Twin"
    static let entity = Entity(
        entityName, key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self),
            Attribute("name", String.self),
            Attribute("code", String.self),
            Attribute("rating", Double?.self),
            Attribute("stars", Int.self, default: 3),
            Attribute("settings", JSON<Settings>.self),
            Attribute("price", ScaledDecimal<2>.self),
            Attribute("parent", Ref<HandWritten>?.self, onDelete: .cascade),
        ],
        indexes: [.index("name"), .unique("code"), .index("name", "stars")])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        code = try row.decode(at: 2)
        rating = try row.decode(at: 3)
        stars = try row.decode(at: 4)
        settings = try row.decode(JSON<Settings>.self, at: 5).value
        price = try row.decode(ScaledDecimal<2>.self, at: 6).value
        parent = try row.decode(at: 7)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(code, at: 2)
        try row.encode(rating, at: 3)
        try row.encode(stars, at: 4)
        try row.encode(JSON(settings), at: 5)
        try row.encode(ScaledDecimal<2>(price), at: 6)
        try row.encode(parent, at: 7)
    }

    struct Fields: Sendable {
        let id = Field<HandWritten, Int64>("id")
        let name = Field<HandWritten, String>("name")
        let code = Field<HandWritten, String>("code")
        let rating = Field<HandWritten, Double?>("rating")
        let stars = Field<HandWritten, Int>("stars")
        let settings = Field<HandWritten, JSON<Settings>>("settings")
        let price = Field<HandWritten, ScaledDecimal<2>>("price")
        let parent = Field<HandWritten, Ref<HandWritten>?>("parent")
    }
    static let fields = Fields()

    mutating func take(assignedKey: Int64) { id = assignedKey }
}

@Record(indexes: [["name", "stars"]]) struct Twin {
    @Key(.assigned) var id: Int64 = 0
    @Index var name: String
    @Unique var code: String
    var rating: Double?
    var stars = 3
    @Attribute(.json) var settings: Settings
    @Attribute(.scaled(2)) var price: Decimal
    @Reference(onDelete: .cascade) var parent: Ref<Twin>?
}

@Record struct Fact {
    @Key var id: Int64
    @Attribute(.agreeing) var title: String
    @Attribute(.scaled(2), .agreeing, name: "cost") var price: Decimal
    var plays: Int
}

@Suite struct RecordEntityTests {
    @Test func `attributes say that they may be changed alike on both sides, which is no part of the schema`() {
        #expect(Fact.entity.attributes.map(\.isAgreeing) == [false, true, true, false])
        #expect(Schema(Fact.self).entities[0].attributes.map(\.isAgreeing) == [false, true, true, false])
        #expect(Attribute("title", String.self).agreeing() == Attribute("title", String.self))
    }

    @Test func `the macro's entity equals the one written by hand`() {
        #expect(Twin.entity == HandWritten.entity)
        #expect(Schema(Twin.self).fingerprint == Schema(HandWritten.self).fingerprint)
    }

    @Test func `the macro's row equals the one written by hand`() throws {
        let twin = Twin(id: 5, name: "n", code: "c", settings: Settings(volume: 2), price: 1.25, parent: Ref(4))
        #expect(try withRow(of: twin) { try storedValues(HandWritten(row: $0)) } == storedValues(twin))
    }

    @Test func `an entity has name, key, defaults, references and each index once`() {
        #expect(
            Schema(Artist.self, Song.self).description == """
                entity Performer
                    id: int64 key, assigned
                    name: string
                    code: string
                    born: date?
                    teacher: int64? -> Performer, on delete nullify
                    pupil: int64? -> Performer, on delete nullify
                    hit: string? -> Song, on delete cascade
                    stars: int64 = 3
                    weight: double = -1.5
                    motto: string = "a "b" \\ c"
                    text: string = "two
                lines"
                    isLoud: bool = 1
                    mood: string = "calm"
                    fee: decimal(2) = 1950
                    tags: json = "["x"]"
                    first_name: string?
                    index (name)
                    unique (code)
                    index (first_name)
                    index (name, born)
                    unique (born, name)
                    index (teacher)
                    index (pupil)
                    index (hit)
                entity Song
                    isrc: string key
                    artist: int64 -> Performer, on delete deny
                    other: int64? -> Performer, on delete nullify
                    title: string
                    index (artist)
                    index (other)
                """)
    }

    @Test func `records that refer to each other make a valid schema`() throws {
        try Schema(Artist.self, Song.self).validate()
        try Schema(Version1.Artist.self, Version1.Song.self).validate()
        try Schema(Everything.self, Maybe.self, Names.self, Artist.self, Song.self, PublicRecord.self).validate()
    }

    @Test func `a nested record's types are those of its namespace`() {
        #expect(Version1.Artist.entity.attributes[1].type == .int64)
        #expect(Version1.Song.entity.attributes[1].type == .string)
        #expect(Version1.Song.entity.attributes[1].reference?.entity == "Artist")
        #expect(Hidden.count == 3)
    }

    @Test func `a field has the attribute's name and type`() {
        let firstName: Field<Artist, String?> = Artist.fields.firstName
        #expect(firstName.attributePath == "first_name")
        let fee: Field<Artist, ScaledDecimal<2>> = Artist.fields.fee
        let tags: Field<Artist, JSON<[String]>> = Artist.fields.tags
        let pupil: Field<Artist, Ref<Artist>?> = Artist.fields.pupil
        #expect([fee.attributePath, tags.attributePath, pupil.attributePath] == ["fee", "tags", "pupil"])
        #expect(Names.fields.default.attributePath == "default")
    }

    @Test func `a query on generated fields resolves against the schema`() throws {
        let schema = Schema(Artist.self, Song.self)
        let query = Artist.where { $0.fee >= 9.99 && $0.hit == Ref("x") && $0.firstName != nil }.sorted(by: \.stars)
        #expect(query.untyped.condition?.description == "fee >= 999 && hit == \"x\" && first_name != nil")
        _ = try FetchRequest(query.untyped, in: schema)
    }

    @Test func `a key of another name is the id`() {
        #expect(Song(isrc: "A", artist: Ref(1), title: "t").id == "A")
        #expect(Ref(Song(isrc: "A", artist: Ref(1), title: "t")) == Ref<Song>("A"))
        let code = UUID()
        #expect(PackageRecord(code: code, name: "").id == code)
    }

    @Test func `a record takes the key that the store assigned`() {
        var artist = Artist(name: "n", code: "c")
        artist.take(assignedKey: 9)
        #expect(artist.id == 9)
    }
}

@Suite struct MutualRecordTests {
    @Test func `records in two files refer to each other's fields`() throws {
        #expect(Band.members.name == "band")
        #expect(Member.namesake.name == "member")
        #expect(Member.pupils.attributePath == "leader")
        #expect(Fame.entity.attributes.map(\.reference?.onDelete) == [nil, .deny, .noAction])
        #expect(Band.joined == ["everybody", "bands"])
        try Schema(Band.self, Member.self, Fame.self, Clash.Inner.self).validate()
    }
}
