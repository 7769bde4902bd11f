import ConformanceKit
import GranaryCore

// A store that was written with one schema is opened with another. The schemas have no Swift types, as most of them exist for
// one case.

var migratingCases: [ConformanceCase] {
    instantCases + oldRecordCases + renamingCases + refusingCases + rewritingCases + relationshipMigrationCases
        + planCases + releaseCases + migrationCodeCases + backAndRenamedCases + keptMigrationCases + droppedIndexCases
        + randomMigrationCases
}

/// Each changes the schema of tracks in one respect: what is written before reads as it says, and as before otherwise.
private var instantCases: [ConformanceCase] {
    [
        migrating("entity-added", "an entity is added, and its records are written and read") { entities in
            entities.append(shelfEntity)
        } checking: { stack in
            try stack.blocking.write { tx in _ = try tx.insert(made("Shelf", in: tx.schema, ["id": .integer(1)])) }
            try expectEqual(try stack.blocking.read { try $0.count(Request("Shelf")) }, 1)
        },
        migrating("optional-added", "records from before an optional attribute read nil") { entities in
            entities[0].attributes.append(Attribute("note", String?.self))
        } checking: { stack in
            try expectEqual(try trackValues("note", in: stack), [.null, .null, .null])
            try expectEqual(try trackKeys("note == NULL", in: stack), [1, 2, 3])
            try setTrack("note", to: .string("new"), ofTrack: 1, in: stack)
            try expectEqual(try trackValues("note", in: stack), [.string("new"), .null, .null])
        },
        migrating("default-added", "records from before an attribute with a default read the default, of any type") {
            entities in
            for (name, type, value) in added {
                entities[0].attributes.append(Attribute(name, type, defaultValue: value))
            }
        } checking: { stack in
            for (name, _, value) in added { try expectEqual(try trackValues(name, in: stack), [value, value, value]) }
            try expectEqual(try trackKeys("n == -9223372036854775807 - 1", in: stack), [1, 2, 3])
            try expectEqual(try trackKeys("t BEGINSWITH \"it's\"", in: stack), [1, 2, 3])
        },
        migrating("index-added", "an index that is added has the records from before and is used") { entities in
            entities[0].indexes.append(.index("plays"))
            entities[0].indexes.append(.index("title", folding: .caseInsensitive))
        } checking: { stack in
            if stack.capabilities.has(.indexedQueries) {
                try stack.blocking.read { try expectNoFullScan(Request("Track").where("plays == 20"), in: $0) }
            }
            try expectEqual(try trackKeys("plays == 20", in: stack), [2])
            try expectEqual(try trackKeys("title ==[c] \"TWO\"", in: stack), [2])
        },
        migrating("index-dropped", "an index that is dropped is not missed") { entities in
            entities[0].indexes.removeAll { $0.attributes == ["title"] }
        } checking: { stack in
            try expectEqual(try trackKeys("title == \"two\"", in: stack), [2])
        },
        migrating("unique-added", "uniqueness that holds is added, and holds from then on") { entities in
            entities[0].indexes.append(.unique("plays"))
        } checking: { stack in
            try expectError(.uniqueness, entity: "Track", attributes: ["plays"]) {
                try stack.blocking.write { tx in
                    _ = try tx.insert(
                        made("Track", in: tx.schema, ["id": .integer(4), "title": .string("x"), "plays": .integer(20)]))
                }
            }
        },
        migrating("unique-dropped", "uniqueness that is dropped does not hold any more") { entities in
            entities[1].indexes = [.index("name")]
        } checking: { stack in
            try stack.blocking.write { tx in
                _ = try tx.insert(made("Disc", in: tx.schema, ["id": .integer(8), "name": .string("first")]))
            }
            try expectEqual(
                try stack.blocking.read {
                    try $0.count(Request("Disc").where("name == \"first\""))
                }, 2)
        },
        migrating("index-made-unique", "an index that becomes unique holds from then on") { entities in
            entities[0].indexes = [.unique("title")]
        } checking: { stack in
            try expectError(.uniqueness, entity: "Track", attributes: ["title"]) {
                try stack.blocking.write { tx in
                    _ = try tx.insert(made("Track", in: tx.schema, ["id": .integer(4), "title": .string("two")]))
                }
            }
            try expectEqual(try trackKeys("title == \"two\"", in: stack), [2])
        },
        migrating("unique-and-not", "an index that is not unique stands beside one that stays unique") { entities in
            entities[1].indexes = [.index("name"), .unique("name")]
        } checking: { stack in
            try expectError(.uniqueness, entity: "Disc", attributes: ["name"]) {
                try stack.blocking.write { tx in
                    _ = try tx.insert(made("Disc", in: tx.schema, ["id": .integer(8), "name": .string("first")]))
                }
            }
        },
        migrating("made-optional", "a required attribute that becomes optional takes nil") { entities in
            entities[0].attributes[2].isOptional = true
        } checking: { stack in
            try setTrack("plays", to: .null, ofTrack: 1, in: stack)
            try expectEqual(try trackValues("plays", in: stack), [.null, .integer(20), .integer(30)])
        },
        migrating("default-changed", "a default that is changed is one for new records") { entities in
            entities[0].attributes[2].defaultValue = .integer(7)
        } checking: { stack in
            try expectEqual(try trackValues("plays", in: stack), [.integer(10), .integer(20), .integer(30)])
        },
        migrating("delete-rule-changed", "a delete rule that is changed holds for references from before") { entities in
            entities[0].attributes[3].reference?.onDelete = .cascade
        } checking: { stack in
            try stack.blocking.write { tx in _ = try tx.delete("Disc", 1) }
            try expectEqual(try trackKeys("plays > 0", in: stack), [3])
        },
        migrating("links-added", "a many-to-many relationship is added") { entities in
            entities += linking("Mix", "tracks")
        } checking: { stack in
            try expectEqual(try stack.blocking.read { try $0.count(Request("Mix_tracks")) }, 0)
        },
        migrating("all-at-once", "several changes are made at once") { entities in
            entities[0].attributes.append(Attribute("note", String.self, default: "none"))
            entities[0].attributes[2].isOptional = true
            entities[0].indexes = [.unique("plays"), .index("note")]
            entities.append(shelfEntity)
        } checking: { stack in
            try expectEqual(try trackValues("note", in: stack), [.string("none"), .string("none"), .string("none")])
            try expectEqual(try trackKeys("note == \"none\"", in: stack), [1, 2, 3])
        },
    ]
}

private let added: [(String, AttributeType, StoredValue)] = [
    ("n", .int64, .integer(.min)), ("t", .string, .string("it's \"that\"")), ("z", .string, .string("a\0b")),
    ("d", .double, .real(0.1)), ("e", .double, .real(-.infinity)), ("f", .double, .real(1.7976931348623157e308)),
    ("g", .double, .real(-3.6768650089928303e-305)), ("h", .double, .real(.leastNonzeroMagnitude)),
    ("i", .float, .real(Double(Float(0.1)))), ("j", .date, .real(765_432_198.123_456_7)),
    ("b", .data, .bytes([0, 255])), ("y", .bool, .integer(1)),
]
