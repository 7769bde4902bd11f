import GranaryStoreKit
import Testing

@testable import GranaryModel

struct RelatedPathTests {
    private let schema = Schema(entities: [
        Entity(
            "Artist", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
            relationships: [Relationship("songs", entity: "Song", attribute: "artist")]),
        Entity(
            "Song", key: "id",
            attributes: [
                Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int.self),
                Attribute(
                    "artist", .int64, isOptional: true, reference: .init(entity: "Artist", onDelete: .nullify)),
                Attribute("album", .int64, isOptional: true, reference: .init(entity: "Album", onDelete: .nullify)),
            ], relationships: [Relationship("plays2", entity: "Play", attribute: "song")]),
        Entity(
            "Album", key: "id", attributes: [Attribute("id", Int64.self), Attribute("title", String.self)],
            relationships: [Relationship("songs", entity: "Song", attribute: "album")]),
        Entity(
            "Play", key: "id",
            attributes: [
                Attribute("id", Int64.self),
                Attribute("song", .int64, isOptional: false, reference: .init(entity: "Song", onDelete: .cascade)),
            ]),
    ])

    private func resolved(_ text: String, _ entity: Int = 0) throws -> ResolvedCondition {
        let condition = try AnyCondition(parsing: text)
        return try QueryResolver(schema: schema).condition(condition.root, of: entity)
    }

    @Test func `a path that goes on after the relationship is asked of the related record`() throws {
        #expect(
            try resolved("ANY songs.album.title == 'x'") == resolved("ANY songs (album.title == 'x')"))
        #expect(
            try resolved("ALL songs.album.title CONTAINS 'x'") == resolved("ALL songs (album.title CONTAINS 'x')"))
        #expect(
            try resolved("NONE songs.album (title == 'x' OR length(title) > 3)")
                == resolved("NONE songs (album.title == 'x' OR length(album.title) > 3)"))
    }

    @Test func `a path through to-one relationships leads to the relationship`() throws {
        #expect(
            try resolved("ANY artist.songs.plays > 3", 1)
                == .toOne(
                    position: 3, entity: 0,
                    .toMany(entity: 1, position: 3, .compare(position: 2, .greater, .integer(3)), isNegated: false),
                    isNegated: false))
    }

    @Test func `a path through two to-many relationships asks for one at the end of both`() throws {
        #expect(try resolved("ANY songs.plays2.id == 1") == resolved("ANY songs (ANY plays2 (id == 1))"))
        #expect(
            try resolved("NONE songs.album.songs.plays > 3")
                == resolved("NONE songs (ANY album.songs (plays > 3))"))
    }

    @Test func `whether a count is zero is asked as existence`() throws {
        #expect(
            try resolved("songs.@count == 0")
                == .toMany(entity: 1, position: 3, .always(true), isNegated: true))
        #expect(
            try resolved("SUBQUERY(songs, $s, $s.plays > 3).@count > 0")
                == .toMany(entity: 1, position: 3, .compare(position: 2, .greater, .integer(3)), isNegated: false))
    }

    @Test func `a literal takes the type of the attribute`() throws {
        #expect(try resolved("plays == 3", 1) == .compare(position: 2, .equal, .integer(3)))
        #expect(try resolved("plays > 2.5", 1) == .compare(position: 2, .greaterOrEqual, .integer(3)))
        #expect(throws: GranaryError.self) { try resolved("plays == 'x'", 1) }
    }

    @Test func `a name that is no relationship is refused`() throws {
        let error = #expect(throws: GranaryError.self) { try resolved("ANY tracks.plays > 3") }
        #expect(error?.code == .unknownAttribute)
        #expect(error?.message == "Artist has no to-many relationship \"tracks\". It has: songs.")
    }

    @Test func `a path without end is refused, not followed`() throws {
        let path = Array(repeating: "artist.songs", count: 30_000).joined(separator: ".")
        let error = #expect(throws: GranaryError.self) { try resolved("ANY \(path).plays > 3", 1) }
        #expect(error?.code == .invalidQuery)
        #expect(error?.message == "A path goes through more than 20 relationships. Ask in several queries.")
    }
}
