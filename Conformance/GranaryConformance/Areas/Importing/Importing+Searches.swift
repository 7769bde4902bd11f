import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Relationships that are connected at the end of an import: by attributes that are not unique, and through paths of the records.

/// Crews have a leader and members, by the towns and ranks of sailors; sailors sail on ships of fleets.
private let crews = Schema(entities: [
    Entity(
        "Fleet", key: "id", attributes: [Attribute("id", Int64.self)],
        relationships: [Relationship("ships", entity: "Ship", attribute: "fleet")]),
    Entity(
        "Ship", key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("fleet", .int64, isOptional: true, reference: .init(entity: "Fleet", onDelete: .nullify)),
        ], relationships: [Relationship("sailors", entity: "Sailor", attribute: "ship")]),
    Entity(
        "Sailor", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("town", String?.self), Attribute("rank", Int64?.self),
            Attribute("ship", .int64, isOptional: true, reference: .init(entity: "Ship", onDelete: .nullify)),
            Attribute("fleet", .int64, isOptional: true, reference: .init(entity: "Fleet", onDelete: .nullify)),
        ]),
    Entity(
        "Crew", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String?.self),
            Attribute("leader", .int64, isOptional: true, reference: .init(entity: "Sailor", onDelete: .nullify)),
            Attribute("flagship", .int64, isOptional: true, reference: .init(entity: "Ship", onDelete: .nullify)),
        ],
        relationships: [
            Relationship(
                "members", entity: "Crew_members", attribute: "source", through: "target", orderedBy: "position")
        ]),
    Entity(
        "Crew_members", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self),
            Attribute("source", .int64, reference: .init(entity: "Crew", onDelete: .cascade)),
            Attribute("target", .int64, reference: .init(entity: "Sailor", onDelete: .cascade)),
            Attribute("position", Int64.self),
        ], indexes: [.unique("source", "target"), .index("target")]),
])

private func importer(
    _ mapping: ImportMapping, of entity: String = "Crew", _ change: (inout Importer) -> Void = { _ in }
) -> Importer {
    var importer = Importer()
    importer.mappings[entity] = mapping
    importer.failures = .report
    change(&importer)
    return importer
}

private let sailors: ImportValue = [
    ["id": 1, "town": "Bari", "rank": 1], ["id": 2, "town": "Bari", "rank": 3], ["id": 3, "town": "Rome", "rank": 2],
    ["id": 4, "town": "Bari", "rank": 2], ["id": 5, "town": nil, "rank": 9],
]

extension ReadContext {
    fileprivate func members(of crew: Int64) throws -> [Int64] {
        guard let crew = try find("Crew", crew) else { return [] }
        return try crew.related("members").all(in: schema).fetch(in: self).map { try $0.value("id", as: Int64.self) }
    }

    fileprivate func reference(_ name: String, of entity: String, _ key: Int64) throws -> Int64? {
        try find(entity, key)?.value(name, as: Int64?.self)
    }
}

extension Transaction {
    fileprivate func importCrews(_ source: ImportValue, _ importer: Importer) throws -> ImportReport {
        try self.import(source, as: "Crew", with: importer).report
    }
}

/// Sailors of a rank above 1, the highest first.
private let ranked = Request("Sailor").where(.compare("rank", .greater, .integer(1))).sorted(by: "-rank").untyped

var importSearchesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.search", in: .importing,
            "a list gets all records with the values of an object, a reference the first, among those of a query"
        ) { trial in
            try trial.open(crews)
            try trial.write { tx in
                try tx.import(sailors, as: "Sailor")
                let plain = ImportMapping().connect("members", ["town": "town"]).connect("leader", ["town": "town"])
                let report = try tx.importCrews(
                    [["id": 1, "town": "Bari"], ["id": 2, "town": "Rome"], ["id": 3]], importer(plain))
                try expectEqual(report.issues.map(\.description), [])
                try expectEqual(report.unknownKeys, [:])
                try expectEqual(report.counts, [3, 0, 0, 0, 0])
                try expectEqual(try (1...3).map { try tx.members(of: $0) }, [[1, 2, 4], [3], []])
                try expectEqual(try (1...3).map { try tx.reference("leader", of: "Crew", $0) }, [1, 3, nil])
                let among = ImportMapping().connect("members", ["town": "town"], among: ranked)
                    .connect("leader", ["town": "town"], among: ranked)
                let changed = try tx.importCrews(
                    [["id": 1, "town": "Bari"], ["id": 2, "town": "Rome"]], importer(among))
                try expectEqual(changed.counts, [0, 1, 1, 0, 0])
                try expectEqual(try tx.members(of: 1), [2, 4])
                try expectEqual(try tx.reference("leader", of: "Crew", 1), 2)
                // The same again changes nothing; what the object does not have stays.
                let again = try tx.importCrews([["id": 1, "town": "Bari"], ["id": 2, "name": "x"]], importer(among))
                try expectEqual(again.counts, [0, 1, 1, 0, 0])
                try expectEqual(try (1...2).map { try tx.members(of: $0) }, [[2, 4], [3]])
            }
        },
        ConformanceCase(
            "import.search-several", in: .importing,
            "arrays name records by several values; what is missing is reported or ignored, and the policy of the list holds"
        ) { trial in
            try trial.open(crews)
            try trial.write { tx in
                try tx.import(sailors, as: "Sailor")
                let pairs = ImportMapping().connect("members", ["towns": "town", "ranks": "rank"])
                func members(_ object: ImportValue, _ mapping: ImportMapping, issues: [String] = []) throws -> [Int64] {
                    let report = try tx.importCrews(object, importer(mapping))
                    try expectEqual(report.issues.map { "\($0.path) \($0.error.code)" }, issues)
                    return try tx.members(of: 1)
                }
                let both: ImportValue = ["id": 1, "towns": ["Bari", "Rome", nil], "ranks": ["3", 2, nil]]
                try expectEqual(try members(both, pairs), [2, 3])
                try expectEqual(
                    try members(
                        ["id": 1, "towns": ["Bari", "Oslo"], "ranks": [1, 1]], pairs,
                        issues: ["$.members danglingReference"]),
                    [2, 3, 1])
                let ignoring = ImportMapping().connect("members", ["towns": "town"], missing: .ignore)
                try expectEqual(try members(["id": 1, "towns": ["Oslo", "Rome"]], ignoring), [3])
                try expectEqual(
                    try members(["id": 1, "towns": "Bari"], ignoring.relate("members", .add)), [3, 1, 2, 4])
                try expectEqual(try members(["id": 1, "towns": []], ignoring), [])
                try expectEqual(
                    try members(
                        ["id": 1, "towns": ["Bari"], "ranks": ["high"]], pairs, issues: ["$.members typeMismatch"]), [])
                // A reference without a match stays, or becomes nil.
                for (missing, leader) in [(ImportMissing.wait, 3), (.ignore, nil)] as [(ImportMissing, Int64?)] {
                    _ = try tx.importCrews(["id": 1, "leader": 3], importer(ImportMapping()))
                    let mapping = ImportMapping().connect("leader", ["home": "town"], missing: missing)
                    let report = try tx.importCrews(["id": 1, "home": "Oslo"], importer(mapping))
                    try expectEqual(report.issues.count, missing == .wait ? 1 : 0)
                    try expectEqual(report.valuesLeftOut, missing == .wait ? 1 : 0)
                    try expectEqual(try tx.reference("leader", of: "Crew", 1), leader)
                }
            }
        },
        ConformanceCase(
            "import.search-order", in: .importing,
            "records are looked for at the end: those that come later are found, and the last object counts"
        ) { trial in
            try trial.open(crews)
            for size in [1, 500] {
                try trial.write { tx in
                    _ = try Request("Crew").deleteAll(in: tx)
                    _ = try Request("Sailor").deleteAll(in: tx)
                    let mapping = ImportMapping().connect("members", ["town": "town"]).connect(
                        "leader", ["town": "town"])
                    let mixed = importer(mapping) {
                        $0.batchSize = size
                        $0.choose = { value, _ in value["rank"] == nil ? "Crew" : "Sailor" }
                    }
                    let source: ImportValue = [
                        ["id": 1, "town": "Bari"], ["id": 2, "town": "Bari"], ["id": 3, "town": "Rome"],
                        ["id": 1, "town": "Bari", "rank": 1], ["id": 2, "town": "Rome", "rank": 2],
                        ["id": 2, "town": "Rome"], ["id": 3, "leader": 1, "members": [1]],
                    ]
                    let report = try tx.importCrews(source, mixed)
                    try expectEqual(report.issues.map(\.description), [])
                    try expectEqual(try (1...3).map { try tx.members(of: $0) }, [[1], [2], [1]])
                    try expectEqual(try (1...3).map { try tx.reference("leader", of: "Crew", $0) }, [1, 2, 1])
                }
            }
        },
        ConformanceCase(
            "import.through", in: .importing, "a relationship is connected through a path of the record itself"
        ) { trial in
            try trial.open(crews)
            try trial.write { tx in
                let ships: ImportValue = [
                    ["id": 1, "ships": [["id": 11, "sailors": [1, 2]], ["id": 12, "sailors": [3]]]],
                    ["id": 2, "ships": [["id": 21, "sailors": [4]]]],
                ]
                try tx.import(sailors, as: "Sailor")
                try tx.import(ships, as: "Fleet")
                let fleet = ImportMapping().connect("fleet", through: "ship.fleet")
                let all = ImportValue.array((1...5).map { ["id": .integer($0)] })
                let report = try tx.import(all, as: "Sailor", with: importer(fleet, of: "Sailor")).report
                try expectEqual(report.issues.map(\.description), [])
                try expectEqual(report.counts, [0, 4, 1, 0, 0])
                try expectEqual(
                    try (1...5).map { try tx.reference("fleet", of: "Sailor", $0) }, [1, 1, 1, 2, nil])
                // Over lists, each record once; after the connection by values that the path leads over.
                let members = ImportMapping().connect("leader", ["town": "town"])
                    .connect("members", through: "leader.fleet.ships.sailors").connect(
                        "flagship", through: "leader.ship")
                let crew: ImportValue = [["id": 1, "town": "Rome"], ["id": 2, "leader": 4], ["id": 3]]
                try expectEqual(try tx.importCrews(crew, importer(members)).issues.map(\.description), [])
                try expectEqual(try (1...3).map { try tx.members(of: $0).sorted() }, [[1, 2, 3], [4], []])
                try expectEqual(try (1...3).map { try tx.reference("flagship", of: "Crew", $0) }, [12, 21, nil])
                // A record that the source does not have is not touched.
                try tx.import(["id": 4, "ship": nil] as ImportValue, as: "Sailor")
                _ = try tx.importCrews([["id": 1]], importer(members))
                try expectEqual(try tx.reference("flagship", of: "Crew", 2), 21)
                _ = try tx.importCrews([["id": 2]], importer(members))
                try expectEqual(try tx.reference("flagship", of: "Crew", 2), nil)
            }
        },
        ConformanceCase(
            "import.search-commits", in: .importing,
            "an import in parts connects at its end, and one that goes on begins before what is not connected"
        ) { trial in
            try trial.open(crews)
            try trial.stack.blocking.import(sailors, as: "Sailor")
            let mapping = ImportMapping().connect("leader", ["town": "town"])
            let source: ImportValue = [["id": 1, "name": "a"], ["id": 2, "town": "Rome"], ["id": 3], ["id": "x"]]
            let stopped = importer(mapping) {
                $0.commits = .every(1)
                $0.failures = .throw
            }
            let error = try expectError(.typeMismatch) {
                try trial.stack.blocking.import(source, as: "Crew", with: stopped)
            }
            try expectEqual(error.importReport?.committed, 1)
            try expectEqual(try trial.read { try $0.reference("leader", of: "Crew", 2) }, nil)
            let rest: ImportValue = [["id": 1], ["id": 2, "town": "Rome"], ["id": 3]]
            let report = try trial.stack.blocking.import(
                rest, as: "Crew",
                with: importer(mapping) {
                    $0.commits = .every(1)
                    $0.start = 1
                })
            try expectEqual(report.committed, 3)
            try expectEqual(try trial.read { try $0.reference("leader", of: "Crew", 2) }, 3)
        },
        ConformanceCase(
            "import.search-held", in: .importing, "what waits for the end counts as held, and is limited"
        ) { trial in
            try trial.open(crews)
            try trial.write { tx in
                let mapping = ImportMapping().connect("leader", ["town": "town"])
                let source = ImportValue.array((1...2_000).map { ["id": .integer($0), "town": "somewhere far away"] })
                try expectError(.limit) {
                    try tx.importCrews(source, importer(mapping) { $0.maximumHeldBytes = 50_000 })
                }
            }
        },
        ConformanceCase(
            "import.search-wrong", in: .importing, "a connection that cannot be made is refused when the import begins"
        ) { trial in
            try trial.open(crews)
            try trial.write { tx in
                let wrong: [(GranaryError.Code, ImportMapping)] = [
                    (.unknownAttribute, ImportMapping().connect("leader", ["a": "size"])),
                    (.invalidQuery, ImportMapping().connect("leader", ["a": "town"], missing: .makeStub)),
                    (.invalidQuery, ImportMapping().connect("leader", ["a": "town"], missing: .keep)),
                    (.invalidQuery, ImportMapping().connect("leader", ["a": "town"], among: AnyRequest("Ship"))),
                    (
                        .invalidQuery,
                        ImportMapping().connect("leader", ["a": "town"], among: AnyRequest("Sailor", limit: 3))
                    ),
                    (.unknownAttribute, ImportMapping().connect("leader", through: "flagship.size")),
                    (.unknownAttribute, ImportMapping().connect("leader", through: "")),
                    (.invalidQuery, ImportMapping().connect("leader", through: "flagship")),
                    (.invalidQuery, ImportMapping().connect("leader", through: "name")),
                    (.invalidQuery, ImportMapping().connect("name", through: "leader")),
                    (.unknownAttribute, ImportMapping().connect("nothing", through: "leader")),
                ]
                for (code, mapping) in wrong {
                    try expectError(code, entity: code == .invalidQuery ? "Crew" : nil) {
                        try tx.importCrews([], importer(mapping))
                    }
                }
            }
        },
    ]
}
