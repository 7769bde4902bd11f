import ConformanceKit
import GranaryCore

// Changes that would lose values: they are refused, and the store stays as it was.

var losingCases: [ConformanceCase] {
    [
        losing("narrowed-too-far", .range, "Song", "plays", key: 3, converting("Song.plays")) { entities in
            entities[0].attributes[2] = Attribute("plays", Int8.self, default: 0)
        } writing: { tx in
            var song = try tx.find("Song", 3)
            try song?.set("plays", to: 300)
            if let song { try tx.update(song) }
        },
        losing("text-that-is-no-number", .range, "Song", "title", key: 1, converting("Song.title")) { entities in
            entities[0].attributes[1].type = .int64
            entities[0].indexes = []
        },
        losing("nil-made-required", .required, "Song", "code", key: 2, .inferred) { entities in
            entities[0].attributes[3].isOptional = false
        },
        losing("required-without-default", .required, "Song", "note", key: 1, .inferred) { entities in
            entities[0].attributes.append(Attribute("note", String.self))
        },
        losing("several-links", .range, "Mix", "song", key: 7, converting("Mix.song")) { entities in
            entities[2].relationships = []
            entities[2].attributes.append(
                Attribute("song", .int64, isOptional: true, reference: .init(entity: "Song", onDelete: .nullify))
                    .renamed(
                        from: "songs"))
            entities.remove(at: 3)
        },
        losing("dangling", .danglingReference, "Song", "plays", key: 1, .inferred) { entities in
            entities[0].attributes[2].defaultValue = nil
            entities[0].attributes[2].reference = .init(entity: "Artist", onDelete: .deny)
        },
        losing("duplicates-rewritten", .uniqueness, "Song", "year", key: nil, .inferred) { entities in
            entities[0].attributes[2].type = .string
            entities[0].attributes[2].defaultValue = nil
            entities[0].indexes.append(.unique("year"))
        },
        losing("not-dropped", .schemaMismatch, "Song", nil, key: nil, .inferred) { entities in
            entities[0].attributes.remove(at: 2)
        },
        losing("not-converted", .schemaMismatch, "Song", nil, key: nil, dropping("Song.title")) { entities in
            entities[0].attributes[2].type = .int8
        },
    ]
}

private func losing(
    _ id: String, _ code: GranaryError.Code, _ entity: String, _ attribute: String?, key: Int64?,
    _ policy: MigrationPolicy,
    change: @escaping @Sendable (inout [Entity]) -> Void,
    writing write: @escaping @Sendable (Transaction) throws -> Void = { _ in }
) -> ConformanceCase {
    ConformanceCase(
        "migration.refuses-\(id)", in: .migration, "what would lose a value is refused, and the store stays as it was",
        requires: needed, modes: [.fresh]
    ) { trial in
        try writeSongs(trial)
        let first = try trial.another(Schema(entities: original))
        try first.blocking.write(write)
        let plays = try storedValues("plays", in: first)
        try first.blocking.close()
        var entities = original
        change(&entities)
        let duplicates =
            "\(entity).\(attribute ?? "") cannot become unique: 3 records share their values with others. Make the values differ, or delete records, before the index is made unique."
        let error = try expectError(
            code, entity: entity, attributes: attribute.map { [$0] } ?? [],
            message: code == .uniqueness ? duplicates : nil
        ) {
            try trial.another(Schema(entities: entities), migration: policy)
        }
        if let key { try expectEqual(error.key, .integer(key)) }
        if code == .uniqueness { try expectEqual(error.duplicates?.keys, [[.integer(1), .integer(2), .integer(3)]]) }
        let stack = try trial.another(Schema(entities: original), migration: .refuse)
        try expectEqual(try storedValues("plays", in: stack), plays)
        try expectEqual(try stack.blocking.verify(), [])
        try expectEqual(stack.schema.appliedSteps, [])
    }
}
