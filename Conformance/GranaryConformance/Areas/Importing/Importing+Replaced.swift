import ConformanceKit
import GranaryCore
import GranaryImport

// Records that a reference has left are deleted where the mapping says so.

/// Doors have a lock and a sign; a lock may be denied its deletion by a ledger.
private let doors = Schema(entities: [
    Entity(
        "Lock", key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("kind", String?.self)]),
    Entity(
        "Door", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String?.self),
            Attribute("lock", .int64, isOptional: true, reference: .init(entity: "Lock", onDelete: .nullify)),
            Attribute("spare", .int64, isOptional: true, reference: .init(entity: "Lock", onDelete: .nullify)),
        ]),
    Entity(
        "Ledger", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("lock", .int64, reference: .init(entity: "Lock", onDelete: .deny)),
        ]),
])

private func importer(_ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.mappings["Door"] = ImportMapping().relate("lock", .replaceAndDelete)
    importer.failures = .report
    change(&importer)
    return importer
}

extension ReadContext {
    fileprivate func locks() throws -> [Int64] { try fetch(Request("Lock")).map { try $0.value("id", as: Int64.self) } }
}

extension Trial {
    /// Doors 1, 2, 3 with the locks of the same numbers; lock 4 is the spare one of door 1.
    fileprivate func openDoors() throws -> Trial {
        try open(doors)
        try write { tx in
            let source: ImportValue = [
                ["id": 1, "lock": ["id": 1], "spare": ["id": 4]], ["id": 2, "lock": ["id": 2]],
                ["id": 3, "lock": ["id": 3]],
            ]
            try tx.import(source, as: "Door")
        }
        return self
    }
}

var importReplacedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.replaced", in: .importing,
            "the record that a reference has left is deleted at the end, unless another record refers to it by then"
        ) { trial in
            try trial.openDoors().write { tx in
                func report(_ source: ImportValue, _ importer: Importer = importer()) throws -> ImportReport {
                    let report = try tx.import(source, as: "Door", with: importer).report
                    try expectEqual(report.issues.map(\.description), [])
                    return report
                }
                // 1 gets a new lock, 2 that of 1, 3 none; what is not said, or said again, stays.
                let source: ImportValue = [
                    ["id": 1, "lock": ["id": 5]], ["id": 2, "lock": 1], ["id": 3, "lock": nil],
                ]
                try expectEqual(try report(source).deleted, 2)
                try expectEqual(try tx.locks(), [1, 4, 5])
                try expectEqual(try report(source).deleted, 0)
                try expectEqual(try report([["id": 1, "name": "x", "spare": nil], ["id": 2]]).deleted, 0)
                // A record that comes later replaces it too, in any batch.
                let later: ImportValue = [["id": 1, "lock": 2], ["id": 2, "lock": ["id": 2]]]
                try expectEqual(try report(later, importer { $0.batchSize = 1 }).deleted, 2)
                try expectEqual(try tx.locks(), [2, 4])
                // A dry run tells what would be deleted.
                let replacing: ImportValue = [["id": 1, "lock": nil], ["id": 2, "lock": nil]]
                try expectEqual(try report(replacing, importer { $0.isDryRun = true }).deleted, 1)
                try expectEqual(try tx.locks(), [2, 4])
                try expectEqual(try report(replacing).deleted, 1)
                try expectEqual(try tx.locks(), [4])
            }
        },
        ConformanceCase(
            "import.replaced-failure", in: .importing,
            "nothing is deleted if an object has failed; delete rules may deny a deletion"
        ) { trial in
            try trial.openDoors().write { tx in
                let failing: ImportValue = [["id": 1, "lock": ["id": 5]], ["id": "x", "lock": 1]]
                let report = try tx.import(failing, as: "Door", with: importer()).report
                try expectEqual(report.issues.map(\.kind), [.notDeleted, .failed])
                try expectEqual(report.deleted, 0)
                try expectEqual(try tx.locks(), [1, 2, 3, 4, 5])
                try tx.import(["id": 1, "lock": 2] as ImportValue, as: "Ledger")
                let denied: ImportValue = [["id": 2, "lock": nil], ["id": 3, "lock": nil]]
                let partly = try tx.import(denied, as: "Door", with: importer()).report
                try expectEqual(partly.issues.map { "\($0.path) \($0.error.code)" }, ["$[0] deniedDeletion"])
                try expectEqual(partly.deleted, 1)
                try expectEqual(partly.failedLate, 1)
                try expectEqual(try tx.locks(), [1, 2, 4, 5])
            }
        },
        ConformanceCase(
            "import.replaced-commits", in: .importing,
            "an import in parts holds what replaces a record until the end, so that one that goes on deletes it too"
        ) { trial in
            _ = try trial.openDoors()
            let source: ImportValue = [
                ["id": 1, "lock": ["id": 5]], ["id": 2, "name": "b"], ["id": 3, "lock": 1],
                ["id": 6, "lock": ["id": 6]],
                ["id": "x"],
            ]
            let stopped = importer {
                $0.commits = .every(1)
                $0.failures = .throw
            }
            let error = try expectError(.typeMismatch) {
                try trial.stack.blocking.import(source, as: "Door", with: stopped)
            }
            try expectEqual(error.importReport?.committed, 0)
            try expectEqual(try trial.read { try $0.locks() }, [1, 2, 3, 4, 6])
            let goingOn = importer {
                $0.commits = .every(1)
                $0.start = error.importReport?.committed ?? -1
            }
            var whole = source
            if case .array(let objects) = source { whole = .array(objects.dropLast()) }
            let report = try trial.stack.blocking.import(whole, as: "Door", with: goingOn)
            try expectEqual(report.issues.map(\.description), [])
            try expectEqual(report.deleted, 1)
            try expectEqual(try trial.read { try $0.locks() }, [1, 2, 4, 5, 6])
        },
    ]
}
