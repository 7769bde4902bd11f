import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Which records an import writes, skips and deletes.

private let genres: ImportValue = [
    ["id": 1, "label": "Roll"], ["id": 5, "label": "Soul"], ["id": 2, "label": "Jazz"],
]

private func importer(_ policy: ImportPolicy, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer(policy)
    change(&importer)
    return importer
}

var importPoliciesCases: [ConformanceCase] {
    [
        ConformanceCase("import.insert-only", in: .importing, "records that exist are skipped") { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(genres, as: Genre.self, with: importer(.insertOnly))
                try expectEqual(result.report.counts, [1, 0, 0, 2, 0])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Folk", "Soul"])
            }
        },
        ConformanceCase("import.update-only", in: .importing, "records that do not exist are skipped") { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(genres, as: Genre.self, with: importer(.updateOnly))
                try expectEqual(result.report.counts, [0, 1, 1, 1, 0])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Roll", "Jazz", "Folk"])
            }
        },
        ConformanceCase(
            "import.skipped-objects", in: .importing,
            "what is left out is told with its place in the source and the reason"
        ) { trial in
            try Shop(trial).write { tx in
                func lines(_ report: ImportReport) throws -> [String] {
                    try expectEqual(report.skipped, report.skippedObjects.count)
                    return report.skippedObjects.map { "\($0.path) \($0.line ?? 0) \($0.reason)" }
                }
                let updated = try tx.import(genres, as: Genre.self, with: importer(.updateOnly)).report
                try expectEqual(try lines(updated), ["$[1] 0 doesNotExist"])
                let twice: ImportValue = [["id": 6, "label": "Dub"], ["id": 6, "label": "Ska"]]
                let inserted = try tx.import(twice, as: Genre.self, with: importer(.insertOnly)).report
                try expectEqual(try lines(inserted), ["$[1] 0 exists"])
                let text = "{\"id\": 1}\n{\"id\": 8, \"label\": \"Fado\"}\n{\"id\": 2, \"label\": \"x\"}\n"
                let source = ImportInput.json(.text(text), JSONOptions(layout: .lines))
                let read = try tx.import(source, as: Genre.self, with: importer(.insertOnly)).report
                try expectEqual(try lines(read), ["$[0] 1 exists", "$[2] 3 exists"])
                let unnamed: ImportValue = [["id": 9, "label": "Raga"], ["name": "x"]]
                let found = try tx.import(unnamed, as: Genre.self, with: importer(.upsert) { $0.missingKey = .skip })
                    .report
                try expectEqual(try lines(found), ["$[1] 0 noKey"])
                let newer = ImportMapping().skipUnless(newer: "salary")
                let old: ImportValue = [["id": 1, "salary": 1], ["id": 2, "salary": 1_000]]
                let report = try tx.import(old, as: Employee.self, with: importer(.upsert) { $0.mapping = newer })
                    .report
                try expectEqual(report.skippedObjects.map(\.reason), [.notNewer])
                try expectEqual(report.skippedObjects.map(\.path), ["$[0]"])
                // They are as many as are told at most.
                let many = (0..<2_000).map { _ -> ImportValue in ["id": 1] }
                let all = try tx.import(many, as: Genre.self, with: importer(.insertOnly)).report
                try expectEqual([all.skipped, all.skippedObjects.count], [2_000, 1_000])
            }
        },
        ConformanceCase(
            "import.mirror", in: .importing, "records that the source does not have are deleted, by the delete rules"
        ) { trial in
            try Shop(trial).write { tx in
                let report = try tx.import(genres, as: Genre.self, with: importer(.mirror())).report
                try expectEqual(report.deleted, 1)
                try expectEqual(report.deletedKeys, [.integer(3)])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Roll", "Jazz", "Soul"])
                try expectEqual(try tx.find(Artist.self, 4)?.genre, nil)
            }
        },
        ConformanceCase("import.mirror-empty", in: .importing, "an empty source deletes all") { trial in
            try Shop(trial).write { tx in
                try tx.import([] as ImportValue, as: Employee.self, with: importer(.mirror()))
                try expectEqual(try tx.count(Employee.all), 0)
            }
        },
        ConformanceCase("import.mirror-within", in: .importing, "only records of the query are deleted") { trial in
            try Shop(trial).write { tx in
                let within = Employee.where { $0.salary == 50 }.untyped
                let source: ImportValue = [["id": 4, "label": "Dan"]]
                try tx.import(source, as: Employee.self, with: importer(.mirror(within: within)))
                try expectEqual(try tx.fetch(Employee.all).map(\.id), [1, 2, 3, 4, 6])
                try expectError(.invalidQuery, entity: "Employee") {
                    try tx.import(source, as: Employee.self, with: importer(.mirror(within: AnyRequest("Song"))))
                        .records
                }
            }
        },
        ConformanceCase(
            "import.mirror-failed", in: .importing, "nothing is deleted after an import of which a record failed"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [["id": 1, "label": "Roll"], ["id": 9]]
                let report = try tx.import(
                    source, as: Genre.self, with: importer(.mirror()) { $0.failures = .report }
                ).report
                try expectEqual(report.counts, [0, 1, 0, 0, 1])
                try expectEqual(report.deleted, 0)
                try expectEqual(try tx.count(Genre.all), 3)
            }
        },
        ConformanceCase(
            "import.mirror-skipped", in: .importing, "records that were skipped as not newer are not deleted"
        ) {
            trial in
            try Shop(trial).write { tx in
                let newer = ImportMapping().skipUnless(newer: "salary")
                let source: ImportValue = [
                    ["id": 1, "salary": 90, "label": "x"], ["id": 2, "salary": 81, "label": "y"],
                ]
                let report = try tx.import(
                    source, as: Employee.self, with: importer(.mirror()) { $0.mapping = newer }
                ).report
                try expectEqual(report.counts, [0, 1, 0, 1, 0])
                try expectEqual(try tx.fetch(Employee.all).map(\.label), ["Ann", "y"])
            }
        },
        ConformanceCase(
            "import.modified", in: .importing, "an object that is not newer is skipped, nil on either side is not"
        ) { trial in
            try Shop(trial).write { tx in
                let newer = importer(.upsert) { $0.mapping = ImportMapping().skipUnless(newer: "salary") }
                let source: ImportValue = [
                    ["id": 1, "label": "a", "salary": 100], ["id": 2, "label": "b", "salary": 80.5],
                    ["id": 3, "label": "c", "salary": 1], ["id": 4, "label": "d", "salary": nil],
                    ["id": 5, "label": "e", "salary": 51],
                ]
                try tx.import(source, as: Employee.self, with: newer)
                try expectEqual(try tx.fetch(Employee.all).map(\.label), ["Ann", "b", "c", "d", "e", "Flo"])
            }
        },
        ConformanceCase("import.tombstones", in: .importing, "records that the source marks as deleted go") { trial in
            try Shop(trial).write { tx in
                let marked = importer(.upsert) { $0.tombstones = Employee.where { $0.label == "" }.untyped }
                let source: ImportValue = [
                    ["id": 2, "label": ""], ["id": 9, "label": ""], ["id": 3, "label": "Kat"],
                ]
                var dry = marked
                dry.isDryRun = true
                let candidates = try tx.import(source, as: Employee.self, with: dry).report.deletedKeys
                try expectEqual(candidates.sorted(), [.integer(2), .integer(9)])
                try expectEqual(try tx.count(Employee.all), 6)
                let report = try tx.import(source, as: Employee.self, with: marked).report
                try expectEqual(report.deleted, 2)
                try expectEqual(report.deletedKeys.sorted(), [.integer(2), .integer(9)])
                try expectEqual(try tx.fetch(Employee.all).map(\.id), [1, 3, 4, 5, 6])
            }
        },
        ConformanceCase("import.dry-run", in: .importing, "a dry run reports everything and changes nothing") { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(genres, as: Genre.self, with: importer(.mirror()) { $0.isDryRun = true })
                try expectEqual(result.report.counts, [1, 1, 1, 0, 0])
                try expectEqual(result.report.deletedKeys, [.integer(3)])
                try expectEqual(result.records.map(\.label), ["Roll", "Soul", "Jazz"])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Folk"])
            }
        },
        ConformanceCase("import.dry-run-keys", in: .importing, "a dry run uses up no assigned keys") { trial in
            let source: ImportValue = [["label": "a"], ["label": "b"], ["label": "c"]]
            let dry = importer(.upsert) { importer in
                importer.isDryRun = true
                importer.missingKey = .create
            }
            try trial.write { tx in
                try expectEqual(try tx.import(source, as: Counter.self, with: dry).records.map(\.id), [1, 2, 3])
                try expectEqual(try tx.import(source, as: Counter.self, with: dry).report.inserted, 3)
                try expectEqual(try tx.insert(Counter(label: "d")).id, 1)
            }
            try trial.write { tx in
                _ = try tx.import(source, as: Counter.self, with: dry)
            }
            let report = try await trial.stack.import(source, as: Counter.self, with: dry)
            try expectEqual(report.inserted, 3)
            try trial.write { tx in try expectEqual(try tx.insert(Counter(label: "e")).id, 2) }
        },
        ConformanceCase(
            "import.chosen", in: .importing, "the entity of each object is chosen by a closure, nil skips it"
        ) {
            trial in
            try Shop(trial).write { tx in
                let mixed = importer(.upsert) { importer in
                    importer.choose = { value, _ in
                        switch value["type"] {
                        case "genre": "Genre"
                        case "employee": "Employee"
                        default: nil
                        }
                    }
                    importer.mappings = [
                        "Genre": ImportMapping().ignore("type"), "Employee": ImportMapping().ignore("type"),
                    ]
                }
                let source: ImportValue = [
                    ["type": "genre", "id": 8, "label": "Soul"], ["type": "employee", "id": 8, "label": "Gus"],
                    ["type": "car", "id": 1],
                ]
                let result = try tx.import(source, as: "Genre", with: mixed)
                try expectEqual(result.records.map(\.entity.name), ["Genre", "Employee"])
                try expectEqual(result.report.counts, [2, 0, 0, 1, 0])
                try expectEqual(result.report.skippedObjects.map(\.reason), [.notChosen])
            }
        },
        ConformanceCase(
            "import.swapped", in: .importing, "a unique value that another record has fails the record alone"
        ) {
            trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [["id": 1, "label": "Jazz"], ["id": 3, "label": "Trad"]]
                try expectError(.uniqueness, entity: "Genre") { try tx.import(source, as: Genre.self).records }
                let report = try tx.import(
                    source, as: Genre.self, with: importer(.upsert) { $0.failures = .report }
                ).report
                try expectEqual(report.counts, [0, 1, 0, 0, 1])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Trad"])
            }
        },
        ConformanceCase("import.progress", in: .importing, "progress comes after each batch") { trial in
            let counts = Journal<Int>()
            try Shop(trial, filled: false).trial.write { tx in
                let source = (1...10).map { number -> ImportValue in ["id": .integer(number), "label": "\(number)"] }
                try tx.import(
                    source, as: Genre.self,
                    with: importer(.upsert) { importer in
                        importer.batchSize = 4
                        importer.progress = { counts.add($0.inserted) }
                    })
            }
            try expectEqual(counts.entries, [4, 8, 10])
        },
    ]
}
