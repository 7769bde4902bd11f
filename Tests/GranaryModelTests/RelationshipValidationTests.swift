import Testing

@testable import GranaryModel

@Suite struct RelationshipValidationTests {
    private func entity(
        _ name: String, _ attributes: [Attribute] = [], relationships: [Relationship] = []
    ) -> Entity {
        Entity(name, key: "id", attributes: [Attribute("id", .int64)] + attributes, relationships: relationships)
    }

    private func reference(_ name: String, to entity: String) -> Attribute {
        Attribute(name, .int64, reference: .init(entity: entity, onDelete: .cascade))
    }

    private func message(_ entities: Entity..., sourceLocation: SourceLocation = #_sourceLocation) -> String? {
        let error = #expect(throws: GranaryError.self, sourceLocation: sourceLocation) {
            try Schema(entities: entities).validate()
        }
        #expect(error?.code == .invalidSchema, sourceLocation: sourceLocation)
        return error?.message
    }

    /// The entity `Artist` with one relationship, and `Song` with a reference to it.
    private func message(
        _ relationship: Relationship, sourceLocation: SourceLocation = #_sourceLocation
    ) -> String? {
        message(
            entity("Artist", [Attribute("name", String.self)], relationships: [relationship]),
            entity("Song", [reference("artist", to: "Artist"), reference("next", to: "Song")]),
            sourceLocation: sourceLocation)
    }

    @Test func `a relationship's name is its own and follows the rules of names`() {
        #expect(
            message(Relationship("Name", entity: "Song", attribute: "artist"))
                == "Artist.Name is a relationship, and an attribute has that name. Rename one of them.")
        #expect(
            message(Relationship("a-b", entity: "Song", attribute: "artist"))
                == "The relationship name \"a-b\" is not a letter or _ followed by letters, digits and _, 63 at most.")
        let songs = ["songs", "Songs"].map { Relationship($0, entity: "Song", attribute: "artist") }
        #expect(
            message(entity("Artist", relationships: songs), entity("Song", [reference("artist", to: "Artist")]))
                == "Artist.Songs is declared twice but for case. Rename one of the relationships.")
    }

    @Test func `a relationship leads to a reference to its owner`() {
        #expect(
            message(Relationship("songs", entity: "Sing", attribute: "artist"))
                == "Artist.songs is a relationship to Sing, which the schema lacks. Add it to Schema(...).")
        #expect(
            message(Relationship("songs", entity: "Song", attribute: "singer"))
                == "Artist.songs is found by Song.singer, which does not exist.")
        #expect(
            message(Relationship("songs", entity: "Song", attribute: "next"))
                == "Artist.songs is found by Song.next, which refers to Song, not to Artist."
                + " Name a reference to Artist.")
        #expect(
            message(Relationship("songs", entity: "Song", attribute: "id"))
                == "Artist.songs is found by Song.id, which refers to no entity, not to Artist."
                + " Name a reference to Artist.")
        #expect(
            message(Relationship("songs", entity: "Song", attribute: "artist", orderedBy: "year"))
                == "Artist.songs is ordered by Song.year, which does not exist.")
        #expect(
            message(Relationship("songs", entity: "Song", attribute: "artist", through: "id"))
                == "Artist.songs goes through Song.id, which is no reference.")
        #expect(
            message(Relationship("songs", entity: "Song", attribute: "artist", through: "artist"))
                == "Artist.songs goes through Song.artist both ways.")
    }

    @Test func `an entity of one's own can hold links`() throws {
        let members = Relationship("members", entity: "Membership", attribute: "band", through: "person")
        try Schema(entities: [
            entity("Band", relationships: [members]), entity("Person"),
            entity("Membership", [reference("band", to: "Band"), reference("person", to: "Person")]),
        ]).validate()
    }

    private func links(_ owner: String, _ name: String) -> Relationship {
        Relationship(name, entity: "\(owner)_\(name)", attribute: "source", through: "target")
    }

    private func link(_ owner: String, _ name: String) -> Entity {
        entity("\(owner)_\(name)", [reference("source", to: owner), reference("target", to: owner)])
    }

    @Test func `a link entity's name is no longer than others`() throws {
        let long = String(repeating: "x", count: 58)
        #expect(
            message(entity("Artist", relationships: [links("Artist", long)]), link("Artist", long))
                == "The links of Artist.\(long) are an entity \"Artist_\(long)\", whose name is 65 bytes long;"
                + " the limit is 63. Shorten the relationship's name or the entity's.")
        let fitting = String(repeating: "x", count: 56)
        try Schema(entities: [
            entity("Artist", relationships: [links("Artist", fitting)]), link("Artist", fitting),
        ]).validate()
    }

    @Test func `a link entity's name is no other entity's`() {
        #expect(
            message(entity("A_B"), entity("A", relationships: [links("A", "b")]), link("A", "b"))
                == "Two entities are named A_b: one holds the links of A.b. Rename that relationship, or"
                + " the other entity.")
        #expect(
            message(
                entity("A", relationships: [links("A", "b_c")]), entity("A_b", relationships: [links("A_b", "c")]),
                link("A", "b_c"), link("A_b", "c"))
                == "The links of A.b_c and of A_b.c would be one entity, A_b_c. Rename one of the relationships.")
    }

    @Test func `an index that overlooks case is of a text`() throws {
        let attributes = [Attribute("id", .int64), Attribute("name", String.self)]
        #expect(
            message(Entity("A", key: "id", attributes: attributes, indexes: [.index("id", folding: .caseInsensitive)]))
                == "An index without regard to case or diacritics is for texts.")
        let mixed = Index.index("id", "name", folding: .caseInsensitive)
        try Schema(entities: [Entity("A", key: "id", attributes: attributes, indexes: [mixed])]).validate()
    }
}
