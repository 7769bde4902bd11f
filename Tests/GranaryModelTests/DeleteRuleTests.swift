import Testing

@testable import GranaryModel

/// A record whose relationships give the delete rules of the test at hand.
private struct Artist: Record {
    @TaskLocal static var songs: DeleteRule?
    @TaskLocal static var hits: DeleteRule?
    @TaskLocal static var links: DeleteRule?

    var id: Int64
    static let entityName = "Artist"
    static let entity = Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)])
    static var relationships: [DeclaredRelationship] {
        [
            DeclaredRelationship(Relationship("songs", entity: "Song", attribute: "artist"), onDelete: songs),
            DeclaredRelationship(Relationship("hits", entity: "Song", attribute: "artist"), onDelete: hits),
            ManyToMany(Song.self, onDelete: .deny).declared(as: "loved"),
            DeclaredRelationship(Relationship("links", entity: "Artist_loved", attribute: "source"), onDelete: links),
        ]
    }

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }
    struct Fields: Sendable {}
    static let fields = Fields()
}

/// A record whose reference gives the delete rule of the test at hand, or none.
private struct Song: Record {
    @TaskLocal static var rule: DeleteRule?

    var id: Int64
    static let entityName = "Song"
    static var entity: Entity {
        let artist =
            rule.map { Attribute("artist", Ref<Artist>?.self, onDelete: $0) } ?? Attribute("artist", Ref<Artist>?.self)
        return Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self), artist])
    }

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }
    struct Fields: Sendable {}
    static let fields = Fields()
}

@Suite struct DeleteRuleTests {
    static let rules: [DeleteRule?] = [nil, .nullify, .cascade, .deny, .noAction]

    /// The rule that the schema has for `Song.artist`.
    private func rule() throws -> DeleteRule? {
        let schema = Schema(Artist.self, Song.self)
        try schema.validate()
        return schema.entities[1].attributes[1].reference?.onDelete
    }

    @Test(arguments: rules, rules)
    func `a rule is given by the reference or by a relationship, or is the same in both`(
        own: DeleteRule?, other: DeleteRule?
    ) throws {
        try Song.$rule.withValue(own) { () throws in
            try Artist.$songs.withValue(other) { () throws in
                guard let own, let other, own != other else {
                    #expect(try rule() == other ?? own ?? .nullify)
                    return
                }
                let error = #expect(throws: GranaryError.self) { try rule() }
                #expect(error?.code == .invalidSchema)
                #expect(error?.entity == "Song")
                #expect(error?.attributes == ["artist"])
                #expect(
                    error?.message == "Song.artist is given two delete rules: \(own) by itself, and \(other) by"
                        + " Artist.songs. Give the rule in one of the two places, or the same in both.")
            }
        }
    }

    @Test(arguments: rules, rules)
    func `two relationships by one reference give it the same rule, or one of them does`(
        first: DeleteRule?, second: DeleteRule?
    ) throws {
        try Artist.$songs.withValue(first) { () throws in
            try Artist.$hits.withValue(second) { () throws in
                guard let first, let second, first != second else {
                    #expect(try rule() == first ?? second ?? .nullify)
                    return
                }
                let error = #expect(throws: GranaryError.self) { try rule() }
                #expect(
                    error?.message == "Song.artist is given two delete rules: \(first) by Artist.songs, and \(second)"
                        + " by Artist.hits. Give the rule in one of the two places, or the same in both.")
            }
        }
    }

    @Test func `the rule of links is given by the relationship that owns them`() throws {
        try Artist.$links.withValue(.deny) { () throws in _ = try rule() }
        let error = #expect(throws: GranaryError.self) {
            try Artist.$links.withValue(.cascade) { () throws in try rule() }
        }
        #expect(error?.entity == "Artist_loved")
        #expect(error?.attributes == ["source"])
    }

    @Test func `whether a rule was given is no part of what a schema means`() throws {
        let implied = Attribute("artist", Ref<Artist>?.self)
        let given = Attribute("artist", Ref<Artist>?.self, onDelete: .nullify)
        #expect(implied == given)
        #expect(implied.hashValue == given.hashValue)
        let schema = Schema(Artist.self, Song.self)
        #expect(try Schema(json: try schema.json()) == schema)
    }
}
