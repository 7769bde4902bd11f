import Foundation
import Testing

@testable import GranaryModel

struct SchemaTests {
    private func thing(_ attributes: [Attribute], key: String = "id", indexes: [Index] = []) -> Entity {
        Entity("Thing", key: key, attributes: [Attribute("id", Int64.self)] + attributes, indexes: indexes)
    }

    @Test func `a schema comes back from its JSON`() throws {
        let schema = Schema(entities: [
            thing(
                [
                    Attribute("name", String.self, default: "x"),
                    Attribute("ratio", Double?.self, default: .some(.infinity)),
                    Attribute("money", .scaledDecimal(places: 2)),
                    Attribute("next", .int64, isOptional: true, reference: .init(entity: "Thing", onDelete: .cascade)),
                ], indexes: [.unique("name"), .index("name", "money")])
        ])
        #expect(try Schema(json: try schema.json()) == schema)
    }

    @Test(arguments: [
        (#""entities":"#, #""format":3,"entities":"#), (#""type":"decimal(2)""#, #""type":"money""#),
    ])
    func `a schema of a newer version is refused as such`(_ old: String, _ new: String) throws {
        let schema = Schema(entities: [thing([Attribute("money", .scaledDecimal(places: 2))])])
        let json = String(decoding: try schema.json(), as: UTF8.self)
        #expect(json.contains(old), "\(json)")
        let error = #expect(throws: GranaryError.self) { try Schema(json: Array(json.replacing(old, with: new).utf8)) }
        #expect(error?.code == .newerFormat)
    }

    @Test func `a scaled decimal has 0 to 18 places`() throws {
        for places in [0, 18] {
            try Schema(entities: [thing([Attribute("money", .scaledDecimal(places: places))])]).validate()
        }
        for places in [-1, 19] {
            let schema = Schema(entities: [thing([Attribute("money", .scaledDecimal(places: places))])])
            let error = #expect(throws: GranaryError.self) { try schema.validate() }
            #expect(error?.code == .invalidSchema && error?.attributes == ["money"])
        }
    }

    @Test func `a schema whose attribute says that it was added after more attributes than there are is refused`()
        throws
    {
        let old = Schema(entities: [thing([Attribute("a", Int.self)])])
        let schema = Schema(entities: [thing([Attribute("a", Int.self), Attribute("b", Int?.self)])])
            .adoptingIDs(from: old)
        let json = String(decoding: try schema.json(), as: UTF8.self)
        #expect(try Schema(json: Array(json.utf8)) == schema)
        #expect(json.contains(#""count":2"#))
        for count in ["0", "-1", "4", "400"] {
            let crafted = json.replacing(#""count":2"#, with: #""count":\#(count)"#)
            let error = #expect(throws: GranaryError.self) { try Schema(json: Array(crafted.utf8)) }
            #expect(error?.code == .corrupt, "\(count)")
        }
    }

    @Test(arguments: ["Thing", "word"]) func `a stored name or default that is not UTF-8 is refused, and not repaired`(
        _ text: String
    ) throws {
        let name = Attribute("a", String.self, default: "word")
        var json = try Schema(entities: [thing([name])]).json()
        let place = try #require(json.firstRange(of: Array(text.utf8)))
        json[place.lowerBound + 1] = 0xFF
        let error = #expect(throws: GranaryError.self) { try Schema(json: json) }
        #expect(error?.code == .corrupt)
    }

    @Test func `a schema's JSON may say what was renamed, and a store does not keep it`() throws {
        let json = """
            {"entities":[{"name":"Band","id":0,"key":"id","keyGeneration":"explicit","indexes":[],"renamedFrom":["Group"],
            "relationships":[{"name":"songs","entity":"Song","attribute":"band","renamedFrom":["tunes"]}],
            "attributes":[{"name":"id","id":0,"type":"int64","isOptional":false}]},
            {"name":"Song","id":0,"key":"id","keyGeneration":"explicit","indexes":[],
            "attributes":[{"name":"id","id":0,"type":"int64","isOptional":false},
            {"name":"band","id":0,"type":"int64","isOptional":true,"renamedFrom":["group","artist"],
            "reference":{"entity":"Band","onDelete":"nullify"}}]}]}
            """
        let schema = try Schema(json: Array(json.utf8))
        try schema.validate()
        #expect(schema.entities[0].renamedFrom == ["Group"])
        #expect(schema.entities[0].relationships[0].renamedFrom == ["tunes"])
        #expect(schema.entities[1].attributes[1].renamedFrom == ["group", "artist"])
        let coded = try JSONDecoder().decode(Schema.self, from: try JSONEncoder().encode(schema))
        #expect(coded.entities[0].relationships[0].renamedFrom == ["tunes"])
        #expect(coded.entities[1].attributes[1].renamedFrom == ["group", "artist"])
        #expect(!String(decoding: try schema.json(), as: UTF8.self).contains("renamedFrom"))
    }

    @Test func `the fingerprint follows the meaning, not the order`() {
        let a = Attribute("a", Int.self)
        let b = Attribute("b", String?.self)
        let one = Schema(entities: [
            thing([a, b]), Entity("Other", key: "id", attributes: [Attribute("id", String.self)]),
        ])
        let two = Schema(entities: [
            Entity("Other", key: "id", attributes: [Attribute("id", String.self)]), thing([b, a]),
        ])
        #expect(one.fingerprint == two.fingerprint)
        #expect(SchemaDifference(from: two, to: one).isEmpty)
        #expect(one.fingerprint.count == 32)
        let three = Schema(entities: [thing([a, Attribute("b", String.self)]), one.entities[1]])
        #expect(one.fingerprint != three.fingerprint)
        #expect(SchemaDifference(from: one, to: three).description == "Thing.b becomes required (rewriting)")
    }

    @Test func `a schema prints one line an attribute`() {
        let schema = Schema(entities: [
            thing(
                [
                    Attribute("name", String.self),
                    Attribute(
                        "parent", .int64, isOptional: true, reference: .init(entity: "Thing", onDelete: .nullify)),
                ],
                indexes: [.unique("name")])
        ])
        #expect(
            schema.description == """
                entity Thing
                    id: int64 key
                    name: string
                    parent: int64? -> Thing, on delete nullify
                    unique (name)
                    index (parent)
                """)
    }

    @Test func `numbers stay with names when a stored schema gives them`() {
        let stored = Schema(entities: [thing([Attribute("a", Int.self), Attribute("b", Int.self)])])
        let reordered = Schema(entities: [thing([Attribute("b", Int.self), Attribute("a", Int.self)])])
        #expect(reordered.adoptingIDs(from: stored).entities[0].attributes.map(\.id) == [1, 3, 2])
    }

    @Test(arguments: [
        "", "1a", "a-b", "naïve", "sqlite_x", "rowid", "OID", String(repeating: "x", count: 64), "a b", "a\0",
    ])
    func `a name that breaks the rules is refused`(_ name: String) {
        let error = #expect(throws: GranaryError.self) {
            try Schema(entities: [thing([Attribute(name, Int.self)])]).validate()
        }
        #expect(error?.code == .invalidSchema)
    }

    @Test func `what is wrong with a schema is named`() {
        let wrong: [(Entity, String)] = [
            (thing([], key: "nope"), "@Key"),
            (Entity("T", key: "id", attributes: [Attribute("id", Double.self)]), "A key is"),
            (Entity("T", key: "id", attributes: [Attribute("id", Int64?.self)]), "optional"),
            (Entity("T", key: "id", keyGeneration: .assigned, attributes: [Attribute("id", String.self)]), "assigned"),
            (thing([Attribute("A", Int.self), Attribute("a", Int.self)]), "but for case"),
            (thing([], indexes: [.index("zzz")]), "zzz"),
            (thing([Attribute("o", .int64, reference: .init(entity: "Other", onDelete: .deny))]), "Other"),
            (thing([Attribute("o", .int64, reference: .init(entity: "Thing", onDelete: .nullify))]), "required"),
        ]
        for (entity, word) in wrong {
            let error = #expect(throws: GranaryError.self) { try Schema(entities: [entity]).validate() }
            #expect(error?.description.contains(word) == true, "\(error?.description ?? "none")")
        }
    }
}
