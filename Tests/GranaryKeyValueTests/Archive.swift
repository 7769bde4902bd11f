import GranaryCore

/// Entities with each kind of key and each rule for deletion; the last three are referred to by none.
enum Archive {
    static let folder = 0
    static let person = 1
    static let note = 2
    static let word = 3
    static let mark = 4

    static let entities = [
        Entity(
            "Folder", key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), reference("parent", .int64, "Folder", .cascade),
                reference("owner", .string, "Person", .nullify),
            ], indexes: [.unique("name")]),
        Entity(
            "Person", key: "name",
            attributes: [
                Attribute("name", .string), reference("boss", .string, "Person", .nullify),
                Attribute("tag", .int32, isOptional: true),
            ]),
        Entity(
            "Note", key: "id",
            attributes: [
                Attribute("id", .uuid), reference("folder", .int64, "Folder", .cascade),
                reference("author", .string, "Person", .deny), Attribute("body", .string),
            ], indexes: [.index("body")]),
        Entity(
            "Word", key: "text",
            attributes: [Attribute("text", .string), Attribute("count", .int32, isOptional: true)]),
        Entity(
            "Mark", key: "id", attributes: [Attribute("id", .int64), Attribute("value", .double, isOptional: true)]),
    ]

    private static func reference(
        _ name: String, _ type: AttributeType, _ entity: String, _ rule: DeleteRule
    ) -> Attribute {
        Attribute(name, type, isOptional: true, reference: .init(entity: entity, onDelete: rule))
    }

    /// A key of 16 bytes.
    static func uuid(_ number: UInt8) -> Value { .bytes([UInt8](repeating: 7, count: 15) + [number]) }

    /// A text that is too long for a key of the engine.
    static func long(_ end: String) -> Value { .string(String(repeating: "w", count: 600) + end) }
}

extension RecordChange {
    static func inserted(_ key: Value, _ entity: Int) -> Self {
        RecordChange(place: Place(entity: entity, key: key), kind: .inserted)
    }
    static func deleted(_ key: Value, _ entity: Int) -> Self {
        RecordChange(place: Place(entity: entity, key: key), kind: .deleted)
    }
    static func updated(_ key: Value, _ entity: Int, _ attributes: Int...) -> Self {
        RecordChange(place: Place(entity: entity, key: key), kind: .updated(AttributeSet(attributes)))
    }
}

extension Store {
    /// What the statements of one transaction are noted as.
    func changes(_ body: (any StoreWriter) throws -> Void) throws -> [RecordChange] {
        let recorder = ChangeRecorder()
        try write { writer in
            try writer.record(into: recorder)
            try body(writer)
        }
        return recorder.changes()
    }
}
