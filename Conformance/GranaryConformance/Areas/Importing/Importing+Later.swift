import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// References and lists that name what comes later in the source, or contains them.

var importLaterCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.later", in: .importing, "a reference names what comes later in the source, in any batch"
        ) {
            trial in
            try Shop(trial, filled: false).write { tx in
                for size in [1, 2, 500] {
                    try Employee.deleteAll(in: tx)
                    var small = Importer()
                    small.batchSize = size
                    let source: ImportValue = [
                        ["id": 1, "label": "a", "manager": 4], ["id": 2, "label": "b", "manager": 1],
                        ["id": 3, "label": "c", "manager": 3], ["id": 4, "label": "d", "manager": 2],
                    ]
                    let result = try tx.import(source, as: Employee.self, with: small)
                    try expectEqual(
                        result.records.map(\.manager), [Ref(4), Ref(1), Ref(3), Ref(2)], "batches of \(size)")
                    try expectEqual(result.report.issueCount, 0)
                }
            }
        },
        ConformanceCase("import.later-required", in: .importing, "a required reference waits for what comes later") {
            trial in
            try Shop(trial, filled: false).write { tx in
                for size in [1, 2, 500] {
                    try Artist.deleteAll(in: tx)
                    var mixed = Importer()
                    mixed.batchSize = size
                    mixed.choose = { value, _ in value["title"] == nil ? "Artist" : "Album" }
                    let source: ImportValue = [
                        ["id": 1, "title": "Alpha", "artist": 2], ["id": 2, "title": "Beta", "artist": 1],
                        ["id": 1, "label": "Ada"], ["id": 2, "label": "Bo"],
                    ]
                    let report = try tx.import(source, as: "Album", with: mixed).report
                    try expectEqual(report.counts, [4, 0, 0, 0, 0], "batches of \(size)")
                    try expectEqual(try tx.fetch(Album.all).map(\.artist), [Ref(2), Ref(1)])
                }
            }
        },
        ConformanceCase(
            "import.later-never", in: .importing, "a required reference to what never comes fails its record"
        ) {
            trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["id": 9, "title": "x", "artist": 77], ["id": 10, "title": "y", "artist": 1],
                ]
                try expectError(.danglingReference, entity: "Album", attributes: ["artist"]) {
                    try tx.import(source, as: Album.self).records
                }
                var reporting = Importer()
                reporting.failures = .report
                let result = try tx.import(source, as: Album.self, with: reporting)
                try expectEqual(result.records.map(\.id), [10])
                try expectEqual(result.report.counts, [1, 0, 0, 0, 1])
            }
        },
        ConformanceCase("import.later-list", in: .importing, "a list names what comes later, in its order") { trial in
            try trial.open(SuiteSchema.mixes)
            try trial.write { tx in
                for size in [1, 500] {
                    try Mix.deleteAll(in: tx)
                    try Track.deleteAll(in: tx)
                    var mixed = Importer()
                    mixed.batchSize = size
                    mixed.choose = { value, _ in value["title"] == nil ? "Mix" : "Track" }
                    let source: ImportValue = [
                        ["id": 1, "name": "m", "tracks": [3, 1, 2]], ["id": 1, "title": "a"], ["id": 2, "title": "b"],
                        ["id": 3, "title": "c"],
                    ]
                    let report = try tx.import(source, as: "Mix", with: mixed).report
                    try expectEqual(try Mix(id: 1).tracks.all.fetch(in: tx).map(\.id), [3, 1, 2], "batches of \(size)")
                    try expectEqual(report.issueCount, 0)
                }
            }
        },
        ConformanceCase("import.circle", in: .importing, "objects that contain each other's references make a circle") {
            trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [
                    ["id": 1, "label": "a", "manager": ["id": 2, "label": "b", "manager": ["id": 1]]]
                ]
                try tx.import(source, as: Employee.self)
                try expectEqual(try tx.fetch(Employee.all).map(\.manager), [Ref(2), Ref(1)])
            }
        },
    ]
}
