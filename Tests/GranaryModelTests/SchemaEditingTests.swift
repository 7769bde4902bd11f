import Testing

@testable import GranaryModel

/// Schemas that are made from stored ones by renaming and removing.
@Suite struct SchemaEditingTests {
    private static let stored = Schema(entities: [
        Entity(
            "Artist", key: "id",
            attributes: [Attribute("id", .int64), Attribute("name", .string), Attribute("rating", .double)],
            indexes: [.unique("name"), .index("rating", "name")],
            relationships: [
                Relationship("songs", entity: "Song", attribute: "artist", orderedBy: "place")
            ]),
        Entity(
            "Song", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("place", .int64),
                Attribute("artist", .int64, reference: .init(entity: "Artist", onDelete: .cascade)),
            ]),
    ])

    private func renaming(_ old: String, _ new: String) throws -> SchemaRenaming {
        SchemaRenaming(from: try #require(SchemaPath(old)), to: try #require(SchemaPath(new)))
    }

    @Test func `a new name is followed by keys, indexes, references and relationships`() throws {
        let renamings = [
            try renaming("Artist", "Musician"), try renaming("Musician.name", "Artist.title"),
            try renaming("Song.artist", "Song.musician"), try renaming("Song.id", "Song.number"),
            try renaming("Song.place", "Song.position"),
        ]
        let edited = try Self.stored.editing(renamings, removing: [])
        let (artist, song) = (edited.entities[0], edited.entities[1])
        #expect(artist.name == "Musician" && artist.renamedFrom == ["Artist"])
        #expect(artist.attributes[1].name == "title" && artist.attributes[1].renamedFrom == ["name"])
        #expect(artist.indexes.map(\.attributes) == [["title"], ["rating", "title"]])
        #expect(
            artist.relationships == [
                Relationship("songs", entity: "Song", attribute: "musician", orderedBy: "position")
            ])
        #expect(song.key == "number" && song.attributes[2].reference?.entity == "Musician")
        let difference = SchemaDifference(from: Self.stored, to: edited)
        #expect(difference.cost == .instant, "\(difference)")
    }

    @Test func `what is removed goes with its indexes and relationships`() throws {
        let paths = try ["Artist.name", "Song.place"].map { try #require(SchemaPath($0)) }
        let edited = try Self.stored.editing([], removing: paths)
        #expect(edited.entities[0].attributes.map(\.name) == ["id", "rating"])
        #expect(edited.entities[0].indexes.isEmpty)
        #expect(edited.entities[0].relationships.map(\.orderedBy) == [nil])
        let both = try ["Artist", "Song"].map { try #require(SchemaPath($0)) }
        let alone = try Self.stored.editing([], removing: [both[1]])
        #expect(alone.entities.map(\.name) == ["Artist"] && alone.entities[0].relationships.isEmpty)
        let error = #expect(throws: GranaryError.self) { try Self.stored.editing([], removing: [both[0]]) }
        #expect(error?.code == .invalidSchema && error?.message.contains("Drop Song.artist, too") == true)
    }

    @Test(arguments: [("Artist", "Song"), ("Artist.name", "Artist.rating"), ("Artist.name", "Song.name")])
    func `names that contradict each other are refused`(_ old: String, _ new: String) throws {
        let renaming = try renaming(old, new)
        let error = #expect(throws: GranaryError.self) { try Self.stored.editing([renaming], removing: []) }
        #expect(error?.code == .invalidSchema, "\(error?.message ?? "")")
    }

    @Test func `a program's schema takes earlier names`() throws {
        let program = try Self.stored.editing([try renaming("Artist.name", "Artist.title")], removing: [])
        let plain = Schema(entities: program.entities.map { $0.renamed(fromAll: []) })
        let renamed = try plain.renaming([try renaming("Artist.name", "Artist.title")])
        #expect(renamed.entities[0].attributes[1].renamedFrom.first == "name")
        #expect(throws: GranaryError.self) { try plain.renaming([try renaming("Artist.name", "Artist.nothing")]) }
    }

    @Test(arguments: ["", ".", "Song.", ".rating", "Song.rating.more"])
    func `text that is not a path is refused`(_ text: String) { #expect(SchemaPath(text) == nil) }
}
