import ConformanceKit
import Foundation
import GranaryCore

// The store of songs, artists and mixes that cases of rewriting migrations write, and open with another schema.

let needed: Set<Capability> = [.migration, .reopening, .filling]

func dropping(_ paths: String...) -> MigrationPolicy {
    var step = MigrationStep.inferred("drop")
    for path in paths { step = step.dropping(path) }
    return .plan(MigrationPlan(step))
}

func converting(_ paths: String...) -> MigrationPolicy {
    var step = MigrationStep.inferred("convert")
    for path in paths { step = step.converting(path) }
    return .plan(MigrationPlan(step))
}

// The schema that a store is written with.
let original: [Entity] = [
    Entity(
        "Song", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int.self, default: 0),
            Attribute("code", String?.self),
            Attribute("artist", .int64, isOptional: true, reference: .init(entity: "Artist", onDelete: .nullify)),
            Attribute("year", Int.self, default: 1970),
        ],
        indexes: [.index("title")]),
    Entity(
        "Artist", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("best", Int?.self)],
        indexes: [.unique("name")]),
    Entity(
        "Mix", key: "id", attributes: [Attribute("id", Int64.self)],
        relationships: [songRelationship("Mix", "songs", isOrdered: true)]),
    songLinks(from: "Mix", "songs", to: "Song", isOrdered: true)[0],
    Entity("Empty", key: "id", attributes: [Attribute("id", Int64.self)]),
    Entity(
        "Measure", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("small", Int8.self), Attribute("real", Double.self),
            Attribute("large", Int64.self), Attribute("text", String.self), Attribute("float", Float.self),
            Attribute("flag", Bool.self), Attribute("price", .scaledDecimal(places: 2)), Attribute("uuid", UUID.self),
        ]),
    Entity(
        "Band", key: "id", attributes: [Attribute("id", Int64.self)],
        relationships: [songRelationship("Band", "leaders")]),
    songLinks(from: "Band", "leaders", to: "Artist")[0],
]

func songRelationship(_ owner: String, _ name: String, isOrdered: Bool = false) -> Relationship {
    Relationship(
        name, entity: "\(owner)_\(name)", attribute: "source", through: "target",
        orderedBy: isOrdered ? "position" : nil)
}

func songLinks(from owner: String, _ name: String, to target: String, isOrdered: Bool = false) -> [Entity] {
    func end(_ name: String, _ target: String) -> Attribute {
        Attribute(name, .int64, reference: .init(entity: target, onDelete: .cascade))
    }
    var entity = Entity(
        "\(owner)_\(name)", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), end("source", owner), end("target", target)],
        indexes: [.unique("source", "target"), .index("target")])
    if isOrdered {
        entity.attributes.append(Attribute("position", .int64))
        entity.indexes.append(.index("source", "position"))
    }
    return [entity]
}

extension Trial {
    /// Everything, where the store keeps a history.
    var historyPolicy: HistoryPolicy { subject.keepsHistory ? .everything : .none }
}

/// Writes the records, in two commits that the history keeps, and closes the store.
func writeSongs(_ trial: Trial) throws {
    let stack = try trial.another(Schema(entities: original), history: trial.historyPolicy)
    try stack.blocking.write { tx in
        func insert(_ entity: String, _ values: [String: StoredValue]) throws {
            _ = try tx.insert(made(entity, in: tx.schema, values))
        }
        try insert("Artist", ["name": .string("Can"), "best": .integer(3)])
        try insert("Artist", ["name": .string("Neu"), "best": .integer(1)])
        for (number, title) in ["one", "two", "three"].enumerated() {
            try insert(
                "Song",
                [
                    "title": .string(title), "plays": .integer(Int64(number + 1) * 10),
                    "code": [.string("1"), .null, .string("30")][number],
                    "artist": [.integer(1), .null, .integer(2)][number],
                ])
        }
        try insert("Mix", ["id": .integer(7)])
        for (place, song) in [3, 1].enumerated() {
            try insert(
                "Mix_songs",
                ["source": .integer(7), "target": .integer(Int64(song)), "position": .integer(Int64(place))])
        }
        try insert(
            "Measure",
            [
                "id": .integer(1), "small": .integer(-7), "real": .real(-1.5), "large": .integer(9_007_199_254_740_993),
                "text": .string("é"), "float": .real(12.25), "flag": .integer(1), "price": .integer(1234),
                "uuid": StoredValue(encoding: UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF") ?? UUID()),
            ])
        try insert(
            "Measure",
            [
                "id": .integer(2), "small": .integer(0), "real": .real(0), "large": .integer(0), "text": .string(""),
                "float": .real(0), "flag": .integer(0), "price": .integer(0),
                "uuid": .bytes(Array(repeating: 0, count: 16)),
            ])
        for id in 1...2 { try insert("Band", ["id": .integer(Int64(id))]) }
        try insert("Band_leaders", ["source": .integer(1), "target": .integer(2)])
    }
    // A key that is gone is not assigned again.
    try stack.blocking.write { tx in _ = try tx.insert(made("Song", in: tx.schema, ["title": .string("gone")])) }
    try stack.blocking.write { tx in _ = try tx.delete("Song", 4) }
    try stack.blocking.close()
}

/// The records are as they were written.
func checkSongs(_ stack: Stack) throws {
    try expectEqual(try storedValues("title", in: stack), ["one", "two", "three"].map(StoredValue.string))
    try expectEqual(try storedValues("plays", in: stack), [.integer(10), .integer(20), .integer(30)])
    try expectEqual(try storedValues("artist", in: stack), [.integer(1), .null, .integer(2)])
    let links = try stack.blocking.read { try $0.fetch(Request("Mix_songs").sorted(by: "position")) }
    try expectEqual(links.map { $0["target"] }, [.integer(3), .integer(1)])
    try expectEqual(try stack.blocking.verify(), [])
}

func storedValues(_ attribute: String, in stack: Stack, _ entity: String = "Song") throws -> [StoredValue?] {
    try stack.blocking.read { try $0.fetch(Request(entity)).map { $0[attribute] } }
}
