import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// An import decides the same whatever its batches are: each option is tried in batches of 1, 3 and 500 objects, which must give
// the same contents and the same report.

/// An import that is tried in batches of several sizes.
private struct BatchTrial {
    let name: String
    let entity: String
    var source: ImportValue
    let importer: Importer

    init(_ name: String, _ entity: String, _ source: ImportValue, _ change: (inout Importer) -> Void = { _ in }) {
        self.name = name
        self.entity = entity
        self.source = source
        var importer = Importer.mixed()
        importer.choose = { value, _ in if case .string(let name)? = value["@"] { name } else { entity } }
        change(&importer)
        self.importer = importer
    }
}

private struct Undone: Error {}

/// A value as JSON, for messages.
private func text(_ value: ImportValue) -> String {
    switch value {
    case .array(let elements): "[\(elements.map(text).joined(separator: ", "))]"
    case .object(let object):
        "{\(object.members.map { member in "\"\(member.key)\": \(text(member.value))" }.joined(separator: ", "))}"
    case .integer(let number): "\(number)"
    case .string(let text): "\"\(text)\""
    default: "null"
    }
}

private func contents(_ context: ReadContext) throws -> [String] {
    try SuiteSchema.shop.entities.flatMap { entity in
        try context.fetch(Request(entity.name)).map { record in
            let values = record.values.map { value in
                switch value {
                case .text(let bytes): String(decoding: bytes, as: UTF8.self)
                case .integer(let number): "\(number)"
                default: "\(value)"
                }
            }
            return "\(entity.name) \(values)"
        }
    }
}

private func lines(_ report: ImportReport) -> [String] {
    let issues = report.issues.map { "\($0.path) \($0.error.code) \($0.kind)" }.sorted()
    let skipped = report.skippedObjects.map { "\($0.path) \($0.reason)" }.sorted()
    let rest = [report.failedLate, report.deleted, report.repeated, report.issueCount]
    return ["\(report.counts) \(rest)"] + issues + skipped + report.repeatedObjects.map(\.path).sorted()
        + report.deletedKeys.map { "\($0)" }.sorted()
}

/// What an import leaves and reports; the error that it throws.
private func outcome(_ trial: BatchTrial, _ size: Int, in tx: Transaction) throws -> [String] {
    var importer = trial.importer
    importer.batchSize = size
    var found: [String] = []
    do {
        try tx.savepoint {
            do {
                let report = try tx.import(trial.source, as: trial.entity, with: importer).report
                found = lines(report) + (try contents(tx))
            } catch let error as GranaryError {
                found = ["\(error.code) \(error.importPath ?? "")"]
            }
            throw Undone()
        }
    } catch is Undone {}
    return found
}

/// The first number of objects with which a trial gives something else than in batches of one; nil if it gives the same.
private func difference(_ trial: BatchTrial, in tx: Transaction) throws -> (size: Int, got: [String], one: [String])? {
    let one = try outcome(trial, 1, in: tx)
    for size in [3, 500] {
        let got = try outcome(trial, size, in: tx)
        if got != one { return (size, got, one) }
    }
    return nil
}

/// Values with one part less each: an element, a member, or the other members of a nested object.
private func smaller(_ value: ImportValue) -> [ImportValue] {
    switch value {
    case .array(let elements):
        return elements.indices.flatMap { index -> [ImportValue] in
            var rest = elements
            let element = rest.remove(at: index)
            return [.array(rest)]
                + smaller(element).map { part in
                    var changed = elements
                    changed[index] = part
                    return .array(changed)
                }
        }
    case .object(let object):
        return object.members.indices.flatMap { index -> [ImportValue] in
            var rest = object.members
            let member = rest.remove(at: index)
            return [.object(ImportObject(rest))]
                + smaller(member.value).map { part in
                    var changed = object.members
                    changed[index] = ImportObject.Member(member.key, part)
                    return .object(ImportObject(changed))
                }
        }
    default: return []
    }
}

private func expectSame(_ trials: [BatchTrial], in tx: Transaction) throws {
    for trial in trials {
        guard var found = try difference(trial, in: tx) else { continue }
        // The smallest source that still gives something else says best what is wrong.
        var smallest = trial
        var parts = smaller(smallest.source)[...]
        while let part = parts.popFirst() {
            var tried = smallest
            tried.source = part
            guard let difference = try difference(tried, in: tx) else { continue }
            (smallest, found) = (tried, difference)
            parts = smaller(part)[...]
        }
        let (got, one) = (Set(found.got), Set(found.one))
        if got != one { (found.got, found.one) = (got.subtracting(one).sorted(), one.subtracting(got).sorted()) }
        try expectEqual(
            found.got, found.one, "\(trial.name), batches of \(found.size), \(text(smallest.source))")
    }
}

private let newer = ImportMapping().ignore("@").skipUnless(newer: "salary")

/// Objects of a few employees, each several times. Either they have lists, or they name records that come later or never: what
/// waits is connected at the end of the import, and of a list and a reference that is not the order of the source.
///
/// - Parameter option: The name of what is tried with them.
private func employees(_ random: inout SeededGenerator, _ option: String) -> ImportValue {
    let haveLists = Bool.random(using: &random)
    // An import that only updates records makes none.
    let makesNone = option == "update only"
    let nested: ImportValue = ["id": haveLists && makesNone ? 4 : 8, "label": "c"]
    let managers: [ImportValue?] = [nil, 1, nested, ["id": 2, "salary": 3], .null] + (haveLists ? [3] : [7, 8])
    let listed: ImportValue = [["id": makesNone ? 4 : 7, "label": "d"], 2]
    let lists: [ImportValue?] = haveLists ? [nil, nil, nil, [3], [["id": 1, "label": "n"]], [], listed] : [nil]
    return .array(
        (0..<Int.random(in: 2...12, using: &random)).map { _ in
            func one(_ values: [ImportValue?]) -> ImportValue? { values.randomElement(using: &random) ?? nil }
            let members: [(String, ImportValue?)] = [
                ("id", one([1, 2, 7, 8])), ("label", one([nil, "a", "b", .null])),
                ("salary", one([nil, 0, 1, 90, 200, .null])), ("manager", one(managers)), ("reports", one(lists)),
            ]
            return .object(
                ImportObject(members.compactMap { key, value in value.map { ImportObject.Member(key, $0) } }))
        })
}

private let options: [(String, @Sendable (inout Importer) -> Void)] = [
    ("upsert", { _ in }), ("newer", { $0.mapping = newer }), ("insert only", { $0.policy = .insertOnly }),
    ("update only", { $0.policy = .updateOnly }), ("mirror", { $0.policy = .mirror() }),
    (
        "newer mirror",
        {
            $0.mapping = newer
            $0.policy = .mirror()
        }
    ),
    ("adding", { $0.mapping = ImportMapping().ignore("@").relate("reports", .add) }),
    ("deleting", { $0.mapping = ImportMapping().ignore("@").relate("reports", .replaceAndDelete) }),
    ("strict", { $0.isStrict = true }),
    ("stubs", { $0.mapping = ImportMapping().ignore("@").relate("manager", missing: .makeStub) }),
]

var importBatchSizesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.batch-sizes-newer", in: .importing,
            "of several objects of one record the newest is kept, whatever the batches are"
        ) { trial in
            try Shop(trial).write { tx in
                for (values, kept, reason) in [
                    ([6, 0], 6, "the second is older"), ([0, 6], 6, "the first is older"),
                    ([0, 0], 1, "both are older"),
                    ([6, 7, 5], 7, "the second is the newest"), ([1, 2], 2, "the first is not newer"),
                ] as [([Int64], Int64, String)] {
                    for size in [1, 3, 500] {
                        try tx.upsert(Employee(id: 1, label: "Ann", salary: 1))
                        let source = ImportValue.array(values.map { ["id": 1, "salary": .integer($0)] })
                        var importer = Importer()
                        importer.batchSize = size
                        importer.mapping = newer
                        let report = try tx.import(source, as: Employee.self, with: importer).report
                        try expectEqual(try tx.find(Employee.self, 1)?.salary, kept, "\(reason), batches of \(size)")
                        try expectEqual(report.updated, kept == 1 ? 0 : 1)
                        try expectEqual(report.updated + report.skipped + report.repeated, values.count, reason)
                    }
                }
            }
        },
        ConformanceCase(
            "import.batch-sizes", in: .importing,
            "an import gives the same contents and report, whatever its batches are"
        ) { trial in
            try Shop(trial).write { tx in
                let apart: ImportValue = [["id": 7, "salary": 5], ["id": 7, "label": "x"]]
                let needed: ImportValue = [
                    ["@": "Album", "id": 9, "title": "New", "artist": ["id": 9, "label": "Zoe", "albums": [9]]],
                    ["@": "Album", "id": 9, "title": "Newer"],
                ]
                let nested: ImportValue = .array(
                    (1...7).map { key -> ImportValue in
                        [
                            "@": "Album", "id": .integer(key), "title": "Same",
                            "artist": ["id": .integer(key % 2 + 1), "label": key == 5 ? "Xi" : "Bo"],
                        ]
                    })
                try expectSame(
                    [
                        BatchTrial("a value that is required comes later", "Employee", apart),
                        BatchTrial("the same, reported", "Employee", apart) { $0.failures = .report },
                        BatchTrial("two errors, the first is thrown", "Employee", [["id": 7], ["label": "x"]]),
                        BatchTrial(
                            "a reference that stays", "Employee",
                            [["id": 2, "manager": 3], ["id": 2, "manager": 99], ["id": 3, "manager": nil]]),
                        BatchTrial(
                            "a reference that was ended", "Employee",
                            [["id": 2, "manager": nil], ["id": 2, "manager": 99]]),
                        BatchTrial("nested", "Album", nested),
                        BatchTrial("nested, inserted", "Album", nested) { $0.policy = .insertOnly },
                        BatchTrial("nested, updated", "Album", nested) { $0.policy = .updateOnly },
                        BatchTrial("what is needed is nested", "Album", needed),
                        BatchTrial(
                            "there and back", "Genre", [["id": 1, "label": "Dub"], ["id": 1, "label": "Rock"]]),
                        BatchTrial(
                            "told by different attributes", "Genre", [["label": "Rock"], ["id": 1, "label": "Dub"]]),
                        BatchTrial(
                            "unreadable values", "Artist",
                            [["id": 1, "rating": "x"], ["id": 1, "rating": 3], ["id": 1, "rating": "y"]]),
                    ], in: tx)
            }
        },
        ConformanceCase(
            "import.batch-sizes-overruled", in: .importing,
            "what a later object overrules is done and counted alike, whatever the batches are"
        ) { trial in
            let stubs: (inout Importer) -> Void = {
                $0.mapping = ImportMapping().ignore("@").relate("manager", missing: .makeStub)
            }
            let trials: [(String, [ImportValue], (inout Importer) -> Void)] = [
                (
                    "the record of a reference has come, that of a later one does not",
                    [["id": 1, "manager": 7], ["id": 7, "label": "b"], ["id": 1, "manager": 8]], { _ in }
                ),
                (
                    "a reference that has changed a record is ended",
                    [["id": 1, "manager": 7], ["id": 7, "label": "b"], ["id": 1, "manager": nil]], { _ in }
                ),
                (
                    "a reference is ended", [["id": 1, "label": "Ann", "manager": 3], ["id": 1, "manager": nil]],
                    { _ in }
                ),
                (
                    "a reference whose stub is refused is ended",
                    [["id": 1, "label": "a", "manager": 8], ["id": 1, "manager": nil]], stubs
                ),
                (
                    "a list leaves out a record that names its owner",
                    [["id": 1, "reports": []], ["id": 2, "manager": 1]], { _ in }
                ),
                (
                    "the same, updated", [["id": 1, "reports": []], ["id": 2, "manager": 1]],
                    { $0.policy = .updateOnly }
                ),
                (
                    "a list leaves out a record that names another",
                    [["id": 4, "reports": []], ["id": 5, "manager": 1]],
                    { _ in }
                ),
                (
                    "a list has a record that names another",
                    [["id": 1, "reports": [2, 3, 5]], ["id": 5, "manager": 4]], { _ in }
                ),
                (
                    "a list has a record that names its owner",
                    [["id": 1, "reports": [2, 3, 5]], ["id": 5, "label": "x", "manager": 1]], { _ in }
                ),
                (
                    "two lists have a record of the second", [["id": 2, "reports": [3]], ["id": 1, "reports": [3]]],
                    { _ in }
                ),
                (
                    "a list has what an earlier one leaves out",
                    [["id": 1, "reports": [3]], ["id": 2, "reports": [2]]],
                    { _ in }
                ),
                (
                    "two lists have a record that the batch brings",
                    [["id": 7, "label": "a"], ["id": 1, "reports": [2, 3, 7]], ["id": 2, "reports": [4, 7]]], { _ in }
                ),
                (
                    "an object nested in one with the same key",
                    [["id": 7, "reports": [["id": 7, "label": "d"], 2]], ["id": 2, "manager": 1]],
                    { $0.mapping = newer }
                ),
                (
                    "a later record has a list without the one that refers to it",
                    [["id": 3, "manager": 7], ["id": 7, "label": "b", "reports": []]], { _ in }
                ),
            ]
            try Shop(trial).write { tx in
                for (name, objects, change) in trials {
                    // The batches of 3 begin at other objects.
                    for count in 0...2 {
                        let before = [ImportValue](repeating: ["id": 6], count: count)
                        try expectSame(
                            [BatchTrial("\(name), after \(count)", "Employee", .array(before + objects), change)],
                            in: tx)
                    }
                }
            }
        },
        ConformanceCase(
            "import.batch-sizes-random", in: .importing,
            "random objects of a few records give the same with each option, whatever the batches are"
        ) { trial in
            try Shop(trial).write { tx in
                var random = SeededGenerator(seed: trial.seed)
                for (name, change) in options {
                    for failures in [ImportFailures.report, .throw] {
                        for _ in 0..<12 {
                            let source = employees(&random, name)
                            let tried = BatchTrial("\(name), seed \(trial.seed)", "Employee", source) {
                                change(&$0)
                                $0.failures = failures
                            }
                            try expectSame([tried], in: tx)
                        }
                    }
                }
            }
        },
        ConformanceCase(
            "import.batch-sizes-circle", in: .importing,
            "records that must have each other are imported, whatever the batches are", modes: [.fresh]
        ) { trial in
            let schema = Schema(entities: [
                Entity(
                    "Link", key: "id",
                    attributes: [
                        Attribute("id", Int64.self),
                        Attribute("next", .int64, reference: .init(entity: "Link", onDelete: .deny)),
                    ])
            ])
            for size in [1, 2, 3, 500] {
                let stack = try trial.another(schema, at: trial.folder + "/circle-\(size).granary")
                var importer = Importer()
                importer.batchSize = size
                importer.failures = .report
                let source: ImportValue = [
                    ["id": 1, "next": 2], ["id": 2, "next": 3], ["id": 3, "next": 1], ["id": 4, "next": 9],
                    ["id": 5, "next": 5],
                ]
                let report = try stack.blocking.import(source, as: "Link", with: importer)
                try expectEqual(report.counts, [4, 0, 0, 0, 1], "batches of \(size)")
                try expectEqual(report.issues.map(\.path), ["$[3]"])
            }
        },
        ConformanceCase(
            "import.batch-sizes-commits", in: .importing,
            "an import that commits in parts gives what one commit gives", modes: [.fresh]
        ) { trial in
            var random = SeededGenerator(seed: trial.seed)
            for (name, change) in options {
                let source = employees(&random, name)
                var all: [[String]] = []
                for (size, commits) in [(500, .once), (1, .every(1)), (2, .every(3)), (500, .every(2))]
                    as [(Int, ImportCommits)]
                {
                    let path = trial.folder + "/commits-\(name)-\(size)-\(all.count).granary"
                    let stack = try trial.another(SuiteSchema.shop, at: path)
                    try stack.blocking.write(Shop.fill)
                    var importer = Importer()
                    change(&importer)
                    importer.failures = .report
                    importer.batchSize = size
                    importer.commits = commits
                    let report = try stack.blocking.import(source, as: "Employee", with: importer)
                    all.append(lines(report) + (try stack.blocking.read { try contents($0) }))
                }
                for other in all.dropFirst() {
                    try expectEqual(other, all[0], "\(name), seed \(trial.seed), \(text(source))")
                }
            }
        },
    ]
}
