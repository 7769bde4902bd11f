import ConformanceKit
import GranaryCore

var openingSchemaCases: [ConformanceCase] {
    [
        ConformanceCase(
            "opening.other-schema", in: .opening,
            "a store of another schema throws schemaMismatch whose message names the difference, and stays usable",
            requires: [.reopening], modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            try trial.close()
            for (words, schema) in otherSchemas {
                let error = try expectError(.schemaMismatch) { try trial.another(schema, migration: .refuse) }
                for word in words {
                    try expect(error.message.contains(word), "the message does not name \(word): \(error.message)")
                }
            }
            try expectUnchanged(trial)
            try trial.insert([Shelf(id: 9)])
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3, 9])
        } otherwise: { trial in
            // Else the same holds while a stack keeps the store.
            try expectMismatchWhileOpen(trial)
        },
        ConformanceCase(
            "opening.united-schema", in: .opening,
            "two schemas united have the entities and record types of both; different entities of one name are refused",
            modes: [.fresh]
        ) { trial in
            let schema = Schema(Shelf.self).union(Schema(Counter.self, Shelf.self))
            try expectEqual(schema.entities.map(\.name), ["Shelf", "Counter"])
            try expectEqual(schema.recordTypes.map { $0.entityName }, ["Shelf", "Counter"])
            try expectEqual(schema, Schema(Shelf.self, Counter.self))
            let stack = try trial.another(schema)
            try stack.blocking.write { tx in
                try tx.insert(Shelf(id: 1))
                try tx.insert(Counter(label: "a"))
            }
            try expectEqual(try stack.blocking.read { try $0.count(Counter.all) }, 1)
            let other = Entity("Shelf", key: "id", attributes: [Attribute("id", Int64.self)])
            try expectError(.invalidSchema) {
                try trial.another(schema.union(Schema(entities: [other])), at: trial.folder + "/Other.granary")
            }
        },
        ConformanceCase(
            "opening.other-schema-while-open", in: .opening,
            "a second stack of another schema on a store that is open throws schemaMismatch and disturbs nothing",
            modes: [.fresh]
        ) { trial in
            try expectMismatchWhileOpen(trial)
        },
        ConformanceCase(
            "opening.reordered-schema", in: .opening,
            "the same schema with entities and attributes in another order opens the store and reads it right",
            requires: [.reopening], modes: [.fresh]
        ) { trial in
            try trial.open(Schema(Shelf.self, Note.self))
            try trial.insert([Shelf(id: 1, name: "a"), Shelf(id: 2, name: "b")])
            try trial.insert([Note(slug: "s", body: "text", topic: "t")])
            try trial.open(Schema(Note.self, TurnedShelf.self))
            try expectEqual(try trial.fetch(TurnedShelf.all).map(\.name), ["a", "b"])
            try expectEqual(try trial.find(TurnedShelf.self, 2)?.name, "b")
            try expectEqual(try trial.keys(TurnedShelf.where { $0.name == "b" }), [2])
            try expectEqual(try trial.find(Note.self, "s"), Note(slug: "s", body: "text", topic: "t"))
            try trial.insert([TurnedShelf(name: "c", id: 3)])
            try trial.write { tx in try tx.update(TurnedShelf(name: "z", id: 1)) }
            try trial.open(Schema(Shelf.self, Note.self))
            try expectEqual(
                try trial.fetch(Shelf.sorted(by: \.name)),
                [Shelf(id: 2, name: "b"), Shelf(id: 3, name: "c"), Shelf(id: 1, name: "z")])
        },
        ConformanceCase(
            "opening.reordered-while-open", in: .opening,
            "a second stack whose schema differs in order alone works beside the first, or is refused with alreadyOpen",
            modes: [.fresh]
        ) { trial in
            let plain = try trial.open(Schema(Shelf.self, Note.self))
            let turned: Stack
            do {
                turned = try trial.another(Schema(Note.self, TurnedShelf.self))
            } catch let error as GranaryError {
                try expectEqual(error.code, .alreadyOpen)
                return try plain.blocking.write { tx in _ = try tx.insert(Shelf(id: 1)) }
            }
            try plain.blocking.write { tx in _ = try tx.insert(Shelf(id: 1, name: "a")) }
            try turned.blocking.write { tx in _ = try tx.insert(TurnedShelf(name: "b", id: 2)) }
            try expectEqual(try turned.blocking.read { try $0.fetch(TurnedShelf.all).map(\.name) }, ["a", "b"])
            try expectEqual(try plain.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["a", "b"])
        },
    ]
}

private func expectMismatchWhileOpen(_ trial: Trial) throws {
    try seedShelves(trial)
    let stack = try trial.stack
    for (words, schema) in otherSchemas {
        let error = try expectError(.schemaMismatch) { try trial.another(schema) }
        for word in words {
            try expect(error.message.contains(word), "the message does not name \(word): \(error.message)")
        }
    }
    try stack.blocking.read { try expectUnchanged($0) }
    try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: 9)) }
    try expectEqual(try trial.another().blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [1, 2, 3, 9])
}

/// Schemas that differ from the standard one in one thing, and the words that name it.
private let otherSchemas: [(words: [String], schema: Schema)] = [
    (["Counter"], Schema(entities: SuiteSchema.standard.entities.filter { $0.name != "Counter" })),
    (
        ["Drawer"],
        Schema(
            entities: SuiteSchema.standard.entities + [
                Entity("Drawer", key: "id", attributes: [Attribute("id", Int64.self)])
            ])
    ),
    (["Shelf", "width"], changing("Shelf") { $0.attributes.append(Attribute("width", Int.self)) }),
    (
        ["Note", "topic"],
        changing("Note") { entity in
            entity.attributes.removeAll { $0.name == "topic" }
            entity.indexes = []
        }
    ),
    (["Shelf", "name"], changing("Shelf") { $0.attributes[1] = Attribute("name", Double.self) }),
    (["Shelf", "name"], changing("Shelf") { $0.attributes[1] = Attribute("name", String?.self) }),
    (["Person", "country"], changing("Person") { $0.indexes.append(.index("country")) }),
    (
        ["Person", "email"],
        changing("Person") { entity in
            entity.indexes = entity.indexes.map { $0.attributes == ["email"] ? .index("email") : $0 }
        }
    ),
    (["Person", "age"], changing("Person") { $0.indexes.removeAll { $0.attributes == ["age"] } }),
    (["Note", "key", "body"], changing("Note") { $0.key = "body" }),
    (["Counter", "key"], changing("Counter") { $0.keyGeneration = .explicit }),
    (
        ["Box", "owner"],
        changing("Box") { entity in
            for position in entity.attributes.indices where entity.attributes[position].name == "owner" {
                entity.attributes[position].reference?.onDelete = .nullify
            }
        }
    ),
]

private func changing(_ name: String, _ change: (inout Entity) -> Void) -> Schema {
    var entities = SuiteSchema.standard.entities
    for position in entities.indices where entities[position].name == name { change(&entities[position]) }
    return Schema(entities: entities)
}

/// The entity `Shelf` with its attributes the other way round.
private struct TurnedShelf: Record, Equatable {
    var name: String
    var id: Int64

    init(name: String, id: Int64) {
        self.name = name
        self.id = id
    }

    static let entityName = "Shelf"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("name", String.self), Attribute("id", Int64.self)])
    init(row: borrowing Row) throws {
        name = try row.decode(at: 0)
        id = try row.decode(at: 1)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(name, at: 0)
        try row.encode(id, at: 1)
    }
    struct Fields: Sendable {
        let name = Field<TurnedShelf, String>("name")
        let id = Field<TurnedShelf, Int64>("id")
    }
    static let fields = Fields()
}
