import Testing

@Suite struct RecordExpansionTests {
    func expectExpansion(_ source: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let expansion = Expansion(source)
        #expect(expansion.findings.map(\.message) == [], sourceLocation: sourceLocation)
        #expect(expansion.text == text, sourceLocation: sourceLocation)
    }

    @Test func `the size of external values goes into the attribute`() {
        let expansion = Expansion(
            """
            @Record struct Album {
                @Key var id: Int64
                @Attribute(.external) var cover: Data?
                @Attribute(.external(from: 4096)) var preview: Data?
            }
            """)
        #expect(expansion.findings.map(\.message) == [])
        #expect(expansion.text.contains(#"Granary.Attribute("cover", Data?.self).external(),"#))
        #expect(expansion.text.contains(#"Granary.Attribute("preview", Data?.self).external(from: 4096)"#))
    }

    @Test func `earlier names go into the entity and its attributes`() {
        let expansion = Expansion(
            """
            @Record("Album", renamedFrom: "Disc", "Record", indexes: [["title"]])
            struct Album {
                @Key var id: Int64
                @Attribute(.agreeing, name: "t", renamedFrom: "name", "label") var title: String
            }
            """)
        #expect(expansion.findings.map(\.message) == [])
        #expect(expansion.text.contains(#"static let entityName = "Album""#))
        #expect(expansion.text.contains(#"]).renamed(from: "Disc", "Record")"#))
        #expect(
            expansion.text.contains(
                #"Granary.Attribute("t", String.self).agreeing().renamed(from: "name", "label"),"#))
        let wrong = Expansion(
            """
            @Record(renamedFrom: "a b") struct Album {
                @Key var id: Int64
            }
            """)
        #expect(
            wrong.findings.map(\.message) == [
                "error: the earlier name \"a b\" is not a letter (a-z, A-Z) or _ followed by letters, digits and _"
            ])
    }

    @Test func `a record gets an entity, fields, and reading and writing by position`() {
        expectExpansion(
            """
            @Record(indexes: [["name", "rating"], ["name"]], unique: [["code"], ["name", "rating"]])
            struct Artist {
                @Key(.assigned) var id: Int64 = 0
                @Index var name: String
                @Unique @Index var code: String
                var rating: Double?
                var mood: Mood = .calm
                @Attribute(.json) var settings: Settings
                var genre: Ref<Genre>?
                @Reference(onDelete: .cascade) var label: Ref<Label>
                @Transient var cache = 0
            }
            """,
            """

            struct Artist {
                var id: Int64 = 0
                var name: String
                var code: String
                var rating: Double?
                var mood: Mood = .calm
                var settings: Settings
                var genre: Ref<Genre>?
                var label: Ref<Label>
                var cache = 0

                typealias Key = Int64

                nonisolated static let entityName = "Artist"

                nonisolated static let entity = Granary.Entity(
                    Self.entityName, key: "id", keyGeneration: .assigned,
                    attributes: [
                        Granary.Attribute("id", Int64.self),
                        Granary.Attribute("name", String.self),
                        Granary.Attribute("code", String.self),
                        Granary.Attribute("rating", Double?.self),
                        Granary.Attribute("mood", Mood.self, default: Mood.calm),
                        Granary.Attribute("settings", Granary.JSON<Settings>.self),
                        Granary.Attribute("genre", Ref<Genre>?.self),
                        Granary.Attribute("label", Ref<Label>.self, onDelete: .cascade),
                    ],
                    indexes: [
                        .index("name"),
                        .unique("code"),
                        .unique("name", "rating"),
                    ])

                nonisolated struct Fields: Sendable {
                    let id = Granary.Field<Artist, Int64>("id")
                    let name = Granary.Field<Artist, String>("name")
                    let code = Granary.Field<Artist, String>("code")
                    let rating = Granary.Field<Artist, Double?>("rating")
                    let mood = Granary.Field<Artist, Mood>("mood")
                    let settings = Granary.Field<Artist, Granary.JSON<Settings>>("settings")
                    let genre = Granary.Field<Artist, Ref<Genre>?>("genre")
                    let label = Granary.Field<Artist, Ref<Label>>("label")
                }

                nonisolated static let fields = Fields()

                nonisolated mutating func take(assignedKey: Key) {
                    self.id = assignedKey
                }
            }

            extension Artist: nonisolated Granary.Record {
                nonisolated init(row: borrowing Granary.Row) throws {
                    try self.init(
                        id: row.decode(at: 0),
                        name: row.decode(at: 1),
                        code: row.decode(at: 2),
                        rating: row.decode(at: 3),
                        mood: row.decode(at: 4),
                        settings: (row.decode(at: 5) as Granary.JSON).value,
                        genre: row.decode(at: 6),
                        label: row.decode(at: 7))
                }

                nonisolated func encode(into row: inout Granary.RowWriter) throws {
                    try row.encode(self.id, at: 0)
                    try row.encode(self.name, at: 1)
                    try row.encode(self.code, at: 2)
                    try row.encode(self.rating, at: 3)
                    try row.encode(self.mood, at: 4)
                    try row.encode(Granary.JSON(self.settings), at: 5)
                    try row.encode(self.genre, at: 6)
                    try row.encode(self.label, at: 7)
                }

                nonisolated static var keepsValues: Bool {
                    true
                }
            }
            """)
    }

    @Test func `a public record's members are public, a field as its property`() {
        expectExpansion(
            """
            @Record("Number") public struct A {
                @Key public let code: String
                @Attribute(name: "n") var number: Int8 = -5
                var first = 1, `default`: Bool?
                @Attribute(.scaled(2), .agreeing) private var price: Decimal? = 1.5
                @Attribute(.json) public var list: [Self.Item]? = []
            }
            """,
            """
            public struct A {
                public let code: String
                var number: Int8 = -5
                var first = 1, `default`: Bool?
                private var price: Decimal? = 1.5
                public var list: [Self.Item]? = []

                public typealias Key = String

                public nonisolated static let entityName = "Number"

                public nonisolated static let entity = Granary.Entity(
                    Self.entityName, key: "code",
                    attributes: [
                        Granary.Attribute("code", String.self),
                        Granary.Attribute("n", Int8.self, default: -5),
                        Granary.Attribute("first", Int.self, default: 1),
                        Granary.Attribute("default", Bool?.self),
                        Granary.Attribute("price", Granary.ScaledDecimal<2>?.self, default: 1.5).agreeing(),
                        Granary.Attribute("list", Granary.JSON<[A.Item]>?.self, default: Granary.JSON([])),
                    ])

                public nonisolated struct Fields: Sendable {
                    public let code = Granary.Field<A, String>("code")
                    let number = Granary.Field<A, Int8>("n")
                    let first = Granary.Field<A, Int>("first")
                    let `default` = Granary.Field<A, Bool?>("default")
                    fileprivate let price = Granary.Field<A, Granary.ScaledDecimal<2>?>("price")
                    public let list = Granary.Field<A, Granary.JSON<[A.Item]>?>("list")
                }

                public nonisolated static let fields = Fields()

                public nonisolated var id: Key {
                    self.code
                }
            }

            extension A: nonisolated Granary.Record {
                public nonisolated init(row: borrowing Granary.Row) throws {
                    try self.init(
                        code: row.decode(at: 0),
                        number: row.decode(at: 1),
                        first: row.decode(at: 2),
                        default: row.decode(at: 3),
                        price: (row.decode(at: 4) as Granary.ScaledDecimal<2>?)?.value,
                        list: (row.decode(at: 5) as Granary.JSON?)?.value)
                }

                public nonisolated func encode(into row: inout Granary.RowWriter) throws {
                    try row.encode(self.code, at: 0)
                    try row.encode(self.number, at: 1)
                    try row.encode(self.first, at: 2)
                    try row.encode(self.`default`, at: 3)
                    try row.encode(self.price.map(Granary.ScaledDecimal<2>.init), at: 4)
                    try row.encode(self.list.map(Granary.JSON.init), at: 5)
                }

                public nonisolated static var keepsValues: Bool {
                    true
                }
            }
            """)
    }

    @Test func `a struct with an initializer of its own is set attribute by attribute`() {
        let expected = """

            extension A: nonisolated Granary.Record {
                nonisolated init(row: borrowing Granary.Row) throws {
                    self.id = try row.decode(at: 0)
                    self.list = try (row.decode(at: 1) as Granary.JSON).value
                }
            """
        let initializer = "init(id: Int64) { (self.id, list) = (id, []) }"
        for (attribute, body) in [
            ("", initializer), ("", "#if DEBUG\n\(initializer)\n#endif"), ("@MemberwiseInit", ""),
            ("@available(*, deprecated)", "#writeInitializer"),
        ] {
            let written = Expansion(
                "\(attribute) @Record struct A { @Key var id: Int64; @Attribute(.json) var list: [Int]; \(body) }")
            #expect(written.text.contains(expected), "\(attribute)\(body)")
        }
        let plain = Expansion(
            "@available(*, deprecated) @Record @Index(\"id\", \"list\") struct A { @Key var id: Int64; var list: String }"
        )
        #expect(plain.text.contains("try self.init("))
    }
}
