import ConformanceKit
import GranaryCore
import GranaryImport

// Which record an object is, where a reference tells it among others: by the key of what it names, by another attribute of
// that, by the object that it is nested in.

/// Discs are known by their owner and title, parts by their disc and number.
private let library = Schema(entities: [
    Entity(
        "Owner", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        indexes: [.unique("name")], relationships: [Relationship("discs", entity: "Disc", attribute: "owner")]),
    Entity(
        "Disc", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("year", Int64?.self),
            Attribute("owner", .int64, reference: .init(entity: "Owner", onDelete: .cascade)),
        ], indexes: [.unique("owner", "title")],
        relationships: [Relationship("parts", entity: "Part", attribute: "disc")]),
    Entity(
        "Part", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("number", Int64.self), Attribute("text", String?.self),
            Attribute("disc", .int64, isOptional: true, reference: .init(entity: "Disc", onDelete: .nullify)),
        ], indexes: [.unique("disc", "number")]),
])

private func byName(_ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.mappings["Disc"] = ImportMapping().relate("owner", by: "name")
    change(&importer)
    return importer
}

private func disc(_ owner: ImportValue, _ title: String, _ year: Int64? = nil) -> ImportValue {
    let values: [ImportObject.Member] = [.init("owner", owner), .init("title", .string(title))]
    return .object(ImportObject(values + (year.map { [.init("year", .integer($0))] } ?? [])))
}

extension ReadContext {
    /// Each disc as its owner, title and year.
    fileprivate var discs: [String] {
        get throws {
            try fetch(Request("Disc").sorted(by: "id")).map { disc in
                let owner = try find("Owner", disc["owner"] ?? .null)
                let year = try disc.value("year", as: Int64?.self).map { " \($0)" } ?? ""
                return try
                    "\(owner?.value("name", as: String.self) ?? "-") \(disc.value("title", as: String.self))\(year)"
            }
        }
    }
}

var importIdentityCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.compound-named", in: .importing,
            "a record is found by a reference that names its target by another attribute than the key"
        ) { trial in
            try trial.open(library)
            func run(_ context: Context) throws {
                for size in [1, 2, 500] {
                    let importer = byName { $0.batchSize = size }
                    try Request("Owner").deleteAll(in: context)
                    try context.import([["name": "Ada"], ["name": "Bo"]] as ImportValue, as: "Owner")
                    let source: ImportValue = [disc("Ada", "A"), disc("Bo", "A"), disc("Ada", "B")]
                    try expectEqual(
                        try context.import(source, as: "Disc", with: importer).report.counts, [3, 0, 0, 0, 0], "\(size)"
                    )
                    try expectEqual(
                        try context.import(source, as: "Disc", with: importer).report.counts, [0, 0, 3, 0, 0], "\(size)"
                    )
                    let again: ImportValue = [disc("Bo", "A", 2), disc(["name": "Ada"], "B", 3), disc("Bo", "A", 4)]
                    let result = try context.import(again, as: "Disc", with: importer)
                    try expectEqual(result.report.issueCount, 0)
                    try expectEqual(try context.discs, ["Ada A", "Bo A 4", "Ada B 3"], "\(size)")
                    try expectEqual(result.records[0].key, result.records[2].key)
                }
            }
            try trial.write { try run($0) }
            let edit = try trial.stack.makeContext()
            try run(edit.makeChild())
            try run(edit)
        },
        ConformanceCase(
            "import.compound-nested", in: .importing,
            "a record nested in one that is named by another attribute than the key is found"
        ) { trial in
            try trial.open(library)
            try trial.write { tx in
                for size in [1, 500] {
                    try Request("Owner").deleteAll(in: tx)
                    try Request("Part").deleteAll(in: tx)
                    let importer = byName { $0.batchSize = size }
                    let source: ImportValue = [
                        [
                            "name": "Ada",
                            "discs": [["title": "A", "parts": [["number": 1], ["number": 2]]], ["title": "B"]],
                        ],
                        ["name": "Bo", "discs": [["title": "A", "parts": [["number": 1]]]]],
                    ]
                    try expectEqual(
                        try tx.import(source, as: "Owner", with: importer).report.counts, [8, 0, 0, 0, 0], "\(size)")
                    try expectEqual(
                        try tx.import(source, as: "Owner", with: importer).report.counts, [0, 0, 8, 0, 0], "\(size)")
                    try expectEqual(try tx.discs, ["Ada A", "Ada B", "Bo A"])
                    // By what names what names it.
                    let parts: ImportValue = [
                        ["number": 1, "text": "x", "disc": ["title": "A", "owner": "Bo"]],
                        ["number": 2, "text": "y", "disc": ["title": "A", "owner": ["name": "Ada"]]],
                    ]
                    try expectEqual(
                        try tx.import(parts, as: "Part", with: importer).report.updated, 2, "\(size)")
                    try expectEqual(try tx.count(Request("Part")), 3)
                }
            }
        },
        ConformanceCase(
            "import.compound-new", in: .importing,
            "what a new record tells among others is a new record, once"
        ) { trial in
            try trial.open(library)
            try trial.write { tx in
                for size in [1, 2, 500] {
                    try Request("Owner").deleteAll(in: tx)
                    let importer = byName { $0.batchSize = size }
                    let source: ImportValue = [
                        disc(["name": "Cy"], "A", 1), disc(["name": "Di"], "A", 2), disc(["name": "Cy"], "A", 3),
                        disc("Di", "B", 4), disc("Cy", "A", 5),
                    ]
                    let result = try tx.import(source, as: "Disc", with: importer)
                    try expectEqual(result.report.issueCount, 0)
                    try expectEqual(try tx.discs, ["Cy A 5", "Di A 2", "Di B 4"], "\(size)")
                    try expectEqual(try tx.count(Request("Owner")), 2)
                    let stubs = byName {
                        $0.batchSize = size
                        $0.mappings["Disc"] = ImportMapping().relate("owner", by: "name", missing: .makeStub)
                    }
                    try tx.import([disc("Ed", "A", 6), disc("Ed", "A", 7)] as ImportValue, as: "Disc", with: stubs)
                    try expectEqual(try tx.discs.last, "Ed A 7")
                    try expectEqual(try tx.count(Request("Disc")), 4)
                }
            }
        },
        ConformanceCase(
            "import.compound-later", in: .importing,
            "what names a record that comes later waits for it, and fails if it does not come"
        ) { trial in
            try trial.open(library)
            try trial.write { tx in
                for size in [1, 500] {
                    try Request("Owner").deleteAll(in: tx)
                    try Request("Part").deleteAll(in: tx)
                    let importer = byName {
                        $0.batchSize = size
                        $0.failures = .report
                        $0.choose = { value, _ in
                            value["number"] != nil ? "Part" : value["title"] != nil ? "Disc" : "Owner"
                        }
                    }
                    let source: ImportValue = [
                        ["number": 1, "text": "x", "disc": ["title": "A", "owner": "Ada"]], disc("Ada", "A", 1),
                        disc("Nobody", "A", 1), ["name": "Ada"],
                    ]
                    let report = try tx.import(source, as: "Disc", with: importer).report
                    try expectEqual(report.issues.map(\.path), ["$[2]"], "\(size)")
                    try expectEqual(try tx.discs, ["Ada A 1"], "\(size)")
                    let part = try tx.fetch(Request("Part")).first
                    try expectEqual(part?["disc"], try tx.fetch(Request("Disc")).first?.key, "\(size)")
                }
            }
        },
        ConformanceCase(
            "import.compound-held", in: .importing,
            "what is the same record as an object that waits for its owner comes after it"
        ) { trial in
            try trial.open(library)
            try trial.write { tx in
                for size in [1, 2, 500] {
                    try Request("Owner").deleteAll(in: tx)
                    try tx.import([["name": "Bo"]] as ImportValue, as: "Owner")
                    let importer = byName {
                        $0.batchSize = size
                        $0.choose = { value, _ in value["title"] != nil ? "Disc" : "Owner" }
                    }
                    let source: ImportValue = [
                        disc("Ada", "A", 1), ["name": "Ada"], disc("Ada", "A", 2), disc("Bo", "A", 3),
                    ]
                    try expectEqual(try tx.import(source, as: "Disc", with: importer).report.issueCount, 0)
                    try expectEqual(try tx.discs.sorted(), ["Ada A 2", "Bo A 3"], "\(size)")
                }
            }
        },
        ConformanceCase(
            "import.compound-keyed", in: .importing,
            "a record is found by a name that a later object gives to the record that it refers to"
        ) { trial in
            try trial.open(chainSchema)
            try trial.write { tx in
                for size in [1, 500] {
                    try Request("Owner").deleteAll(in: tx)
                    try tx.import([["id": 5, "name": "Old"]] as ImportValue, as: "Owner")
                    try tx.import([["id": 1, "owner": 5, "title": "A", "year": 1]] as ImportValue, as: "Disc")
                    let importer = byName {
                        $0.batchSize = size
                        $0.choose = { value, _ in value["title"] != nil ? "Disc" : "Owner" }
                    }
                    let source: ImportValue = [disc("Ada", "A", 2), ["id": 5, "name": "Ada"]]
                    try expectEqual(try tx.import(source, as: "Disc", with: importer).report.counts, [0, 2, 0, 0, 0])
                    try expectEqual(try tx.discs, ["Ada A 2"], "\(size)")
                }
            }
        },
        ConformanceCase(
            "import.compound-connected", in: .importing,
            "a record is connected by a name and an owner that come in the same import"
        ) { trial in
            try trial.open(library)
            try trial.write { tx in
                let part: ImportValue = ["number": 1, "text": "x", "on": "A", "by": "Ada"]
                for size in [1, 2, 500] {
                    for source in [
                        [part, disc("Ada", "A", 1), ["name": "Ada"]], [["name": "Ada"], disc("Ada", "A", 1), part],
                        [disc("Ada", "A", 1), part, ["name": "Ada"]],
                    ] as [ImportValue] {
                        try Request("Owner").deleteAll(in: tx)
                        try Request("Part").deleteAll(in: tx)
                        let importer = byName {
                            $0.batchSize = size
                            $0.mappings["Part"] = ImportMapping().connect("disc", ["on": "title", "by": "owner"])
                            $0.choose = { value, _ in
                                value["number"] != nil ? "Part" : value["title"] != nil ? "Disc" : "Owner"
                            }
                        }
                        let report = try tx.import(source, as: "Part", with: importer).report
                        try expectEqual(report.counts, [3, 0, 0, 0, 0], "\(size)")
                        try expectEqual(try tx.discs, ["Ada A 1"], "\(size)")
                        let connected = try tx.fetch(Request("Part")).first
                        try expectEqual(connected?["disc"], try tx.fetch(Request("Disc")).first?.key, "\(size)")
                    }
                }
            }
        },
        ConformanceCase(
            "import.compound-null", in: .importing,
            "an object whose reference is null, or names a record that does not exist, fails"
        ) { trial in
            try trial.open(library)
            try trial.write { tx in
                let importer = byName { $0.failures = .report }
                let source: ImportValue = [
                    ["number": 1, "disc": nil], ["number": 3, "disc": ["title": "A", "owner": "Ada"]],
                ]
                let report = try tx.import(source, as: "Part", with: importer).report
                try expectEqual(report.inserted, 0)
                try expectEqual(try tx.count(Request("Part")), 0)
                try expectEqual(report.failed, 3)
            }
        },
        ConformanceCase(
            "import.compound-many", in: .importing, "records of many pairs of values are found, and no others"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            try trial.write { tx in
                try tx.insert((0..<400).map { Coupon(id: Int64($0), series: "\($0 % 20)", number: $0 / 20) })
                let source = (0..<20).map { number -> ImportValue in
                    ["series": .string("\(number)"), "number": .integer(Int64(number)), "text": .string("\(number)")]
                }
                let result = try tx.import(source, as: Coupon.self)
                try expectEqual(result.records.map(\.id), (0..<20).map { Int64($0 * 21) })
                try expectEqual(try tx.count(Coupon.where { $0.text != nil }), 20)
            }
        },
    ]
}
