import ConformanceKit
import GranaryCore

// A schema that a person has written as JSON, with the names that things had before.

var schemaFileCases: [ConformanceCase] {
    [
        ConformanceCase(
            "migration.file-renamed", in: .migration, "earlier names in a schema's JSON keep the records",
            requires: [.migration, .persistence], modes: [.fresh]
        ) { trial in
            let stored = try schema(shelf(attribute: "name"))
            try fill(try trial.open(stored))
            try trial.close()
            let stack = try trial.another(
                try schema(shelf("Rack", #""renamedFrom":["Shelf"],"#, attribute: "label", #","renamedFrom":["name"]"#))
            )
            let records = try stack.blocking.read { try $0.fetch(Request("Rack")).map(\.values) }
            try expectEqual(records, [[.integer(1), .string("one")]])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "migration.file-contradictory", in: .migration,
            "earlier names in a schema's JSON that contradict each other are refused, and nothing changes",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let stored = try schema(shelf(attribute: "name"))
            try fill(try trial.open(stored))
            try trial.close()
            let contradictions = [
                // Two that change places, two that were one, and one that was what there still is.
                [
                    shelf("A", #""renamedFrom":["B"],"#, attribute: "name"),
                    shelf("B", id: 2, #""renamedFrom":["A"],"#, attribute: "name"),
                ],
                [
                    shelf("A", #""renamedFrom":["Shelf"],"#, attribute: "name"),
                    shelf("B", id: 2, #""renamedFrom":["Shelf"],"#, attribute: "name"),
                ],
                [shelf(attribute: "name"), shelf("B", id: 2, #""renamedFrom":["Shelf"],"#, attribute: "name")],
                [shelf(attribute: "label", #","renamedFrom":["id"]"#)],
            ]
            for entities in contradictions {
                try expectError(.invalidSchema) {
                    try trial.another(try schema(entities.joined(separator: ",")), migration: .inferred)
                }
            }
            let stack = try trial.another(stored, migration: .refuse)
            let records = try stack.blocking.read { try $0.fetch(Request("Shelf")).map(\.values) }
            try expectEqual(records, [[.integer(1), .string("one")]])
        },
    ]
}

/// The JSON of an entity with a key and a text.
private func shelf(
    _ name: String = "Shelf", id: Int = 1, _ more: String = "", attribute: String, _ moreOfAttribute: String = ""
) -> String {
    #"{"name":"\#(name)","id":\#(id),"key":"id","keyGeneration":"explicit",\#(more)"indexes":[],"attributes":["#
        + #"{"name":"id","id":1,"type":"int64","isOptional":false},"#
        + #"{"name":"\#(attribute)","id":2,"type":"string","isOptional":false\#(moreOfAttribute)}]}"#
}

private func schema(_ entities: String) throws -> Schema {
    try Schema(json: Array(#"{"entities":[\#(entities)]}"#.utf8))
}

private func fill(_ stack: Stack) throws {
    try stack.blocking.write { tx in
        var record = try DynamicRecord("Shelf", in: tx.schema)
        try record.set("id", to: Int64(1))
        try record.set("name", to: "one")
        _ = try tx.insert(record)
    }
}
