import ConformanceKit
import GranaryCore

// The store of tracks and discs that cases of migration write with one schema, and open with another.

// The schema that a store is written with.
let trackEntities: [Entity] = [
    Entity(
        "Track", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int.self, default: 0),
            Attribute("disc", .int64, isOptional: true, reference: .init(entity: "Disc", onDelete: .nullify)),
        ],
        indexes: [.index("title")]),
    Entity(
        "Disc", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        indexes: [.unique("name")]),
]

let shelfEntity = Entity(
    "Shelf", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String?.self)],
    indexes: [.index("name")])

/// `Track` by another name, and its title.
var renamedTrack: Entity {
    var entity = trackEntities[0].renamed(from: "Track")
    entity.name = "Piece"
    entity.attributes[1] = Attribute("heading", String.self).renamed(from: "title")
    entity.indexes = [.index("heading")]
    return entity
}

/// An owner, its links, and what they link.
func linking(_ owner: String, _ name: String, owner oldOwner: String? = nil, name oldName: String? = nil)
    -> [Entity]
{
    func end(_ name: String, _ target: String) -> Attribute {
        Attribute(name, .int64, reference: .init(entity: target, onDelete: .cascade))
    }
    var first = Entity(
        owner, key: "id", attributes: [Attribute("id", Int64.self)],
        relationships: [Relationship(name, entity: "\(owner)_\(name)", attribute: "source", through: "target")])
    if let oldName { first.relationships[0] = first.relationships[0].renamed(from: oldName) }
    if let oldOwner { first = first.renamed(from: oldOwner) }
    return [
        first, Entity("Tune", key: "id", attributes: [Attribute("id", Int64.self)]),
        Entity(
            "\(owner)_\(name)", key: "id", keyGeneration: .assigned,
            attributes: [Attribute("id", Int64.self), end("source", owner), end("target", "Tune")],
            indexes: [.unique("source", "target"), .index("target")]),
    ]
}

/// A case that changes the schema of tracks, and looks at what was written before.
///
/// - Parameter track: The name that the entity of tracks has after the change.
func migrating(
    _ id: String, _ summary: String, track: String = "Track", change: @escaping @Sendable (inout [Entity]) -> Void,
    checking check: @escaping @Sendable (Stack) throws -> Void
) -> ConformanceCase {
    ConformanceCase("migration.\(id)", in: .migration, summary, requires: [.migration, .reopening], modes: [.fresh]) {
        trial in
        try writeTracks(trial)
        var entities = trackEntities
        change(&entities)
        let schema = Schema(entities: entities)
        try checkTracks(try trial.open(schema), track)
        try check(try trial.stack)
        try expectEqual(try trial.stack.blocking.verify(), [])
        let key = try trial.write { tx in
            try tx.insert(made(track, in: tx.schema, [track == "Track" ? "title" : "heading": .string("four")])).key
        }
        try expectEqual(key, .integer(4), "keys go on")
        // It is migrated once.
        let stack = try trial.another(schema, migration: .refuse)
        try expectEqual(try stack.blocking.verify(), [])
        try trial.close()
        try expectEqual(try stack.blocking.read { try $0.find(track, 4) }?.values[1], .string("four"))
    }
}

func setTrack(_ name: String, to value: StoredValue, ofTrack key: Int64, in stack: Stack) throws {
    try stack.blocking.write { tx in
        guard var track = try tx.find("Track", key) else { return }
        try track.set(name, toStored: value)
        try tx.update(track)
    }
}

func insertTrack(_ number: Int, _ tx: Transaction) throws {
    try tx.insert(
        made(
            "Track", in: tx.schema,
            [
                "title": .string(["one", "two", "three"][number - 1]), "plays": .integer(Int64(number * 10)),
                "disc": number < 3 && tx.count(Request("Disc")) > 0 ? .integer(1) : .null,
            ]))
}

func writeTracks(_ trial: Trial) throws {
    try trial.open(Schema(entities: trackEntities))
    try trial.write { tx in
        try tx.insert(made("Disc", in: tx.schema, ["id": .integer(1), "name": .string("first")]))
        for number in 1...3 { try insertTrack(number, tx) }
    }
}

/// The records from before are as they were written.
func checkTracks(_ stack: Stack, _ track: String) throws {
    try expectEqual(try trackValues("plays", in: stack, track), [.integer(10), .integer(20), .integer(30)])
    try expectEqual(try trackValues("disc", in: stack, track), [.integer(1), .integer(1), .null])
    try expectEqual(try trackKeys("disc != NULL", in: stack, track), [1, 2])
    try expectEqual(try stack.blocking.verify(), [])
}

func trackValues(_ attribute: String, in stack: Stack, _ entity: String = "Track") throws -> [StoredValue?] {
    try stack.blocking.read { try $0.fetch(Request(entity)).map { $0[attribute] } }
}

func trackKeys(_ condition: String, in stack: Stack, _ entity: String = "Track") throws -> [Int64] {
    try stack.blocking.read { snapshot in
        try snapshot.fetch(Request(entity).where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}
