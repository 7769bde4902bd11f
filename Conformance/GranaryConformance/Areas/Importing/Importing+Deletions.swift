import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// An import deletes at its end, and only if nothing has failed before: neither an object, nor what has waited for later ones.

/// Each node has at most one before it.
private let nodes = Schema(entities: [
    Entity(
        "Node", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String?.self),
            Attribute("next", .int64, isOptional: true, reference: .init(entity: "Node", onDelete: .nullify)),
        ], indexes: [.unique("next")])
])

private func reporting(_ policy: ImportPolicy, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer(policy)
    importer.failures = .report
    importer.batchSize = 1
    change(&importer)
    return importer
}

/// The first one names a record that comes in the next batch.
private let later: ImportValue = [["id": 21, "label": "Uma", "manager": 22], ["id": 22, "label": "Vic"]]

private let refusing = ImportMapping().didRelate("manager") { _, _ in throw Abandon() }

var importDeletionsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.mirror-late-failed", in: .importing,
            "a mirroring import deletes nothing if a hook that has waited for a later record fails"
        ) { trial in
            try Shop(trial).write { tx in
                let failed = reporting(.mirror()) { $0.mapping = refusing }
                let report = try tx.import(later, as: Employee.self, with: failed).report
                try expectEqual(report.counts, [2, 0, 0, 0, 0])
                try expectEqual(report.issues.map(\.kind), [.valueKept, .notDeleted])
                try expectEqual(report.issues.map(\.path), ["$[0].manager", "$"])
                try expectEqual(report.deleted, 0)
                try expectEqual(report.deletedKeys, [])
                try expectEqual(try tx.count(Employee.all), 8)
                try expectEqual(try tx.import(later, as: Employee.self, with: reporting(.mirror())).report.deleted, 6)
            }
        },
        ConformanceCase(
            "import.mirror-late-unique", in: .importing,
            "a mirroring import deletes nothing if a reference that has waited cannot be connected"
        ) { trial in
            try trial.open(nodes)
            try trial.write { tx in
                try tx.import([["id": 5, "name": "old"]] as ImportValue, as: "Node")
                let source: ImportValue = [["id": 1, "next": 9], ["id": 2, "next": 9], ["id": 9, "name": "late"]]
                let report = try tx.import(source, as: "Node", with: reporting(.mirror())).report
                try expectEqual(report.inserted, 3)
                try expectEqual(report.issues.map(\.kind), [.valueKept, .notDeleted])
                try expectEqual(report.issues.first?.error.code, .uniqueness)
                try expectEqual(report.deleted, 0)
                try expectEqual(try tx.fetch(Request("Node")).map(\.key), [1, 2, 5, 9].map { .integer($0) })
            }
        },
        ConformanceCase(
            "import.late-failed-list", in: .importing,
            "records that a list does not have any more stay if a hook that has waited fails"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert(Board(id: 1))
                try tx.insert([Card(id: 1, board: Ref(1), place: 0), Card(id: 2, board: Ref(1), place: 1)])
                let mapping = ImportMapping().relate("cards", .replaceAndDelete)
                let source: ImportValue = [
                    ["id": 1, "cards": [7]], ["id": 2, "cards": [["id": 7, "label": "x", "weight": 0]]],
                ]
                let failing = mapping.didRelate("cards") { relationship, _ in
                    if relationship.key == .integer(1) { throw Abandon() }
                }
                let report = try tx.import(source, as: Board.self, with: reporting(.upsert) { $0.mapping = failing })
                    .report
                try expectEqual(report.failed, 0)
                try expectEqual(Set(report.issues.map(\.kind)), [.valueKept, .notDeleted])
                try expectEqual(report.deleted, 0)
                try expectEqual(try tx.count(Card.where { $0.id <= 2 }), 2)
                let good = try tx.import(source, as: Board.self, with: reporting(.upsert) { $0.mapping = mapping })
                    .report
                try expectEqual(good.deleted, 2)
            }
        },
        ConformanceCase(
            "import.tombstones-failed", in: .importing, "tombstones stay after an import of which something failed"
        ) { trial in
            try Shop(trial).write { tx in
                func importer(_ mapping: ImportMapping = ImportMapping()) -> Importer {
                    reporting(.upsert) {
                        $0.tombstones = Employee.where { $0.label == "" }.untyped
                        $0.mapping = mapping
                    }
                }
                let marked: ImportValue = [["id": 2, "label": ""], ["id": 9]]
                let failed = try tx.import(marked, as: Employee.self, with: importer()).report
                try expectEqual([failed.updated, failed.failed, failed.deleted], [1, 1, 0])
                try expectEqual(failed.deletedKeys, [])
                let late = try tx.import(later, as: Employee.self, with: importer(refusing)).report
                try expectEqual([late.inserted, late.failed, late.deleted], [2, 0, 0])
                try expectEqual(late.issues.map(\.kind), [.valueKept, .notDeleted])
                try expectEqual(try tx.find(Employee.self, 2)?.label, "")
                let good = try tx.import(later, as: Employee.self, with: importer()).report
                try expectEqual([good.unchanged, good.failed, good.deleted], [2, 0, 1])
            }
        },
        ConformanceCase(
            "import.mirror-denied", in: .importing,
            "a deletion that a delete rule denies fails a mirroring import, and all of it is undone"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert([Board(id: 1), Board(id: 2)])
                try tx.insert(Card(id: 1, label: "a", pin: Ref(1)))
            }
            let source: ImportValue = [["id": 3], ["id": 4]]
            for failures in [ImportFailures.throw, .report] {
                try trial.write { tx in
                    let mirroring = reporting(.mirror()) { $0.failures = failures }
                    try expectError(.deniedDeletion) { try tx.import(source, as: Board.self, with: mirroring).records }
                    try expectEqual(try tx.fetch(Board.all).map(\.id), [1, 2])
                }
                let context = try trial.stack.makeContext()
                let mirroring = reporting(.mirror()) { $0.failures = failures }
                try expectError(.deniedDeletion) { try context.import(source, as: Board.self, with: mirroring).records }
                try expectEqual(try context.fetch(Board.all).map(\.id), [1, 2])
                try expectError(.deniedDeletion) {
                    try trial.stack.blocking.import(source, as: Board.self, with: mirroring)
                }
            }
            try expectEqual(try trial.fetch(Board.all).map(\.id), [1, 2])
            try expectEqual(try trial.fetch(Card.all).map(\.pin), [Ref(1)])
        },
        ConformanceCase(
            "import.later-unique", in: .importing,
            "a new record whose unique reference names a later record is written without it until that comes"
        ) { trial in
            try trial.open(nodes)
            try trial.write { tx in
                for batch in [1, 2, 500] {
                    try Request("Node").deleteAll(in: tx)
                    var importer = Importer()
                    importer.batchSize = batch
                    let source: ImportValue = [["id": 1, "next": 2], ["id": 2, "next": 9], ["id": 3], ["id": 9]]
                    let result = try tx.import(source, as: "Node", with: importer)
                    try expectEqual(result.report.counts, [4, 0, 0, 0, 0])
                    try expectEqual(
                        result.records.map { $0["next"] ?? .null }, [.integer(2), .integer(9), .null, .null])
                }
                // One that never comes is reported, and the record is there without it.
                let report = try tx.import([["id": 4, "next": 77]] as ImportValue, as: "Node").report
                try expectEqual(report.counts, [1, 0, 0, 0, 0])
                try expectEqual(report.issues.map(\.kind), [.valueKept])
            }
        },
    ]
}
