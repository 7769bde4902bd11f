import Foundation
import Testing

@testable import GranaryModel

struct SchemaDifferenceTests {
    private static let disc = Entity(
        "Disc", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        indexes: [.index("name")])
    private static let track = Entity(
        "Track", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int32.self, default: 0),
            Attribute("disc", .int64, isOptional: true, reference: .init(entity: "Disc", onDelete: .nullify)),
        ])

    private func text(_ change: (inout [Entity]) -> Void) -> String {
        let stored = [SchemaDifferenceTests.disc, SchemaDifferenceTests.track]
        var entities = stored
        change(&entities)
        return SchemaDifference(from: Schema(entities: stored), to: Schema(entities: entities)).description
    }

    @Test func `each change is told with its cost`() {
        #expect(text { _ in } == "")
        #expect(text { $0.reverse() } == "")
        #expect(text { $0.removeLast() } == "Track is removed (lossy)")
        #expect(
            text { $0[0].attributes.append(Attribute("year", Int?.self)) } == "Disc.year: int64? is added (instant)")
        #expect(
            text { $0[0].attributes.append(Attribute("year", Int.self)) } == "Disc.year: int64 is added (rewriting)")
        #expect(text { $0[1].attributes[2].type = .int64 } == "Track.plays changes from int32 to int64 (rewriting)")
        #expect(text { $0[1].attributes[2].type = .int8 } == "Track.plays changes from int32 to int8 (lossy)")
        #expect(text { $0[1].attributes[2].isOptional = true } == "Track.plays becomes optional (instant)")
        #expect(
            text { $0[1].attributes[2].defaultValue = .integer(5) }
                == "the default of Track.plays changes from 0 to 5 (instant)")
        #expect(
            text { $0[1].attributes[3].reference?.onDelete = .cascade }
                == "the delete rule of Track.disc changes from nullify to cascade (instant)")
        #expect(
            text { $0[1].attributes[3].reference = nil }.contains(
                "Track.disc is no longer a reference to Disc (instant)"))
        #expect(
            text { $0[1].version = "plays" } == "Track: the version attribute changes from none to plays (instant)")
        #expect(text { $0[0].indexes = [.unique("name")] } == "Disc: the index (name) becomes unique (instant)")
        #expect(
            text { $0[0].indexes = [.index("name", folding: .caseInsensitive)] }
                == "Disc: the index (name) becomes the index[c] (name) (instant)")
        #expect(text { $0[0].indexes = [] } == "Disc: the index (name) is removed (instant)")
        #expect(text { $0[0].key = "name" }.hasPrefix("Disc: the key changes from id to name (rewriting)"))
    }

    @Test func `a to-many relationship is told where only its declaration changes`() {
        func change(_ old: [Relationship], _ new: [Relationship], _ more: (inout [Entity]) -> Void = { _ in }) -> String
        {
            var stored = [SchemaDifferenceTests.disc, SchemaDifferenceTests.track]
            var entities = stored
            (stored[0].relationships, entities[0].relationships) = (old, new)
            more(&entities)
            return SchemaDifference(from: Schema(entities: stored), to: Schema(entities: entities)).description
        }
        let tracks = Relationship("tracks", entity: "Track", attribute: "disc")
        var ordered = tracks
        ordered.orderedBy = "plays"
        #expect(change([tracks], [tracks]) == "")
        #expect(change([], [tracks]) == "the to-many relationship Disc.tracks is added (instant)")
        #expect(change([tracks], []) == "the to-many relationship Disc.tracks is removed (instant)")
        #expect(
            change([tracks], [Relationship("songs", entity: "Track", attribute: "disc")])
                == "Disc.songs is the new name of the to-many relationship tracks (instant)")
        #expect(
            change([tracks], [ordered])
                == "the to-many relationship Disc.tracks changes from Track.disc to Track.disc, ordered by plays (instant)"
        )
        // What comes or goes with its reference is told with that.
        #expect(
            change([tracks], []) { $0[1].attributes.removeLast() }
                == "Track.disc: int64? -> Disc, on delete nullify is removed (lossy)\nTrack: the index (disc) is removed (instant)"
        )
        let renamed = change([tracks], [Relationship("tracks", entity: "Track", attribute: "album")]) { entities in
            entities[1].attributes[3].name = "album"
            entities[1].attributes[3] = entities[1].attributes[3].renamed(from: "disc")
        }
        #expect(renamed == "Track.album is the new name of disc (instant)")
    }

    @Test func `the declarations of relationships are taken over without any other change`() throws {
        let stored = Schema(entities: [SchemaDifferenceTests.disc, SchemaDifferenceTests.track])
        var entities = [SchemaDifferenceTests.track, SchemaDifferenceTests.disc]
        entities[1].relationships = [Relationship("tracks", entity: "Track", attribute: "disc")]
        let program = Schema(entities: entities)
        #expect(stored.fingerprint == program.fingerprint)
        let difference = SchemaDifference(from: stored, to: program)
        #expect(!difference.isEmpty && !difference.changesStorage)
        let taken = try #require(stored.declaringRelationships(of: program))
        #expect(taken.entities.map(\.name) == ["Disc", "Track"])
        #expect(taken.entities[0].relationships == entities[1].relationships)
        #expect(taken.declaringRelationships(of: program) == nil)
        #expect(SchemaDifference(from: taken, to: program).isEmpty)
    }

    @Test func `a rename is one change, and what follows from it is none`() {
        let difference = text { entities in
            entities[0] = entities[0].renamed(from: "Disc")
            entities[0].name = "Album"
            entities[0].attributes[1] = Attribute("title", String.self).renamed(from: "label", "name")
            entities[0].indexes = [.index("title")]
            entities[1].attributes[3].reference?.entity = "Album"
        }
        #expect(
            difference == "Album is the new name of Disc (instant)\nAlbum.title is the new name of name (instant)")
    }

    @Test func `numbers stay with what is renamed, and new ones are never used again`() {
        let stored = Schema(entities: [SchemaDifferenceTests.disc])
        var disc = SchemaDifferenceTests.disc.renamed(from: "Disc")
        disc.name = "Album"
        disc.attributes = [
            Attribute("year", Int?.self), disc.attributes[0], Attribute("title", String.self).renamed(from: "name"),
        ]
        disc.indexes = []
        let adopted = Schema(entities: [SchemaDifferenceTests.track, disc]).adoptingIDs(from: stored)
        #expect(adopted.entities.map(\.id) == [2, 1])
        #expect(adopted.entities[1].attributes.map(\.id) == [3, 1, 2])
        #expect(adopted.entities[1].attributes[0].addition == Attribute.Addition(count: 2, value: .null))
    }

    @Test func `a difference comes back from its JSON`() throws {
        let stored = Schema(entities: [SchemaDifferenceTests.disc])
        let difference = SchemaDifference(from: stored, to: Schema(entities: [SchemaDifferenceTests.track]))
        let json = try JSONEncoder().encode(difference)
        #expect(try JSONDecoder().decode(SchemaDifference.self, from: json) == difference)
        #expect(difference.cost == .lossy)
    }
}
