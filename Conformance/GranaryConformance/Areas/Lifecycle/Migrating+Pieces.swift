import ConformanceKit
import GranaryCore

// The store of pieces, their authors and singers, that cases of relationships write, and open with another schema.

let pieceEntities: [Entity] = [
    Entity(
        "Person", key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("number", Int64.self)],
        indexes: [.unique("number"), .unique("name")]),
    Entity("Composer", key: "id", attributes: [Attribute("id", Int64.self), Attribute("title", String.self)]),
    Entity(
        "Piece", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self),
            Attribute("author", .int64, isOptional: true, reference: .init(entity: "Person", onDelete: .nullify)),
        ],
        relationships: [pieceRelation("Piece", "singers")]),
    pieceLinks("Piece", "singers", to: "Person"),
]

func pieceRelation(_ owner: String, _ name: String) -> Relationship {
    Relationship(name, entity: "\(owner)_\(name)", attribute: "source", through: "target")
}

func pieceLinks(_ owner: String, _ name: String, to target: String) -> Entity {
    func end(_ name: String, _ target: String) -> Attribute {
        Attribute(name, .int64, reference: .init(entity: target, onDelete: .cascade))
    }
    return Entity(
        "\(owner)_\(name)", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), end("source", owner), end("target", target)],
        indexes: [.unique("source", "target"), .index("target")])
}

func singer(_ name: String, _ type: AttributeType = .int64) -> Attribute {
    Attribute(name, type, isOptional: true, reference: .init(entity: "Person", onDelete: .nullify))
}

func requireSinger(_ entities: inout [Entity]) {
    entities[2].relationships = []
    entities[2].attributes.append(
        Attribute("singers", .int64, reference: .init(entity: "Person", onDelete: .deny)))
    entities.remove(at: 3)
}

/// An attribute that is new becomes the key of persons: ``newKeys`` gives it its values.
func giveNewKey(_ entities: inout [Entity]) {
    entities[0].attributes.append(Attribute("code", Int64.self))
    entities[0].key = "code"
    if entities.count > 3 { entities[3].attributes[2].reference?.entity = "Composer" }
}

let newKeys = MigrationPolicy.plan(
    MigrationPlan(
        .records("codes", of: "Person") { old, new, _ in
            try new.set("code", to: 4 - old.value("id", as: Int64.self))
        }.dropping("Piece.singers").converting("Piece.singers")))

func changedPieces(_ change: (inout [Entity]) -> Void) -> Schema {
    var entities = pieceEntities
    change(&entities)
    return Schema(entities: entities)
}

func writePieces(_ trial: Trial) throws {
    let stack = try trial.another(Schema(entities: pieceEntities), history: trial.historyPolicy)
    try stack.blocking.write { tx in
        func insert(_ entity: String, _ values: [String: StoredValue]) throws {
            _ = try tx.insert(made(entity, in: tx.schema, values))
        }
        for (id, number, name) in [(1, 2, "Ann"), (2, 1, "Bob"), (3, 30, "Cid")] as [(Int64, Int64, String)] {
            try insert("Person", ["id": .integer(id), "number": .integer(number), "name": .string(name)])
        }
        try insert("Composer", ["id": .integer(1), "title": .string("X")])
        try insert("Composer", ["id": .integer(2), "title": .string("Y")])
        for (id, author) in [(1, .integer(1)), (2, .null), (3, .integer(2))] as [(Int64, StoredValue)] {
            try insert("Piece", ["id": .integer(id), "title": .string("piece \(id)"), "author": author])
        }
        for (piece, person) in [(1, 2), (2, 1)] as [(Int64, Int64)] {
            try insert("Piece_singers", ["source": .integer(piece), "target": .integer(person)])
        }
    }
    try stack.blocking.close()
}

func checkPieces(_ stack: Stack) throws {
    try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .null, .integer(2)])
    try expectEqual(try storedValues("number", in: stack, "Person"), [.integer(2), .integer(1), .integer(30)])
    try expectEqual(try linkedKeys("Piece_singers", stack), [[1, 2], [2, 1]])
    try expectEqual(try stack.blocking.verify(), [])
}

func linkedKeys(_ entity: String, _ stack: Stack) throws -> [[Int64]] {
    try stack.blocking.read { snapshot in
        try snapshot.fetch(Request(entity)).map {
            [try $0.value("source", as: Int64.self), try $0.value("target", as: Int64.self)]
        }
    }
}

func pieceKeys(_ condition: String, _ stack: Stack) throws -> [Int64] {
    try stack.blocking.read { snapshot in
        try snapshot.fetch(Request("Piece").where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}

extension Trial {
    /// The store with another schema: whole, and migrated once. Titles are as they were.
    func migratedPieces(to schema: Schema, _ policy: MigrationPolicy) throws -> Stack {
        try another(schema, migration: policy, history: historyPolicy).blocking.close()
        let stack = try another(schema, migration: .refuse, history: historyPolicy)
        try expectEqual(stack.migration.changes, [])
        try expectEqual(try stack.blocking.verify(), [])
        let owner = schema.entities[2].name
        try expectEqual(
            try storedValues("title", in: stack, owner), (1...3).map { StoredValue.string("piece \($0)") })
        return stack
    }
}

func pieces(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (Trial) throws -> Void
) -> ConformanceCase {
    ConformanceCase("migration.\(id)", in: .migration, summary, requires: needed, modes: [.fresh]) { trial in
        try writePieces(trial)
        try body(trial)
    }
}

func refusingPieces(
    _ id: String, _ code: GranaryError.Code, _ entity: String, _ attribute: String, key: Int64,
    _ policy: MigrationPolicy, change: @escaping @Sendable (inout [Entity]) -> Void,
    writing write: @escaping @Sendable (Transaction) throws -> Void = { _ in }
) -> ConformanceCase {
    pieces("refuses-\(id)", "a reference that would be lost, or lead elsewhere, is refused with the key") { trial in
        let first = try trial.another(Schema(entities: pieceEntities), history: trial.historyPolicy)
        try first.blocking.write(write)
        try first.blocking.close()
        let error = try expectError(code, entity: entity, attributes: [attribute]) {
            try trial.another(changedPieces(change), migration: policy)
        }
        try expectEqual(error.key, .integer(key))
        try checkPieces(try trial.another(Schema(entities: pieceEntities), migration: .refuse))
    }
}
