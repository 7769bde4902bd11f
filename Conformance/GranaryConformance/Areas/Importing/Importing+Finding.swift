import ConformanceKit
import GranaryCore
import GranaryImport

// Records that are found by a query of the mapping, or by the reference of the record that has their object.

/// Drawings hang in rooms; each has one frame, and no two attributes of a drawing are unique.
private let gallery = Schema(entities: [
    Entity(
        "Frame", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("wood", String?.self), Attribute("width", Int64?.self),
        ]),
    Entity(
        "Drawing", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("year", Int64?.self),
            Attribute("isSold", Bool?.self),
            Attribute("frame", .int64, isOptional: true, reference: .init(entity: "Frame", onDelete: .nullify)),
            Attribute("room", .int64, isOptional: true, reference: .init(entity: "Room", onDelete: .nullify)),
        ]),
    Entity(
        "Room", key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String?.self)],
        relationships: [Relationship("drawings", entity: "Drawing", attribute: "room")]),
])

private func importer(
    _ drawings: ImportMapping, _ change: (inout Importer) -> Void = { _ in }
) -> Importer {
    var importer = Importer()
    importer.mappings["Drawing"] = drawings
    importer.failures = .report
    change(&importer)
    return importer
}

/// An unsold drawing by its title and year, as far as the object has them.
private let byTitle = ImportMapping().identify { value, _ in
    guard case .string(let title)? = value["title"] else { return nil }
    var conditions: [AnyCondition] = [
        .compare("title", .equal, .string(title)), .compare("isSold", .equal, .integer(0)),
    ]
    if case .integer(let year)? = value["year"] { conditions.append(.compare("year", .equal, .integer(year))) }
    return AnyRequest("Drawing", where: .all(conditions))
}

extension Transaction {
    fileprivate func importDrawings(_ source: ImportValue, _ importer: Importer) throws -> ImportReport {
        try self.import(source, as: "Drawing", with: importer).report
    }

    /// `1 Sun 1900`, for each drawing.
    fileprivate func drawings() throws -> [String] {
        try fetch(Request("Drawing")).map { drawing in
            let year = try drawing.value("year", as: Int64?.self).map { " \($0)" } ?? ""
            return "\(try drawing.value("id", as: Int64.self)) \(try drawing.value("title", as: String.self))\(year)"
        }
    }

    /// `1: 1 oak 3`, the frame of each drawing.
    fileprivate func frames() throws -> [String] {
        try fetch(Request("Drawing")).map { drawing in
            let id = try drawing.value("id", as: Int64.self)
            guard let key = try drawing.value("frame", as: Int64?.self), let frame = try find("Frame", key) else {
                return "\(id): -"
            }
            let width = try frame.value("width", as: Int64?.self).map { " \($0)" } ?? ""
            return "\(id): \(key) \(try frame.value("wood", as: String?.self) ?? "-")\(width)"
        }
    }
}

var importFindingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.find", in: .importing,
            "a query made of the object finds its record; what it does not find is a new record, once for equal queries"
        ) { trial in
            try trial.open(gallery)
            try trial.write { tx in
                let first: ImportValue = [
                    ["title": "Sun", "year": 1900, "isSold": false], ["title": "Moon", "isSold": true],
                    ["title": "Sun", "year": 1901, "isSold": false],
                ]
                let report = try tx.importDrawings(first, importer(byTitle))
                try expectEqual(report.issues.map(\.path), [])
                try expectEqual(report.counts, [3, 0, 0, 0, 0])
                // A sold drawing is not found, and each query sees what the object before it has changed.
                let second: ImportValue = [
                    ["title": "Sun", "year": 1901, "isSold": true], ["title": "Moon", "isSold": false],
                    ["title": "Sun", "isSold": true], ["title": "Moon", "isSold": true],
                ]
                let changed = try tx.importDrawings(second, importer(byTitle))
                try expectEqual(changed.issues.map(\.path), [])
                try expectEqual(try tx.drawings(), ["1 Sun 1900", "2 Moon", "3 Sun 1901", "4 Moon"])
                try expectEqual(changed.counts, [1, 2, 0, 0, 0])
                try expectEqual(changed.repeated, 1)
                // In one object of the source, two that ask the same are one record.
                let room: ImportValue = [
                    "id": 1,
                    "drawings": [["title": "Star", "isSold": false], ["title": "Star", "isSold": true], ["id": 2]],
                ]
                let nested = try tx.import(room, as: "Room", with: importer(byTitle)).report
                try expectEqual(nested.issues.map(\.path), [])
                try expectEqual(try tx.drawings().count, 5)
            }
        },
        ConformanceCase(
            "import.find-batches", in: .importing, "the records that queries find do not depend on the batches"
        ) { trial in
            try trial.open(gallery)
            try trial.write { tx in
                let source = ImportValue.array(
                    (0..<30).map { number in
                        [
                            "title": .string(["Sun", "Moon", "Star"][number % 3]), "year": .integer(Int64(number % 5)),
                            "isSold": .bool(number % 4 == 0), "frame": ["wood": .string("w\(number)")],
                        ]
                    })
                var expected: [[String]]?
                for size in [1, 7, 500] {
                    _ = try Request("Frame").deleteAll(in: tx)
                    _ = try Request("Drawing").deleteAll(in: tx)
                    var mapping = byTitle
                    mapping = mapping.relate("frame", updatesRelated: true)
                    let report = try tx.importDrawings(source, importer(mapping) { $0.batchSize = size })
                    try expectEqual(report.issues.map(\.path), [])
                    let titles = try tx.fetch(Request("Drawing")).map { drawing in
                        let key = try drawing.value("frame", as: Int64.self)
                        let wood = try tx.find("Frame", key)?.value("wood", as: String.self) ?? ""
                        return "\(try drawing.value("title", as: String.self)) \(wood)"
                    }
                    let outcome = [titles, report.counts.map { "\($0)" }, ["\(try tx.count(Request("Frame")))"]]
                    try expectEqual(outcome, expected ?? outcome, "batches of \(size)")
                    try expectEqual(try tx.count(Request("Frame")), titles.count)
                    expected = outcome
                }
            }
        },
        ConformanceCase(
            "import.find-key", in: .importing,
            "an object with a key is the record that its query finds, or no record is found; without a query, it tells itself"
        ) { trial in
            try trial.open(gallery)
            try trial.write { tx in
                _ = try tx.importDrawings(
                    [["title": "Sun", "isSold": false], ["title": "Sun", "isSold": false, "year": 3]],
                    importer(ImportMapping()) { $0.missingKey = .create })
                let source: ImportValue = [
                    ["id": 1, "title": "Sun", "year": 3], ["id": 2, "title": "Sun", "year": 3], ["title": "Sun"],
                    ["id": 1, "year": 8], ["year": 9], ["id": 2, "title": "Rain", "isSold": false],
                ]
                let report = try tx.importDrawings(source, importer(byTitle))
                try expectEqual(try tx.drawings(), ["1 Sun 8", "2 Rain 3"])
                try expectEqual(
                    report.issues.map { "\($0.path) \($0.error.code)" },
                    ["$[0] invalidRecord", "$[2] invalidRecord", "$[4] required"])
                try expectEqual(report.failed, 3)
                // A limited query has one record.
                let first = ImportMapping().identify { _, _ in AnyRequest("Drawing", limit: 1) }
                try expectEqual(try tx.importDrawings(["title": "One"], importer(first)).counts, [0, 1, 0, 0, 0])
                try expectEqual(try tx.drawings(), ["1 One 8", "2 Rain 3"])
                // The last of both words counts.
                let unique = byTitle.identify(by: "id")
                try expectEqual(try tx.importDrawings(["title": "One"], importer(unique)).failed, 1)
            }
        },
        ConformanceCase(
            "import.find-wrong", in: .importing, "an error of the code, or of its query, fails the object"
        ) { trial in
            try trial.open(gallery)
            try trial.write { tx in
                let wrong: [(GranaryError.Code, ImportMapping)] = [
                    (.invalidQuery, ImportMapping().identify { _, _ in AnyRequest("Room") }),
                    (
                        .unknownAttribute,
                        ImportMapping().identify { _, _ in
                            AnyRequest("Drawing", where: .compare("size", .equal, .integer(1)))
                        }
                    ),
                    (.invalidRecord, ImportMapping().identify { _, _ in throw NoDrawing() }),
                ]
                for (code, mapping) in wrong {
                    let report = try tx.importDrawings([["title": "A"], ["title": "B"]], importer(mapping))
                    try expectEqual(report.issues.map(\.error.code), [code, code])
                    try expectEqual(report.counts, [0, 0, 0, 0, 2])
                    try expectError(code) {
                        try tx.importDrawings([["title": "A"]], importer(mapping) { $0.failures = .throw })
                    }
                }
                try expectEqual(try tx.drawings(), [])
            }
        },
        ConformanceCase(
            "import.related", in: .importing,
            "an object without identity updates the record that is related, or is a new one if none is"
        ) { trial in
            try trial.open(gallery)
            try trial.write { tx in
                let related = ImportMapping().relate("frame", updatesRelated: true)
                func report(_ source: ImportValue) throws -> ImportReport {
                    let report = try tx.importDrawings(source, importer(related))
                    try expectEqual(report.issues.map(\.description), [])
                    return report
                }
                let first: ImportValue = [
                    ["id": 1, "title": "Sun", "frame": ["wood": "oak", "width": 3]], ["id": 2, "title": "Moon"],
                ]
                try expectEqual(try report(first).counts, [3, 0, 0, 0, 0])
                try expectEqual(try tx.frames(), ["1: 1 oak 3", "2: -"])
                try expectEqual(try report(first).counts, [0, 0, 3, 0, 0])
                let second: ImportValue = [
                    ["id": 1, "frame": ["wood": "elm"]], ["id": 2, "frame": ["wood": "fir"]],
                    ["id": 2, "frame": ["width": 9]], ["id": 1, "frame": ["id": 2, "width": 1]],
                    ["id": 1, "frame": ["wood": "ash"]],
                ]
                _ = try report(second)
                try expectEqual(try tx.frames(), ["1: 2 ash 1", "2: 2 ash 1"])
                try expectEqual(try tx.count(Request("Frame")), 2)
                _ = try report(["id": 1, "frame": nil])
                _ = try report(["id": 1, "frame": ["wood": "new"]])
                try expectEqual(try tx.frames(), ["1: 3 new", "2: 2 ash 1"])
                // Without the option, the object fails.
                let failing = try tx.importDrawings(["id": 1, "frame": ["wood": "x"]], importer(ImportMapping()))
                try expectEqual(failing.issues.map(\.error.code), [.required])
                for wrong in ["title", "nothing"] {
                    let code: GranaryError.Code = wrong == "title" ? .invalidQuery : .unknownAttribute
                    try expectError(code) {
                        try tx.importDrawings([], importer(ImportMapping().relate(wrong, updatesRelated: true)))
                    }
                }
                try expectError(.invalidQuery, entity: "Room", attributes: ["drawings"]) {
                    var rooms = Importer()
                    rooms.mapping = ImportMapping().relate("drawings", updatesRelated: true)
                    return try tx.import([] as ImportValue, as: "Room", with: rooms).report
                }
            }
        },
        ConformanceCase(
            "import.related-mapped", in: .importing,
            "values for attributes of the related record change it where it is not known by them"
        ) { trial in
            try trial.open(gallery)
            try trial.write { tx in
                let mapping = ImportMapping().relate("frame", updatesRelated: true).map("frame.wood", from: "wood")
                    .map("frame.width", from: "width")
                let source: ImportValue = [["id": 1, "title": "Sun", "wood": "oak", "width": 4]]
                try expectEqual(try tx.importDrawings(source, importer(mapping)).counts, [2, 0, 0, 0, 0])
                let change: ImportValue = [["id": 1, "wood": "elm", "width": nil]]
                try expectEqual(try tx.importDrawings(change, importer(mapping)).counts, [0, 1, 1, 0, 0])
                try expectEqual(try tx.frames(), ["1: 1 elm"])
            }
        },
    ]
}

private struct NoDrawing: Error {}
