import ConformanceKit
import GranaryCore
import GranaryImport

// What a record type says of its own import.

private struct Guest: Record, Equatable {
    var id: Int64
    var name: String
    var initial: String?
    var host: Ref<Guest>?

    static let entityName = "Guest"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("initial", String?.self),
            Attribute("host", Ref<Guest>?.self),
        ])
    static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("guests", entity: "Guest", attribute: "host"))
    ]

    init(id: Int64, name: String, initial: String? = nil, host: Ref<Guest>? = nil) {
        (self.id, self.name, self.initial, self.host) = (id, name, initial, host)
    }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        initial = try row.decode(at: 2)
        host = try row.decode(at: 3)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(initial, at: 2)
        try row.encode(host, at: 3)
    }

    func validate() throws {
        if name.isEmpty {
            throw GranaryError(.invalidRecord, "A guest needs a name.", entity: "Guest", attributes: ["name"])
        }
    }

    struct Fields: Sendable {
        let id = Field<Guest, Int64>("id")
        let name = Field<Guest, String>("name")
    }
    static let fields = Fields()
}

extension Guest: Importable {
    static let importMapping = ImportMapping().map("name", from: "full_name").ignore("role")

    static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? {
        switch value["role"] {
        case "robot": return nil
        case "thief": throw GranaryError(.invalidRecord, "Not on the list.", entity: "Guest")
        case "anonymous":
            guard case .object(var object) = value else { return value }
            object["full_name"] = .string("Guest at \(place.path)")
            return .object(object)
        default: return value
        }
    }

    mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws {
        if name == "Error" { throw GranaryError(.invalidRecord, "No such guest.", entity: "Guest") }
        initial = name.isEmpty ? nil : String(name.prefix(1))
    }
}

private func opened(_ trial: Trial) throws -> Trial {
    try trial.open(Schema(Guest.self))
    return trial
}

private var reporting: Importer {
    var importer = Importer()
    importer.failures = .report
    return importer
}

var importHooksCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.type-mapping", in: .importing, "a type's mapping counts for its records, also by name and nested"
        ) { trial in
            try opened(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "full_name": "Ada", "role": "x", "guests": [["id": 2, "full_name": "Bo"]]]
                ]
                let result = try tx.import(source, as: "Guest")
                try expectEqual(
                    try tx.fetch(Guest.all),
                    [Guest(id: 1, name: "Ada", initial: "A"), Guest(id: 2, name: "Bo", initial: "B", host: Ref(1))])
                try expectEqual(result.report.unknownKeys, [:])
                try expectEqual(try tx.import(source, as: Guest.self).report.counts, [0, 0, 2, 0, 0])
            }
        },
        ConformanceCase(
            "import.hook-will", in: .importing, "an object is skipped, changed or refused before it is imported"
        ) { trial in
            try opened(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "role": "robot"], ["id": 2, "role": "anonymous"], ["id": 3, "role": "thief"],
                    ["id": 4, "name": "Cy", "guests": [["id": 5, "role": "robot"], ["id": 6, "role": "anonymous"]]],
                ]
                let result = try tx.import(source, as: Guest.self, with: reporting)
                try expectEqual(result.report.counts, [3, 0, 0, 2, 1])
                try expectEqual(
                    try tx.fetch(Guest.all).map(\.name), ["Guest at $[1]", "Cy", "Guest at $[3].guests[1]"])
                try expectEqual(result.report.issues.map(\.path), ["$[2]"])
                try expectEqual(result.report.skippedObjects.map(\.path), ["$[0]", "$[3].guests[0]"])
                try expectEqual(result.report.skippedObjects.map(\.reason), [.hook, .hook])
                try expectError(.invalidRecord, entity: "Guest") { try tx.import(source, as: Guest.self).records }
            }
        },
        ConformanceCase(
            "import.hook-place", in: .importing, "a hook is told the index, the parent and the outermost object"
        ) { trial in
            try opened(trial).write { tx in
                var importer = Importer()
                importer.mapping = ImportMapping().transform("name") { _, place in
                    func id(_ object: ImportValue?) -> Int64 {
                        if case .integer(let id)? = object?["id"] { id } else { 0 }
                    }
                    return ImportValue.string("\(place.index) \(id(place.parentObject)) \(id(place.rootObject))")
                }
                let inner: ImportValue = [["id": 4, "full_name": "D"], ["id": 3, "full_name": "C"]]
                let source: ImportValue = [
                    ["id": 1, "full_name": "A", "guests": [["id": 2, "full_name": "B", "guests": inner]]]
                ]
                try tx.import(source, as: Guest.self, with: importer)
                try expectEqual(try tx.fetch(Guest.all).map(\.name), ["0 0 0", "0 1 1", "1 2 1", "0 2 1"])
            }
        },
        ConformanceCase(
            "import.mirror-hook", in: .importing,
            "a record whose object a hook skips is in the source, and is not deleted"
        ) { trial in
            try opened(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "name": "Ada"], ["id": 2, "name": "Bo"], ["id": 3, "name": "Cy"],
                ]
                try tx.import(source, as: Guest.self)
                let rest: ImportValue = [["id": 1, "name": "Robot", "role": "robot"], ["id": 3, "name": "Cy"]]
                let report = try tx.import(rest, as: Guest.self, with: Importer(.mirror())).report
                try expectEqual(report.counts, [0, 0, 1, 1, 0])
                try expectEqual(report.deletedKeys, [.integer(2)])
                try expectEqual(try tx.fetch(Guest.all).map(\.name), ["Ada", "Cy"])

                let unknown: ImportValue = [["role": "robot"], ["id": 3, "name": "Cy"]]
                try expectEqual(try tx.import(unknown, as: Guest.self, with: Importer(.mirror())).report.deleted, 0)
                try expectEqual(try tx.count(Guest.all), 2)
            }
        },
        ConformanceCase("import.hook-did", in: .importing, "a record is changed or refused after it is made") { trial in
            try opened(trial).write { tx in
                let source: ImportValue = [["id": 1, "name": "Ada"], ["id": 2, "name": "Error"]]
                let result = try tx.import(source, as: Guest.self, with: reporting)
                try expectEqual(result.records, [Guest(id: 1, name: "Ada", initial: "A")])
                try expectEqual(result.report.counts, [1, 0, 0, 0, 1])
                try expectEqual(result.report.issues.map(\.path), ["$[1]"])
            }
        },
        ConformanceCase(
            "import.validated", in: .importing, "a record that is not valid is refused, in a context as well"
        ) {
            trial in
            try opened(trial).write { tx in
                let source: ImportValue = [["id": 1, "name": "Ada"], ["id": 2, "name": ""]]
                try expectError(.invalidRecord, entity: "Guest", attributes: ["name"]) {
                    try tx.import(source, as: Guest.self).records
                }
                try expectEqual(try tx.import(source, as: Guest.self, with: reporting).report.counts, [1, 0, 0, 0, 1])
            }
            let context = try trial.stack.makeContext()
            _ = try expectError(.invalidRecord, entity: "Guest") {
                try context.import([["id": 3, "name": ""]] as ImportValue, as: Guest.self).records
            }
            try expectEqual(context.hasChanges, false)
        },
        ConformanceCase(
            "import.decode-hooks", in: .importing, "hooks and rules of a type see each value that is decoded"
        ) { trial in
            try opened(trial).read { snapshot in
                let source: ImportValue = [
                    ["id": 1, "full_name": "Ada", "host": ["id": 2, "full_name": "Bo"]], ["id": 2, "role": "robot"],
                    ["id": 3, "full_name": ""], ["id": 4, "full_name": "Error"], ["id": 5, "role": "anonymous"],
                    ["id": 6, "role": "thief"],
                ]
                let decoded = try reporting.decode(source, as: Guest.self, in: snapshot.schema)
                try expectEqual(
                    decoded.records,
                    [
                        Guest(id: 1, name: "Ada", initial: "A", host: Ref(2)),
                        Guest(id: 5, name: "Guest at $[4]", initial: "G"),
                    ])
                try expectEqual(decoded.origins.map(\.path), ["$[0]", "$[4]"])
                try expectEqual(decoded.report.counts, [0, 0, 0, 1, 3])
                try expectEqual(decoded.report.issues.map(\.path), ["$[2]", "$[3]", "$[5]"])
                try expectEqual(try snapshot.count(Guest.all), 0)
            }
        },
    ]
}
