import Testing

@Suite struct RelationshipExpansionTests {
    /// What the macro writes for members of a struct, without what it writes for every record.
    private func expectExpansion(
        _ record: String, fields: String, _ members: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expansion = Expansion(record)
        #expect(expansion.findings.map(\.message) == [], sourceLocation: sourceLocation)
        #expect(
            expansion.text.text(from: "Fields: Sendable {\n", to: "\n    }") == fields,
            sourceLocation: sourceLocation)
        #expect(
            expansion.text.text(from: "let fields = Fields()\n\n", to: "\n}\n\nextension") == members,
            sourceLocation: sourceLocation)
    }

    @Test func `relationships get a list for the schema, fields, and members of each record`() {
        expectExpansion(
            #"""
            @Record struct Artist {
                @Key var id: Int64
                static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
                static let lists: Granary.ManyToMany<Artist, Music.List> = .init(Music.List.self, ordered: true)
            }
            """#,
            fields: """
                        let id = Granary.Field<Artist, Int64>("id")
                        var songs: Granary.Related<Artist, Song> {
                            Granary.Related("songs")
                        }
                        var lists: Granary.Related<Artist, Music.List> {
                            Granary.Related("lists")
                        }
                """,
            """
                nonisolated static var relationships: [Granary.DeclaredRelationship] {
                    [
                        Self.songs.declared(as: "songs"),
                        Self.lists.declared(as: "lists"),
                    ]
                }

                nonisolated var songs: Granary.RelatedRecords<Artist, Song> {
                    Self.songs.records(of: self.id, as: "songs")
                }

                nonisolated var lists: Granary.RelatedRecords<Artist, Music.List> {
                    Self.lists.records(of: self.id, as: "lists")
                }
            """)
    }

    @Test func `a relationship's members are as accessible as its declaration and no more than the record`() {
        expectExpansion(
            #"""
            @Record public struct A {
                @Key public var `default`: Int
                public static let `switch` = ToMany(\B.Fields.a), next = ToMany(\Self.Fields.a)
                static let c = ManyToMany(Self.self)
                private static let d = ToMany(\N.B.Fields.a)
            }
            """#,
            fields: """
                        public let `default` = Granary.Field<A, Int>("default")
                        public var `switch`: Granary.Related<A, B> {
                            Granary.Related("switch")
                        }
                        public var next: Granary.Related<A, A> {
                            Granary.Related("next")
                        }
                        var c: Granary.Related<A, A> {
                            Granary.Related("c")
                        }
                        fileprivate var d: Granary.Related<A, N.B> {
                            Granary.Related("d")
                        }
                """,
            """
                public nonisolated var id: Key {
                    self.`default`
                }

                public nonisolated static var relationships: [Granary.DeclaredRelationship] {
                    [
                        Self.`switch`.declared(as: "switch"),
                        Self.next.declared(as: "next"),
                        Self.c.declared(as: "c"),
                        Self.d.declared(as: "d"),
                    ]
                }

                public nonisolated var `switch`: Granary.RelatedRecords<A, B> {
                    Self.`switch`.records(of: self.`default`, as: "switch")
                }

                public nonisolated var next: Granary.RelatedRecords<A, A> {
                    Self.next.records(of: self.`default`, as: "next")
                }

                nonisolated var c: Granary.RelatedRecords<A, A> {
                    Self.c.records(of: self.`default`, as: "c")
                }

                fileprivate nonisolated var d: Granary.RelatedRecords<A, N.B> {
                    Self.d.records(of: self.`default`, as: "d")
                }
            """)
    }

    @Test(arguments: [
        #"= ToMany(\Song.Fields.artist)"#, #"= Granary.ToMany(\Song.Fields.artist, orderedBy: \.year)"#,
        #"= ToMany<Artist, Song>(\.artist)"#, #"= Granary.ToMany<Artist, Song>.init(\.artist)"#,
        #": ToMany<Artist, Song> = .init(\.artist)"#, ": Granary.ManyToMany<Artist, Song> = make()",
        "= ManyToMany(Song.self)", "= ManyToMany<Song>(Song.self)", "= ManyToMany.init(Song.self)",
        #"= ManyToMany(\Song.Fields.artists)"#, #"= GranaryCore.ManyToMany(\Song.Fields.artists)"#,
    ])
    func `the related type is read from every spelling`(_ declaration: String) {
        let expansion = Expansion(
            "@Record struct Artist {\n    @Key var id: Int64\n    static let songs \(declaration)\n}")
        #expect(expansion.findings.map(\.message) == [])
        #expect(expansion.text.contains("nonisolated var songs: Granary.RelatedRecords<Artist, Song> {"))
    }

    @Test func `an index says what it overlooks`() {
        let text = Expansion(
            """
            @Record struct Artist {
                @Key var id: Int64
                @Index @Unique(.caseInsensitive) @Index([.caseInsensitive]) var name: String
                @Index(.diacriticInsensitive, .caseInsensitive) @Index(.diacriticInsensitive) var title: String
            }
            """
        ).text
        #expect(
            text.text(from: "indexes: [\n", to: "\n        ])") == """
                            .index("name"),
                            .unique("name", folding: .caseInsensitive),
                            .index("title", folding: [.caseInsensitive, .diacriticInsensitive]),
                            .index("title", folding: .diacriticInsensitive),
                """)
    }
}

extension String {
    /// What is between two texts.
    fileprivate func text(from start: String, to end: String) -> String? {
        guard let start = ranges(of: start).first else { return nil }
        let rest = self[start.upperBound...]
        return rest.ranges(of: end).first.map { String(rest[..<$0.lowerBound]) }
    }
}
