import GranaryCore
import TestSupport

/// Entities with every delete rule, unique indexes of one attribute, of two and folded, and assigned keys.
enum WrittenSchema {
    static let shelf = 0
    static let person = 1
    static let box = 2
    static let counter = 3

    static let schema = Schema(entities: [
        Entity(
            "Shelf", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string, isOptional: true)]),
        Entity(
            "Person", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("email", .string, isOptional: true),
                Attribute("country", .string), Attribute("number", .int8, isOptional: true),
                Attribute("nick", .string, isOptional: true),
            ],
            indexes: [.unique("email"), .unique("country", "number"), .unique("nick", folding: .caseInsensitive)]),
        Entity(
            "Box", key: "id",
            attributes: [
                Attribute("id", .string), reference("shelf", "Shelf", .deny, isOptional: false),
                reference("spare", "Shelf", .nullify), reference("loose", "Shelf", .noAction),
                reference("owner", "Person", .cascade), reference("outer", "Box", .cascade, key: .string),
                reference("held", "Box", .deny, key: .string), reference("tied", "Box", .nullify, key: .string),
                reference("counter", "Counter", .cascade),
            ],
            indexes: [.unique("spare", "tied")]),
        Entity(
            "Counter", key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", .int64), Attribute("label", .string), reference("shelf", "Shelf", .nullify),
            ],
            indexes: [.unique("label")]),
    ])

    private static func reference(
        _ name: String, _ entity: String, _ rule: DeleteRule, isOptional: Bool = true, key: AttributeType = .int64
    ) -> Attribute {
        Attribute(name, key, isOptional: isOptional, reference: Attribute.Reference(entity: entity, onDelete: rule))
    }
}

func withRow<T>(_ values: [StoredValue], _ body: (borrowing Row) throws -> T) throws -> T {
    var writer = RowWriter(count: values.count)
    for (position, value) in values.enumerated() { try value.encode(into: &writer, at: position) }
    return try writer.withRow { row throws in try body(row) }
}

extension StoreReader {
    /// Every record of an entity, by key, as queries show them.
    func allRows(of entity: Int, _ schema: Schema) throws -> [[StoredValue]] {
        let rows = try rows(FetchRequest(entity: entity))
        var found: [[StoredValue]] = []
        let count = schema.entities[entity].attributes.count
        while let row = try rows.next() { found.append((0..<count).map { StoredValue(row[$0]) }) }
        return found
    }

    func record(_ key: StoredValue, of entity: Int, _ schema: Schema) throws -> [StoredValue]? {
        let count = schema.entities[entity].attributes.count
        return try key.withCell { cell in
            guard let row = try find(cell, in: entity) else { return nil }
            return (0..<count).map { StoredValue(row[$0]) }
        }
    }
}
