import ConformanceKit
import GranaryCore

/// Schemas that break a rule, and some that just do not. A schema is checked by itself and by whoever opens a store.
var schemaLimitsCases: [ConformanceCase] {
    [
        schemas("names", "entity and attribute names are a letter or _, then letters, digits and _, at most 63") {
            let long = String(repeating: "n", count: 63)
            var schemas: [Judged] = []
            for name in ["", "1a", "a b", "a-b", "a.b", "\u{E9}", "a\0", "a\u{301}", "\"a\"", "$a", long + "n"] {
                schemas.append(Judged(name.isEmpty ? "" : name, [entity(name)], refused: name))
                schemas.append(
                    Judged("attribute \(name)", [entity("E", extra: [Attribute(name, Int.self)])], refused: "E"))
            }
            for name in ["a", "_", "_1", "A_b9", long, "Select", "table", "order", "index", "group"] {
                schemas.append(Judged(name, [entity(name)]))
                schemas.append(Judged("attribute \(name)", [entity("E", extra: [Attribute(name, Int?.self)])]))
            }
            return schemas
        },
        schemas("reserved-names", "names that SQLite keeps for itself are refused in every store") {
            var schemas: [Judged] = []
            for name in ["sqlite_a", "SQLite_", "rowid", "ROWID", "oid", "OID", "_rowid_"] {
                schemas.append(Judged(name, [entity(name)], refused: name))
                schemas.append(
                    Judged("attribute \(name)", [entity("E", extra: [Attribute(name, Int.self)])], refused: "E"))
            }
            return schemas + [Judged("near", [entity("sqlite", extra: [Attribute("row_id", Int.self)])])]
        },
        schemas("duplicate-names", "names are unique without regard to case") {
            [
                Judged("entities", [entity("Same"), entity("Same")], refused: "Same"),
                Judged("entities but for case", [entity("Same"), entity("SAME")], refused: "SAME"),
                Judged(
                    "attributes", [entity("E", extra: [Attribute("a", Int.self), Attribute("a", Int.self)])],
                    refused: "E",
                    ["a"]),
                Judged(
                    "attributes but for case",
                    [entity("E", extra: [Attribute("name", Int.self), Attribute("NAME", Int.self)])],
                    refused: "E", ["NAME"]),
                Judged(
                    "attribute and key", [entity("E", extra: [Attribute("ID", Int.self)])], refused: "E", ["ID"]),
                Judged("attribute and entity", [entity("same", extra: [Attribute("same", Int?.self)])]),
            ]
        },
        schemas("keys", "a key is one attribute, required, of a type for keys") {
            func keyed(_ key: Attribute, _ generation: KeyGeneration = .explicit) -> [Entity] {
                [Entity("E", key: "id", keyGeneration: generation, attributes: [key])]
            }
            return [
                Judged(
                    "no such attribute", [Entity("E", key: "id", attributes: [Attribute("a", Int.self)])], refused: "E"),
                Judged("no attributes", [Entity("E", key: "id", attributes: [])], refused: "E"),
                Judged("optional", keyed(Attribute("id", Int64?.self)), refused: "E", ["id"]),
                Judged("double", keyed(Attribute("id", Double.self)), refused: "E", ["id"]),
                Judged("int32", keyed(Attribute("id", Int32.self)), refused: "E", ["id"]),
                Judged("bytes", keyed(Attribute("id", [UInt8].self)), refused: "E", ["id"]),
                Judged("assigned text", keyed(Attribute("id", String.self), .assigned), refused: "E", ["id"]),
                Judged("int", keyed(Attribute("id", Int.self))), Judged("text", keyed(Attribute("id", String.self))),
                Judged("assigned", keyed(Attribute("id", Int64.self), .assigned)),
            ]
        },
        schemas("indexes", "an index names attributes that exist, each once, at most 16") {
            func indexed(_ indexes: Index...) -> [Entity] {
                let attributes = (1...20).map { Attribute("a\($0)", Int?.self) }
                return [entity("E", extra: attributes, indexes: indexes)]
            }
            let names = (1...17).map { "a\($0)" }
            return [
                Judged("unknown", indexed(.index("a1", "b")), refused: "E", ["b"], code: .unknownAttribute),
                Judged("none", indexed(Index(attributes: [])), refused: "E", []),
                Judged("twice", indexed(.index("a1", "a2", "a1")), refused: "E", ["a1", "a2", "a1"]),
                Judged("17", indexed(Index(attributes: names)), refused: "E", names),
                Judged("same", indexed(.index("a1"), .index("a2"), .index("a1")), refused: "E"),
                Judged("16", indexed(Index(attributes: Array(names.prefix(16))))),
                Judged("overlapping", indexed(.index("a1"), .unique("a1"), .index("a1", "a2"), .index("a2", "a1"))),
            ]
        },
        schemas("references", "a reference names an entity of the schema, has its key's type and can become nil") {
            func referring(_ type: AttributeType, to name: String, _ rule: DeleteRule, isOptional: Bool = true)
                -> [Entity]
            {
                let reference = Attribute.Reference(entity: name, onDelete: rule)
                return [
                    entity("E", extra: [Attribute("r", type, isOptional: isOptional, reference: reference)]),
                    entity("F"),
                    Entity("Texts", key: "id", attributes: [Attribute("id", String.self)]),
                ]
            }
            return [
                Judged("unknown", referring(.int64, to: "Nowhere", .deny), refused: "E", ["r"]),
                Judged("other case", referring(.int64, to: "f", .deny), refused: "E", ["r"]),
                Judged("text for integer", referring(.string, to: "F", .deny), refused: "E", ["r"]),
                Judged("integer for text", referring(.int64, to: "Texts", .deny), refused: "E", ["r"]),
                Judged(
                    "required, nullify", referring(.int64, to: "F", .nullify, isOptional: false), refused: "E", ["r"]),
                Judged("nullify", referring(.int64, to: "F", .nullify)),
                Judged("self", referring(.int64, to: "E", .cascade)),
                Judged("text", referring(.string, to: "Texts", .noAction, isOptional: false)),
            ]
        },
        schemas("counts", "a schema has 1 to 1 000 entities, an entity at most 500 attributes") {
            func wide(_ count: Int) -> [Entity] {
                [entity("E", extra: (1..<count).map { Attribute("a\($0)", Int?.self) })]
            }
            return [
                Judged("none", [], refused: nil), Judged("501 attributes", wide(501), refused: "E"),
                Judged("500 attributes", wide(500)),
                Judged("1001 entities", (1...1001).map { entity("E\($0)") }, refused: nil),
            ]
        },
        ConformanceCase("limits.entities", in: .limits, "a store keeps 1 000 entities", modes: [.fresh]) { trial in
            let entities = (1...Schema.maximumEntities - 1).map { entity("E\($0)") }
            let stack = try trial.open(Schema(entities: [Shelf.entity] + entities))
            try trial.insert([Shelf(id: 1, name: "one")])
            try expectEqual(stack.schema.entities.count, 1000)
            try expectEqual(try trial.find(Shelf.self, 1)?.name, "one")
        },
    ]
}

private func entity(_ name: String, extra: [Attribute] = [], indexes: [Index] = []) -> Entity {
    Entity(name, key: "id", attributes: [Attribute("id", Int64.self)] + extra, indexes: indexes)
}

/// A schema and what is to be said of it.
private struct Judged {
    let what: String
    let schema: Schema
    /// `nil` for a schema that is right.
    let code: GranaryError.Code?
    let entity: String?
    let attributes: [String]?

    init(_ what: String, _ entities: [Entity]) {
        (self.what, schema, code, entity, attributes) = (what, Schema(entities: entities), nil, nil, nil)
    }

    init(
        _ what: String, _ entities: [Entity], refused: String?, _ attributes: [String]? = nil,
        code: GranaryError.Code = .invalidSchema
    ) {
        (self.what, schema, self.code, entity) = (what, Schema(entities: entities), code, refused)
        self.attributes = attributes
    }
}

private func schemas(_ name: String, _ summary: String, _ judged: @escaping @Sendable () -> [Judged])
    -> ConformanceCase
{
    ConformanceCase("limits.schema-\(name)", in: .limits, summary, modes: [.fresh]) { trial in
        for (position, one) in judged().enumerated() {
            let path = "\(trial.folder)/\(position).granary"
            if let code = one.code {
                try expectError(code, entity: one.entity, attributes: one.attributes) { try one.schema.validate() }
                try expectError(code, entity: one.entity) { try trial.another(one.schema, at: path) }
            } else {
                try one.schema.validate()
                let stack = try trial.another(one.schema, at: path)
                try expectEqual(stack.schema.entities.map(\.name), one.schema.entities.map(\.name), one.what)
                try expectEqual(try stack.blocking.verify(), [], one.what)
                try stack.blocking.close()
            }
        }
    }
}
