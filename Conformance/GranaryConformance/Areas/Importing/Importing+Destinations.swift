import ConformanceKit
import GranaryCore
import GranaryImport

// Values of an object for attributes of the records that its references lead to.

/// People live in towns of lands; towns and lands are known by their names.
private let towns = Schema(entities: [
    Entity(
        "Land", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("code", String?.self),
        ], indexes: [.unique("name")]),
    Entity(
        "Town", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("mayor", String?.self),
            Attribute("land", .int64, isOptional: true, reference: .init(entity: "Land", onDelete: .nullify)),
        ], indexes: [.unique("name")], relationships: [Relationship("people", entity: "Someone", attribute: "town")]),
    Entity(
        "Someone", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String?.self),
            Attribute("town", .int64, isOptional: true, reference: .init(entity: "Town", onDelete: .nullify)),
        ]),
])

private func importer(_ mapping: ImportMapping, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.mappings["Someone"] = mapping
    importer.failures = .report
    change(&importer)
    return importer
}

private let mapping = ImportMapping().map("town.name", from: "townName").map("town.mayor", from: "mayor", "info.head")
    .map("town.land.name", from: "land").map("town.land.code", from: "codes[0]")

extension Transaction {
    /// `Ada: Rome (Eve) in Italy IT`, for each person.
    fileprivate func people() throws -> [String] {
        try fetch(Request("Someone")).map { person in
            func text(_ record: DynamicRecord?, _ name: String) throws -> String {
                try record?.value(name, as: String?.self) ?? "-"
            }
            let town = try person.value("town", as: Int64?.self).flatMap { try find("Town", $0) }
            let land = try town?.value("land", as: Int64?.self).flatMap { try find("Land", $0) }
            return try
                "\(text(person, "name")): \(text(town, "name")) (\(text(town, "mayor"))) in \(text(land, "name")) \(text(land, "code"))"
        }
    }

    fileprivate func importPeople(_ source: some ImportSource, _ importer: Importer) throws -> ImportReport {
        try self.import(source, as: "Someone", with: importer).report
    }
}

var importDestinationsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.destination", in: .importing,
            "values of an object make, find and change the records that its references lead to"
        ) { trial in
            try trial.open(towns)
            try trial.write { tx in
                let source: ImportValue = [
                    [
                        "id": 1, "name": "Ada", "townName": "Rome", "mayor": "Eve", "land": "Italy",
                        "codes": ["IT", "I"],
                    ],
                    ["id": 2, "name": "Bo", "townName": "Rome"],
                    ["id": 3, "name": "Cy", "townName": "Bari", "info": ["head": "Zoe"], "land": "Italy"],
                    ["id": 4, "name": "Di"],
                ]
                for counts in [[7, 0, 0, 0, 0], [0, 0, 7, 0, 0]] {
                    let report = try tx.importPeople(source, importer(mapping))
                    try expectEqual(report.issues.map(\.path), [])
                    try expectEqual(report.unknownKeys, [:])
                    try expectEqual(report.counts, counts)
                    try expectEqual(
                        try tx.people(),
                        [
                            "Ada: Rome (Eve) in Italy IT", "Bo: Rome (Eve) in Italy IT", "Cy: Bari (Zoe) in Italy IT",
                            "Di: - (-) in - -",
                        ])
                }
                try expectEqual(try tx.count(Request("Town")), 2)
                try expectEqual(try tx.count(Request("Land")), 1)
            }
        },
        ConformanceCase(
            "import.destination-null", in: .importing,
            "values that are absent or null leave the reference as it is; a null beside others clears its attribute"
        ) { trial in
            try trial.open(towns)
            try trial.write { tx in
                func people(_ object: ImportValue) throws -> [String] {
                    let report = try tx.importPeople(object, importer(mapping))
                    try expectEqual(report.issues.map(\.path), [])
                    return try tx.people()
                }
                let rome = ["Ada: Rome (Eve) in Italy -"]
                let first: ImportValue = ["id": 1, "name": "Ada", "townName": "Rome", "mayor": "Eve", "land": "Italy"]
                try expectEqual(try people(first), rome)
                try expectEqual(try people(["id": 1, "townName": nil, "mayor": nil, "land": nil]), rome)
                try expectEqual(try people(["id": 1, "townName": "Rome", "land": nil, "codes": nil]), rome)
                try expectEqual(
                    try people(["id": 1, "townName": "Rome", "mayor": nil]), ["Ada: Rome (-) in Italy -"])
                // A value for the reference itself tells the record; the others change it.
                let town = try tx.fetch(Request("Town")).first?.value("id", as: Int64.self) ?? 0
                try expectEqual(
                    try people(["id": 1, "town": .integer(town), "townName": "Roma", "mayor": "Flo"]),
                    ["Ada: Roma (Flo) in Italy -"])
                try expectEqual(
                    try people(["id": 1, "town": ["id": .integer(town), "mayor": "X"], "mayor": "Gil"]),
                    ["Ada: Roma (Gil) in Italy -"])
                try expectEqual(try people(["id": 1, "town": nil]), ["Ada: - (-) in - -"])
                try expectEqual(try tx.count(Request("Town")), 1)
            }
        },
        ConformanceCase(
            "import.destination-table", in: .importing, "columns of a table are named by the paths of the attributes"
        ) { trial in
            try trial.open(towns)
            try trial.write { tx in
                let columns = ImportMapping().map("town.name", from: "town.name").map(
                    "town.land.name", from: "town.land.name")
                let source = ImportInput.csv(.text("id,name,town.name,town.land.name\n1,Ada,Rome,Italy\n2,Bo,,\n"))
                let report = try tx.importPeople(source, importer(columns) { $0.isStrict = true })
                try expectEqual(report.issues.map(\.description), [])
                try expectEqual(try tx.people(), ["Ada: Rome (-) in Italy -", "Bo: - (-) in - -"])
            }
        },
        ConformanceCase(
            "import.destination-mapped", in: .importing,
            "values reach attributes that the other record's own mapping reads from other keys"
        ) { trial in
            try trial.open(towns)
            try trial.write { tx in
                var renamed = importer(ImportMapping().map("town.name", from: "a").map("town.mayor", from: "b"))
                renamed.mappings["Town"] = ImportMapping().withoutInference().map("name", from: "title")
                    .map("mayor", from: "head")
                let report = try tx.importPeople(["id": 1, "a": "Rome", "b": "Eve"] as ImportValue, renamed)
                try expectEqual(report.issues.map(\.description), [])
                try expectEqual(try tx.people(), ["-: Rome (Eve) in - -"])
                renamed.mappings["Town"] = ImportMapping().withoutInference().map("name", from: "title")
                let refused = try tx.importPeople(["id": 1, "a": "Rome", "b": "Eve"] as ImportValue, renamed)
                try expectEqual(refused.issues.map(\.error.code), [.invalidQuery])
                try expectEqual(refused.failed, 1)
            }
        },
        ConformanceCase(
            "import.destination-wrong", in: .importing,
            "a name that does not lead to an attribute is refused when the import begins; a path without values is told"
        ) { trial in
            try trial.open(towns)
            try trial.write { tx in
                let object: ImportValue = ["id": 1, "x": 1, "name": "Ada"]
                let wrong: [(GranaryError.Code, ImportMapping)] = [
                    (.unknownAttribute, ImportMapping().map("village.name", from: "x")),
                    (.unknownAttribute, ImportMapping().map("town.size", from: "x")),
                    (.unknownAttribute, ImportMapping().map("town.", from: "x")),
                    (.invalidQuery, ImportMapping().map("name.first", from: "x")),
                    (.invalidQuery, ImportMapping().map("town.people.name", from: "x")),
                    (.invalidQuery, ImportMapping().map("town.name", from: "x").connect("town", ["y": "name"])),
                ]
                for (code, mapping) in wrong {
                    try expectError(code) { try tx.importPeople(object, importer(mapping)) }
                }
                let unused = try tx.importPeople(
                    object, importer(ImportMapping().map("town.name", from: "x.y").map("town.mayor", from: "nothing")))
                try expectEqual(unused.unusedPaths.map(\.name), ["town.mayor"])
                try expectEqual(unused.issues.map(\.path), ["$.town.name"])
                try expectEqual(try tx.people(), ["Ada: - (-) in - -"])
            }
        },
        ConformanceCase(
            "import.destination-export", in: .importing, "an export writes what an import reads for another record"
        ) { trial in
            try trial.open(towns)
            try trial.write { tx in
                let flat = ImportMapping().map("town.name", from: "townName").map("town.mayor", from: "at.mayor")
                let source: ImportValue = [
                    ["id": 1, "name": "Ada", "townName": "Rome", "at": ["mayor": "Eve"]], ["id": 2, "name": "Bo"],
                ]
                _ = try tx.importPeople(source, importer(flat))
                var exporter = Exporter()
                exporter.mapping = flat.ignore("town")
                let text = try tx.export(Request("Someone"), to: .json(.bytes), with: exporter)
                try expectEqual(
                    String(decoding: text.bytes, as: UTF8.self),
                    #"[{"id":1,"name":"Ada","at":{"mayor":"Eve"},"townName":"Rome"},{"id":2,"name":"Bo","at":{"mayor":null},"townName":null}]"#
                        + "\n")
                exporter.mapping = mapping
                try expectError(.unsupported, entity: "Someone") {
                    try tx.export(Request("Someone"), to: .json(.bytes), with: exporter).bytes
                }
            }
        },
    ]
}
