import ConformanceKit
import GranaryCore
import GranaryImport

// Lists whose records are named by several attributes together, in arrays of their own or in one.

/// Discs are known by their title and year; a rack has some of them, a case holds others.
private let racks = Schema(entities: [
    Entity(
        "Disc", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("year", Int64.self),
            Attribute("shelf", .int64, isOptional: true, reference: .init(entity: "Rack", onDelete: .nullify)),
        ], indexes: [.unique("title", "year")]),
    Entity(
        "Rack", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String?.self),
            Attribute("best", .int64, isOptional: true, reference: .init(entity: "Disc", onDelete: .nullify)),
        ],
        relationships: [
            Relationship("stored", entity: "Disc", attribute: "shelf"),
            Relationship(
                "discs", entity: "Rack_discs", attribute: "source", through: "target", orderedBy: "position"),
        ]),
    Entity(
        "Rack_discs", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self),
            Attribute("source", .int64, reference: .init(entity: "Rack", onDelete: .cascade)),
            Attribute("target", .int64, reference: .init(entity: "Disc", onDelete: .cascade)),
            Attribute("position", Int64.self),
        ], indexes: [.unique("source", "target"), .index("target")]),
])

private func importer(_ mapping: ImportMapping, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.mappings["Rack"] = mapping
    importer.failures = .report
    change(&importer)
    return importer
}

extension ReadContext {
    /// The discs of a list of a rack, in the order of the list: `Axis 1967`.
    fileprivate func discs(_ list: String, of rack: Int64) throws -> [String] {
        guard let rack = try find("Rack", rack) else { return [] }
        return try rack.related(list).all(in: self.schema).fetch(in: self).map { disc in
            "\(try disc.value("title", as: String.self)) \(try disc.value("year", as: Int64.self))"
        }
    }
}

extension Transaction {
    fileprivate func importRacks(_ source: ImportValue, _ importer: Importer) throws -> ImportReport {
        try self.import(source, as: "Rack", with: importer).report
    }
}

extension Trial {
    /// Racks 1 and 2, which have nothing, and the discs Axis of 1967 and 1968 and Smash of 1968.
    fileprivate func openRacks() throws -> Trial {
        try open(racks)
        try write { tx in
            try tx.import([["id": 1], ["id": 2]] as ImportValue, as: "Rack")
            let discs: ImportValue = [
                ["title": "Axis", "year": 1967], ["title": "Axis", "year": 1968], ["title": "Smash", "year": 1968],
            ]
            try tx.import(discs, as: "Disc")
        }
        return self
    }
}

var importConnectionsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.connect-reference", in: .importing,
            "a reference is connected by values of the object itself, and stays as it is if all of them are null or absent"
        ) { trial in
            try trial.openRacks().write { tx in
                let connected = importer(ImportMapping().connect("best", ["title": "title", "year": "year"]))
                func best(_ object: ImportValue) throws -> StoredValue? {
                    let report = try tx.importRacks(object, connected)
                    try expectEqual(report.issues.map(\.path), [])
                    try expectEqual(report.unknownKeys, [:])
                    return try tx.find("Rack", 1)?["best"]
                }
                let discs = try tx.fetch(Request("Disc")).map { $0["id"] }
                try expectEqual(try best(["id": 1, "title": "Axis", "year": "1968"]), discs[1])
                try expectEqual(try best(["id": 1, "title": nil, "year": nil]), discs[1])
                try expectEqual(try best(["id": 1, "year": nil]), discs[1])
                try expectEqual(try best(["id": 1]), discs[1])
                try expectEqual(try best(["id": 1, "title": "Axis", "year": 1967]), discs[0])
                try expectEqual(try tx.count(Request("Disc")), 3)
            }
        },
        ConformanceCase(
            "import.connect-lists", in: .importing,
            "a list is connected by arrays of the object itself, whose elements at one place name one record"
        ) { trial in
            try trial.openRacks().write { tx in
                for list in ["discs", "stored"] {
                    let connected = importer(ImportMapping().connect(list, ["titles": "title", "years": "year"]))
                    func discs(_ object: ImportValue) throws -> [String] {
                        let report = try tx.importRacks(object, connected)
                        try expectEqual(report.issues.map(\.path), [])
                        try expectEqual(report.unknownKeys, [:])
                        let discs = try tx.discs(list, of: 1)
                        return list == "discs" ? discs : discs.sorted()
                    }
                    let source: ImportValue = ["id": 1, "titles": ["Smash", "Axis"], "years": ["1968", 1967]]
                    let both = list == "discs" ? ["Smash 1968", "Axis 1967"] : ["Axis 1967", "Smash 1968"]
                    try expectEqual(try discs(source), both)
                    try expectEqual(try tx.import(source, as: "Rack", with: connected).report.counts, [0, 0, 1, 0, 0])
                    // Absent and null leave it alone, an empty array empties it.
                    try expectEqual(try discs(["id": 1]), both)
                    try expectEqual(try discs(["id": 1, "titles": nil, "years": nil]), both)
                    try expectEqual(try discs(["id": 1, "titles": [], "years": []]), [])
                    // One value counts for all, and values alone name one record.
                    try expectEqual(
                        try discs(["id": 1, "titles": ["Axis", "Smash", nil], "years": 1968]).sorted(),
                        ["Axis 1968", "Smash 1968"])
                    try expectEqual(try discs(["id": 1, "titles": "Axis", "years": 1967]), ["Axis 1967"])
                    // A place where all arrays have null names no record.
                    try expectEqual(
                        try discs(["id": 1, "titles": ["Smash", nil], "years": [1968, nil]]), ["Smash 1968"])
                }
                try expectEqual(try tx.count(Request("Disc")), 3)
            }
        },
        ConformanceCase(
            "import.connect-objects", in: .importing,
            "a list is connected by paths through an array of objects, each of which names one record"
        ) { trial in
            try trial.openRacks().write { tx in
                let mapping = ImportMapping().connect("discs", ["discs.name": "title", "discs.of.year": "year"])
                let source: ImportValue = [
                    [
                        "id": 1,
                        "discs": [
                            ["name": "Smash", "of": ["year": 1968]], ["other": 1],
                            ["name": "Axis", "of": ["year": 1967]],
                        ],
                    ],
                    // An object that lacks a value does not take that of the next one.
                    ["id": 2, "discs": [["name": "Smash"], ["of": ["year": 1968]]]],
                ]
                let report = try tx.import(source, as: "Rack", with: importer(mapping)).report
                try expectEqual(try tx.discs("discs", of: 1), ["Smash 1968", "Axis 1967"])
                try expectEqual(try tx.discs("discs", of: 2), [])
                try expectEqual(report.issues.map(\.path), ["$[1].discs[0]", "$[1].discs[1]"])
                try expectEqual(report.unknownKeys, ["Rack": ["discs.other"]])
                try expectEqual(try tx.count(Request("Disc")), 3)
            }
        },
        ConformanceCase(
            "import.connect-uneven", in: .importing,
            "arrays of different lengths connect nothing, are reported, and fail a strict import"
        ) { trial in
            try trial.openRacks().write { tx in
                let mapping = ImportMapping().connect("discs", ["titles": "title", "years": "year"])
                try tx.import(
                    ["id": 1, "titles": "Axis", "years": 1967] as ImportValue, as: "Rack", with: importer(mapping))
                let source: ImportValue = [["id": 1, "name": "r", "titles": ["Smash", "Axis"], "years": [1968]]]
                let report = try tx.import(source, as: "Rack", with: importer(mapping)).report
                try expectEqual(report.issues.map(\.path), ["$[0].discs"])
                try expectEqual(report.counts, [0, 1, 0, 0, 0])
                try expectEqual(try tx.discs("discs", of: 1), ["Axis 1967"])
                let strict = importer(mapping) {
                    $0.isStrict = true
                    $0.failures = .throw
                }
                try expectError(.typeMismatch, entity: "Rack", attributes: ["discs"]) {
                    try tx.import(source, as: "Rack", with: strict).records
                }
            }
        },
        ConformanceCase(
            "import.connect-lists-when", in: .importing,
            "only lists of objects of which a condition holds are connected"
        ) { trial in
            try trial.openRacks().write { tx in
                let mapping = ImportMapping().connect("discs", ["titles": "title", "years": "year"]) { value, place in
                    value["kind"] != "guest" && place.index < 2
                }
                let source: ImportValue = [
                    ["id": 1, "titles": ["Axis"], "years": 1967, "kind": "guest"],
                    ["id": 2, "titles": ["Axis"], "years": 1967, "kind": "host"],
                    ["id": 3, "titles": ["Axis"], "years": 1967],
                ]
                try tx.import(source, as: "Rack", with: importer(mapping))
                try expectEqual(try (1...3).map { try tx.discs("discs", of: $0) }, [[], ["Axis 1967"], []])
            }
        },
        ConformanceCase(
            "import.connect-lists-missing", in: .importing,
            "a member that does not exist waits for what comes later, is made, or is left out; others stay by the policy"
        ) { trial in
            try trial.openRacks().write { tx in
                func report(_ source: ImportValue, _ missing: ImportMissing, _ policy: ImportRelating = .replace) throws
                    -> ImportReport
                {
                    let mapping = ImportMapping().relate("discs", policy)
                        .connect("discs", ["titles": "title", "years": "year"], missing: missing)
                    let mixed = importer(mapping) {
                        $0.batchSize = 1
                        $0.choose = { value, _ in value["title"] == nil ? "Rack" : "Disc" }
                    }
                    return try tx.importRacks(source, mixed)
                }
                let new: ImportValue = ["id": 1, "titles": ["Axis", "New"], "years": [1967, 2001]]
                try expectEqual(try report(new, .ignore).issues.map(\.path), [])
                try expectEqual(try tx.discs("discs", of: 1), ["Axis 1967"])
                try expectEqual(try report([new, ["title": "New", "year": 2001]], .wait).issues.map(\.path), [])
                try expectEqual(try tx.discs("discs", of: 1), ["Axis 1967", "New 2001"])
                let made: ImportValue = ["id": 1, "titles": ["Made"], "years": 2002]
                try expectEqual(try report(made, .wait).issues.map(\.path), ["$.discs"])
                try expectEqual(try report(made, .makeStub, .add).inserted, 1)
                try expectEqual(try tx.discs("discs", of: 1), ["Axis 1967", "New 2001", "Made 2002"])
            }
        },
        ConformanceCase(
            "import.compound-arrays", in: .importing,
            "an array of values names one record by several attributes, in a list and in a reference"
        ) { trial in
            try trial.openRacks().write { tx in
                let mapping = ImportMapping().relate("discs", by: "title", "year").relate("best", by: "year", "title")
                    .relate("stored", by: "title", "year", missing: .makeStub)
                let source: ImportValue = [
                    [
                        "id": 1, "best": [1968, "Axis"], "discs": [["Smash", "1968"], ["Axis", 1967]],
                        "stored": [["Made", 2001]],
                    ],
                    ["id": 2, "best": [1968], "discs": [["Smash"], "Axis", ["Axis", 1968]]],
                ]
                let report = try tx.import(source, as: "Rack", with: importer(mapping)).report
                try expectEqual(report.issues.map(\.path), ["$[1].best", "$[1].discs[0]", "$[1].discs[1]"])
                try expectEqual(try tx.discs("discs", of: 1), ["Smash 1968", "Axis 1967"])
                try expectEqual(try tx.discs("discs", of: 2), ["Axis 1968"])
                try expectEqual(try tx.discs("stored", of: 1), ["Made 2001"])
                let best = try tx.find("Rack", 1)?["best"]
                try expectEqual(try tx.find("Disc", best ?? .null)?["year"], .integer(1968))
                try expectEqual(
                    try tx.import(source, as: "Rack", with: importer(mapping)).report.counts, [0, 0, 2, 0, 0])
                let wrong = importer(ImportMapping().relate("discs", by: "id", "year")) { $0.failures = .throw }
                try expectError(.invalidQuery, entity: "Disc") {
                    try tx.import([["id": 1, "discs": [[1, 1967]]]] as ImportValue, as: "Rack", with: wrong).records
                }
            }
        },
        ConformanceCase(
            "export.connect-lists", in: .exporting,
            "a list that is connected by values is written as these, and read again"
        ) { trial in
            try trial.openRacks().write { tx in
                let mapping = ImportMapping().withoutInference().map("id", from: "id")
                    .connect("discs", ["on.titles": "title", "years": "year"])
                let source: ImportValue = ["id": 1, "on": ["titles": ["Smash", "Axis"]], "years": [1968, 1967]]
                try tx.import(source, as: "Rack", with: importer(mapping))
                for relationships in [ExportedRelationships.lists, .nested(depth: 2)] {
                    var exporter = Exporter(relationships)
                    exporter.mapping = mapping
                    let query = Request("Rack").where(.compare("id", .equal, .integer(1)))
                    let text = String(
                        decoding: try tx.export(query, to: .lines, with: exporter).bytes, as: UTF8.self)
                    try expectEqual(
                        text, #"{"id":1,"on":{"titles":["Smash","Axis"]},"years":[1968,1967]}"# + "\n")
                    let again = ImportInput.json(.text(text), JSONOptions(layout: .lines))
                    try expectEqual(
                        try tx.import(again, as: "Rack", with: importer(mapping)).report.counts, [0, 0, 1, 0, 0])
                    exporter.mapping = ImportMapping().connect("discs", ["@parent.titles": "title"])
                    try expectError(.unsupported, entity: "Rack", attributes: ["discs"]) {
                        try tx.export(query, to: .lines, with: exporter).exported
                    }
                }
            }
        },
    ]
}
