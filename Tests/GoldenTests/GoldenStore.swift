import Foundation
import GranaryCore

/// What the stores in `Stores` hold. A record must not be changed here: the stores that earlier versions wrote have it. What a
/// later version can store besides goes into stores of its own, with a number of its own.
enum GoldenStore {
    static let schema = Schema(entities: [
        Entity(
            "Thing", key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", Int64.self), Attribute("flag", Bool?.self), Attribute("small", Int8?.self),
                Attribute("large", Int64?.self), Attribute("unsigned", UInt64?.self), Attribute("single", Float?.self),
                Attribute("real", Double?.self), Attribute("decimal", Decimal?.self),
                Attribute("price", .scaledDecimal(places: 2), isOptional: true), Attribute("text", String?.self),
                Attribute("bytes", Data?.self), Attribute("day", Date?.self), Attribute("uuid", UUID?.self),
                Attribute("link", URL?.self), Attribute("count", Int.self, default: 7),
                Attribute("parent", .int64, isOptional: true, reference: .init(entity: "Thing", onDelete: .nullify)),
            ],
            indexes: [
                .index("text"), .unique("uuid"), .index("real", "decimal"), .index("text", folding: .caseInsensitive),
            ]),
        Entity(
            "Name", key: "name", attributes: [Attribute("name", String.self), Attribute("note", String?.self)],
            relationships: [
                Relationship(
                    "things", entity: "Name_things", attribute: "source", through: "target", orderedBy: "position"
                )
            ]),
        Entity(
            "Name_things", key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", Int64.self),
                Attribute("source", .string, reference: .init(entity: "Name", onDelete: .cascade)),
                Attribute("target", .int64, reference: .init(entity: "Thing", onDelete: .cascade)),
                Attribute("position", .int64),
            ],
            indexes: [.unique("source", "target"), .index("target"), .index("source", "position")]),
        Entity("Token", key: "id", attributes: [Attribute("id", UUID.self), Attribute("value", Double.self)]),
    ])

    private static func uuid(_ byte: UInt8) -> StoredValue { .bytes((0..<16).map { $0 == 0 ? 0xA0 : byte &+ $0 }) }

    private static func decimal(_ text: String) -> StoredValue {
        Decimal(string: text).flatMap { try? StoredValue(encoding: $0) } ?? .null
    }

    /// By entity, in the order of keys. Values are in the order of attributes.
    static let records: [(entity: String, values: [[StoredValue]])] = [
        (
            "Thing",
            [
                [
                    .integer(1), .integer(1), .integer(-128), .integer(.min), .integer(0), .real(-1.5), .real(0.1),
                    decimal("-12345678901234567890.123456789"), .integer(-1234),
                    .string("Zo\u{EB}\u{0}\u{1F600}"), .bytes([0, 1, 254, 255]), .real(694_224_000.25), uuid(1),
                    .string("https://example.org/a?b=c"), .integer(1), .null,
                ],
                [
                    .integer(2), .integer(0), .integer(127), .integer(.max), .integer(.max), .real(3.25),
                    .real(-.infinity), decimal("0.00000000000000000001"),
                    .integer(99), .string(String(repeating: "long ", count: 200)), .bytes([]), .real(-1), uuid(2),
                    .string("file:///tmp"), .integer(-1), .integer(1),
                ],
                [.integer(4)] + Array(repeating: .null, count: 13) + [.integer(7), .integer(2)],
            ]
        ),
        ("Name", [[.string(""), .null], [.string("\u{E9}t\u{E9}"), .string("summer")]]),
        (
            "Name_things",
            [
                [.integer(1), .string("\u{E9}t\u{E9}"), .integer(2), .integer(0)],
                [.integer(2), .string("\u{E9}t\u{E9}"), .integer(1), .integer(1)],
            ]
        ),
        ("Token", [[uuid(3), .real(.leastNonzeroMagnitude)], [uuid(4), .real(1.7976931348623157e308)]]),
    ]

    /// Three commits, of which a history is kept. The key 3 was assigned, and deleted.
    static func write(_ stack: Stack) throws {
        func made(_ entity: String, _ values: [StoredValue]) throws -> DynamicRecord {
            var record = try DynamicRecord(entity, in: stack.schema)
            for (attribute, value) in zip(record.entity.attributes, values) {
                let isAssigned = attribute.name == record.entity.key && record.entity.keyGeneration == .assigned
                if !isAssigned { try record.set(attribute.name, toStored: value) }
            }
            return record
        }
        let things = records[0].values
        try stack.blocking.write(as: "golden") { tx in
            for values in things.dropLast() { try tx.insert(made("Thing", values)) }
            _ = try tx.insert(made("Thing", things[2]))
            for (entity, all) in records.dropFirst() { for values in all { try tx.insert(made(entity, values)) } }
        }
        try stack.blocking.write { tx in _ = try tx.delete("Thing", 3) }
        try stack.blocking.write { tx in _ = try tx.insert(made("Thing", things[2])) }
    }

    static func contents(_ stack: Stack, _ entity: String) throws -> [[StoredValue]] {
        try stack.blocking.read { try $0.fetch(Request(entity)).map(\.values) }
    }
}
