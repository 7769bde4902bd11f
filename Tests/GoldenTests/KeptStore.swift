import GranaryCore

/// What the stores in `Kept` hold: what a store keeps besides plain values of records. That is values in files, JSON, the
/// steps of a migration plan that it has taken, and the renamed values of an enum. As ``GoldenStore``, it must not be changed.
enum KeptStore {
    /// Before the migration, and after it.
    static let (first, schema) = (schema(renaming: []), schema(renaming: [("calm", "serene")]))

    static func schema(renaming values: [(old: String, new: String)]) -> Schema {
        Schema(entities: [
            Entity(
                "Photo", key: "id", keyGeneration: .assigned,
                attributes: [
                    Attribute("id", Int64.self), Attribute("title", String.self),
                    Attribute("mood", String.self)
                        .renamingValues(values.map { ValueRenaming(.string($0.old), to: .string($0.new)) }),
                    Attribute("document", .json, isOptional: true),
                    Attribute("image", .data, isOptional: true).external(from: 1000),
                ], indexes: [.index("mood")])
        ])
    }

    static let plan = MigrationPlan(
        .inferred("moods"),
        .records("titles", of: "Photo") { old, new, _ in
            try new.set("title", to: try old.value("title", as: String.self) + "!")
        })

    /// Two lengths: the shorter value stays in the row, the longer one is a file.
    private static func image(_ byte: UInt8, _ count: Int) -> StoredValue {
        .bytes([UInt8](repeating: byte, count: count))
    }

    /// In the order of keys. The first two have the same file.
    static let photos: [[StoredValue]] = [
        [
            .integer(1), .string("one!"), .string("serene"), .string(#"{"depth":2,"tags":["a","\u00EB"]}"#),
            image(1, 3000),
        ],
        [.integer(2), .string("two!"), .string("glad"), .string("[1,2.5,null,true]"), image(1, 3000)],
        [.integer(3), .string("three!"), .string("serene"), .null, image(2, 1000)],
        [.integer(4), .string("four!"), .string("glad"), .string("\"text\""), image(3, 999)],
        [.integer(5), .string("five!"), .string("glad"), .null, .null],
    ]

    /// Two commits: the second is that of the migration.
    static func write(_ provider: some StoreProvider) throws {
        let stack = try Stack(first, store: provider, history: .everything)
        try stack.blocking.write(as: "golden") { tx in
            for values in photos {
                var record = try DynamicRecord("Photo", in: stack.schema)
                for (attribute, value) in zip(record.entity.attributes, values).dropFirst() {
                    switch (attribute.name, value) {
                    case ("title", .text(let bytes)):
                        try record.set("title", toStored: .text(Array(bytes.dropLast())))
                    case ("mood", _) where value == .string("serene"): try record.set("mood", to: "calm")
                    default: try record.set(attribute.name, toStored: value)
                    }
                }
                try tx.insert(record)
            }
        }
        try stack.blocking.close()
        try Stack(schema, store: provider, migration: .plan(plan), history: .everything).blocking.close()
    }
}
