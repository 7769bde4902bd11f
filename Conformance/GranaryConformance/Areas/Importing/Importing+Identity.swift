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

/// Records of which each names another one by a unique name, and has its key from the store.
private let chains = Schema(entities: [
    Entity(
        "Node", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self),
            Attribute("next", .int64, isOptional: true, reference: .init(entity: "Node", onDelete: .nullify)),
        ], indexes: [.unique("name")], relationships: [Relationship("before", entity: "Node", attribute: "next")]),
    Entity(
        "Disc", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("year", Int64?.self),
            Attribute("owner", .int64, reference: .init(entity: "Owner", onDelete: .cascade)),
        ], indexes: [.unique("owner", "title")]),
    Entity(
        "Owner", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        indexes: [.unique("name")], relationships: [Relationship("discs", entity: "Disc", attribute: "owner")]),
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
            try fetch(DynamicQuery("Disc").sorted(by: "id")).map { disc in
                let owner = try find("Owner", key: disc["owner"] ?? .null)
                let year = try disc.value("year", as: Int64?.self).map { " \($0)" } ?? ""
                return try
                    "\(owner?.value("name", as: String.self) ?? "-") \(disc.value("title", as: String.self))\(year)"
            }
        }
    }
}

let importIdentityCases: [ConformanceCase] = [
    ConformanceCase(
        "import.compound-named", in: .importing,
        "a record is found by a reference that names its target by another attribute than the key"
    ) { trial in
        try trial.open(library)
        func run(_ context: some Context) throws {
            for size in [1, 2, 500] {
                let importer = byName { $0.batchSize = size }
                try context.deleteAll(DynamicQuery("Owner"))
                try context.import([["name": "Ada"], ["name": "Bo"]] as ImportValue, as: "Owner")
                let source: ImportValue = [disc("Ada", "A"), disc("Bo", "A"), disc("Ada", "B")]
                try expectEqual(
                    try context.import(source, as: "Disc", with: importer).report.counts, [3, 0, 0, 0, 0], "\(size)")
                try expectEqual(
                    try context.import(source, as: "Disc", with: importer).report.counts, [0, 0, 3, 0, 0], "\(size)")
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
                try tx.deleteAll(DynamicQuery("Owner"))
                try tx.deleteAll(DynamicQuery("Part"))
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
                try expectEqual(try tx.count(DynamicQuery("Part")), 3)
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
                try tx.deleteAll(DynamicQuery("Owner"))
                let importer = byName { $0.batchSize = size }
                let source: ImportValue = [
                    disc(["name": "Cy"], "A", 1), disc(["name": "Di"], "A", 2), disc(["name": "Cy"], "A", 3),
                    disc("Di", "B", 4), disc("Cy", "A", 5),
                ]
                let result = try tx.import(source, as: "Disc", with: importer)
                try expectEqual(result.report.issueCount, 0)
                try expectEqual(try tx.discs, ["Cy A 5", "Di A 2", "Di B 4"], "\(size)")
                try expectEqual(try tx.count(DynamicQuery("Owner")), 2)
                let stubs = byName {
                    $0.batchSize = size
                    $0.mappings["Disc"] = ImportMapping().relate("owner", by: "name", missing: .makeStub)
                }
                try tx.import([disc("Ed", "A", 6), disc("Ed", "A", 7)] as ImportValue, as: "Disc", with: stubs)
                try expectEqual(try tx.discs.last, "Ed A 7")
                try expectEqual(try tx.count(DynamicQuery("Disc")), 4)
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
                try tx.deleteAll(DynamicQuery("Owner"))
                try tx.deleteAll(DynamicQuery("Part"))
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
                let part = try tx.fetch(DynamicQuery("Part")).first
                try expectEqual(part?["disc"], try tx.fetch(DynamicQuery("Disc")).first?.key, "\(size)")
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
                try tx.deleteAll(DynamicQuery("Owner"))
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
        try trial.open(chains)
        try trial.write { tx in
            for size in [1, 500] {
                try tx.deleteAll(DynamicQuery("Owner"))
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
                    try tx.deleteAll(DynamicQuery("Owner"))
                    try tx.deleteAll(DynamicQuery("Part"))
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
                    let connected = try tx.fetch(DynamicQuery("Part")).first
                    try expectEqual(connected?["disc"], try tx.fetch(DynamicQuery("Disc")).first?.key, "\(size)")
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
            try expectEqual(try tx.count(DynamicQuery("Part")), 0)
            try expectEqual(report.failed, 3)
        }
    },
    ConformanceCase(
        "import.unique-passed-on", in: .importing,
        "objects with different keys are different, also with one unique value"
    ) { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [
                ["id": 8, "label": "A"], ["id": 9, "label": "A"], ["id": 8, "label": "B"], ["label": "A"],
            ]
            let result = try tx.import(source, as: Genre.self)
            try expectEqual(result.records.map(\.id), [8, 9, 8, 9])
            try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Folk", "B", "A"])
            try expectError(.uniqueness, entity: "Genre") {
                try tx.import([["id": 11, "label": "C"], ["id": 12, "label": "C"]] as ImportValue, as: Genre.self)
                    .records
            }
        }
    },
    ConformanceCase(
        "import.unique-moved", in: .importing,
        "a unique value that an object gives away does not name its record any more"
    ) { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [["id": 1, "label": "Soul"], ["id": 20, "label": "Rock"], ["label": "Rock"]]
            let result = try tx.import(source, as: Genre.self)
            try expectEqual(result.records.map(\.id), [1, 20, 20])
        }
    },
    ConformanceCase("import.exchanged", in: .importing, "records of one batch exchange unique values") { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [
                ["id": 1, "label": "Jazz"], ["id": 2, "label": "Folk"], ["id": 3, "label": "Rock"],
            ]
            let report = try tx.import(source, as: Genre.self).report
            try expectEqual(report.counts, [0, 3, 0, 0, 0])
            try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Jazz", "Folk", "Rock"])
            let nested: ImportValue = [
                ["id": 9, "label": "Zoe", "genre": ["id": 4, "label": "Jazz"]],
                ["id": 1, "genre": ["id": 1, "label": "Soul"]],
            ]
            try tx.import(nested, as: Artist.self)
            try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Soul", "Folk", "Rock", "Jazz"])
        }
        let context = try trial.stack.makeContext()
        try context.import([["id": 2, "label": "Rock"], ["id": 3, "label": "Folk"]] as ImportValue, as: Genre.self)
        try await context.save()
        let labels = try await trial.stack.read { try $0.fetch(Genre.all).map(\.label) }
        try expectEqual(labels, ["Soul", "Rock", "Folk", "Jazz"])
    },
    ConformanceCase(
        "import.merged-later", in: .importing,
        "two objects that name one record by key and by name are one, the last counts"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let owner = try tx.import([["id": 5, "name": "Ada"]] as ImportValue, as: "Owner").records[0]
            try tx.import([["id": 1, "owner": 5, "title": "A", "year": 1]] as ImportValue, as: "Disc")
            for (year, source) in [
                (3, [["id": 1, "year": 2], ["owner": 5, "title": "A", "year": 3]]),
                (5, [["owner": 5, "title": "A", "year": 4], ["id": 1, "year": 5]]),
            ] as [(Int64, ImportValue)] {
                let result = try tx.import(source, as: "Disc")
                try expectEqual(try result.records.map { try $0.value("year", as: Int64.self) }, [year, year])
                try expectEqual(result.report.counts, [0, 1, 0, 0, 0])
            }
            try expectEqual(owner.key, .integer(5))
        }
    },
    ConformanceCase(
        "import.compound-reference", in: .importing, "a record is found by a reference and another attribute together"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let source: ImportValue = [
                ["id": 1, "owner": ["id": 5, "name": "Ada"], "title": "A"], ["id": 2, "owner": 5, "title": "B"],
                ["id": 3, "owner": ["id": 6, "name": "Bo"], "title": "A"],
            ]
            try tx.import(source, as: "Disc")
            let again: ImportValue = [
                ["owner": "5", "title": "A", "year": 1], ["owner": ["id": 5], "title": "B", "year": 2],
            ]
            let result = try tx.import(again, as: "Disc")
            try expectEqual(result.records.map(\.key), [.integer(1), .integer(2)])
            let nested: ImportValue = [["id": 6, "discs": [["title": "A", "year": 3]]]]
            try expectEqual(try tx.import(nested, as: "Owner").report.counts, [0, 1, 1, 0, 0])
            let years = try tx.fetch(DynamicQuery("Disc")).map { try $0.value("year", as: Int64?.self) }
            try expectEqual(years, [1, 2, 3])
        }
    },
    ConformanceCase(
        "import.compound-around", in: .importing,
        "a record is found by a reference whose record lists others of the same entity"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let source: ImportValue = [
                ["id": 1, "title": "A", "owner": ["id": 5, "name": "Ada", "discs": [["id": 2, "title": "B"]]]]
            ]
            let adding = Importer.mixed { importer in
                importer.choose = nil
                importer.mappings["Owner"] = ImportMapping().relate("discs", .add)
            }
            try expectEqual(try tx.import(source, as: "Disc", with: adding).report.counts, [3, 0, 0, 0, 0])
            try expectEqual(try tx.import(source, as: "Disc", with: adding).report.counts, [0, 0, 3, 0, 0])
            let owners = try tx.fetch(DynamicQuery("Disc")).map { try $0.value("owner", as: Int64.self) }
            try expectEqual(owners, [5, 5])
        }
    },
    ConformanceCase(
        "import.long-chain", in: .importing,
        "records that get keys from the store name each other in a chain of any length"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let count = 3_000
            let source = (0..<count).map { number -> ImportValue in
                ["name": .string("\(number)"), "next": number + 1 < count ? .string("\(number + 1)") : nil]
            }
            var importer = Importer()
            importer.batchSize = count
            importer.missingKey = .create
            importer.mapping = ImportMapping().relate("next", by: "name")
            let report = try tx.import(source, as: "Node", with: importer).report
            try expectEqual(report.counts, [count, 0, 0, 0, 0])
            try expectEqual(report.issueCount, 0)
            let query = DynamicQuery("Node", where: try AnyCondition(parsing: "next.next.name == '2999'"))
            try expectEqual(try tx.fetch(query).map { try $0.value("name", as: String.self) }, ["2997"])
        }
    },
    ConformanceCase(
        "import.connect-keeps", in: .importing, "a value by which records are connected is imported all the same"
    ) { trial in
        try Shop(trial).write { tx in
            var importer = Importer()
            importer.mapping = ImportMapping().connect("genre", ["label": "label"])
            let result = try tx.import([["id": 9, "label": "Jazz"]] as ImportValue, as: Artist.self, with: importer)
            try expectEqual(result.records, [Artist(id: 9, label: "Jazz", genre: Ref(2))])
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
