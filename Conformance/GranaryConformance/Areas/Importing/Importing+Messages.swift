import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

/// What an import says of values that it cannot take.
var importMessagesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.unreadable-key", in: .importing, "a key that cannot be read is not called missing"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [["id": 1, "label": "a"], ["id": "x5", "label": "b"]]
                let error = try expectError(.typeMismatch, entity: "Genre", attributes: ["id"]) {
                    try tx.import(source, as: Genre.self).records
                }
                try expectEqual(
                    error.message,
                    "The value is not a whole number within Int64, so it is not known which Genre it is. Correct the source, or transform it."
                )
                try expectEqual([error.value, error.importPath], ["x5", "$[1].id"])
                try expect(!"\(error)".contains("x5"), "\(error)")
                var importer = Importer()
                importer.failures = .report
                let report = try tx.import(source, as: Genre.self, with: importer).report
                try expectEqual(report.counts, [1, 0, 0, 0, 1])
                try expectEqual(report.issueCount, 1)
                try expectEqual(report.issues.map(\.path), ["$[1].id"])
                try expectEqual(report.issues.map(\.error.code), [.typeMismatch])
                try expectEqual(report.issues.map(\.error.message), [error.message])
            }
        },
        ConformanceCase(
            "import.unreadable-key-csv", in: .importing, "so it is with a mapped key of a file, and with a missing one"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                var importer = Importer()
                importer.failures = .report
                importer.mapping = ImportMapping().map("id", from: "number")
                let source = ImportInput.csv(.bytes(Array("number,label\n1,a\n18446744073709551615,b\n,c\n".utf8)))
                let report = try tx.import(source, as: Genre.self, with: importer).report
                try expectEqual(report.counts, [1, 0, 0, 0, 2])
                let failed = report.issues.filter { $0.kind == .failed }
                try expectEqual(failed.map(\.path), ["$[1].number", "$[2]"])
                try expectEqual(failed.map(\.error.code), [.typeMismatch, .required])
                try expectEqual(failed.map(\.error.attributes), [["id"], ["id"]])
                try expectEqual(failed.map(\.error.value), ["18446744073709551615", nil])
            }
        },
        ConformanceCase(
            "import.message-values", in: .importing, "an issue has the value, and the attribute by its own name"
        ) { trial in
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.failures = .report
                importer.mapping = ImportMapping().map("isLive", from: "live")
                let songs: ImportValue = [["id": 6, "live": "perhaps"]]
                var issues = try tx.import(songs, as: Song.self, with: importer).report.issues
                try expectEqual(issues.map(\.error.value), ["perhaps"])
                try expectEqual(issues.first?.error.attributes, ["isLive"])
                try expectEqual(issues.first?.path, "$[0].live")
                importer.mapping = ImportMapping()
                let artists: ImportValue = [
                    ["id": 100, "label": "a", "genre": "Rock"], ["id": 101, "label": "b", "genre": 99],
                ]
                issues = try tx.import(artists, as: Artist.self, with: importer).report.issues
                try expectEqual(issues.map(\.error.value), ["Rock", "99"])
            }
        },
        ConformanceCase(
            "import.issue-order", in: .importing, "issues are in the order of the source, whenever they were found"
        ) { trial in
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.failures = .report
                // That a reference has no record is known at the end alone.
                let source: ImportValue = .array(
                    (0..<12).map { index -> ImportValue in
                        let id = ImportValue.integer(Int64(index + 100))
                        let label = ImportValue.string("\(index)")
                        return ["id": id, "label": label, "genre": index.isMultiple(of: 2) ? 99 : "Rock"]
                    })
                let report = try tx.import(source, as: Artist.self, with: importer).report
                let places = report.issues.map { $0.path.prefix { $0 != "]" } }
                try expectEqual(places, (0..<12).map { "$[\($0)" })
            }
        },
        ConformanceCase(
            "import.date-patterns", in: .importing, "a pattern of dates that no text can have is refused at once"
        ) { trial in
            try trial.write { tx in
                for (pattern, fault) in [
                    ("%Y/%m/%d", "has the letter Y"), ("dd.MM.", "has no year"), ("", "has no year"),
                    ("yyyy-MM-ddTHH:mm", "has the letter T"),
                ] {
                    var importer = Importer()
                    importer.mapping = ImportMapping().dates(.pattern(pattern), for: "date")
                    let error = try expectError(.invalidQuery, entity: "Sample", isOwnText: true) {
                        try tx.import([["id": 1]] as ImportValue, as: Sample.self, with: importer).records
                    }
                    try expect(error.message.contains(fault), error.message)
                }
            }
        },
    ]
}
