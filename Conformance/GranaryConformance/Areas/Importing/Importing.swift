import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Which record an object is, and what of it is written.

var importCases: [ConformanceCase] {
    [
        ConformanceCase("import.simple", in: .importing, "objects become records, in the order of the source") {
            trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [
                    ["id": 3, "label": "Folk"], ["id": 1, "label": "Rock"], ["id": 2, "label": "Jazz"],
                ]
                let result = try tx.import(source, as: Genre.self)
                try expectEqual(result.records.map(\.id), [3, 1, 2])
                try expectEqual(result.report.counts, [3, 0, 0, 0, 0])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Folk"])
                try expectEqual(try tx.import([] as ImportValue, as: Genre.self).records, [])
            }
        },
        ConformanceCase("import.one", in: .importing, "one object is imported as an array of one") { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(["id": 1, "label": "Roll"] as ImportValue, as: Genre.self)
                try expectEqual(result.records, [Genre(id: 1, label: "Roll")])
                try expectEqual(result.report.counts, [0, 1, 0, 0, 0])
            }
        },
        ConformanceCase(
            "import.update", in: .importing, "a record that exists is updated, keys that are absent leave values alone"
        ) { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(
                    [["id": 1, "rating": "5"], ["id": 2, "label": "Bob"]] as ImportValue, as: Artist.self)
                try expectEqual(result.report.counts, [0, 2, 0, 0, 0])
                let ada = try tx.find(Artist.self, 1)
                try expectEqual(ada, Artist(id: 1, label: "Ada", genre: Ref(1), rating: 5, mentor: Ref(2)))
                try expectEqual(try tx.find(Artist.self, 2)?.label, "Bob")
            }
        },
        ConformanceCase("import.unchanged", in: .importing, "what a record has already is not written") { trial in
            try Shop(trial).write { try $0.insert(Genre(id: 9, label: "New")) }
            let stack = try trial.stack
            let number = try stack.blocking.read { $0.transactionNumber }
            let report = try stack.blocking.write { tx in
                try tx.import(
                    [["id": 1, "label": "Rock"], ["id": "2", "label": "Jazz"]] as ImportValue, as: Genre.self
                ).report
            }
            try expectEqual(report.counts, [0, 0, 2, 0, 0])
            try expectEqual(try stack.blocking.read { $0.transactionNumber }, number)
        },
        ConformanceCase("import.key-converted", in: .importing, "a key is converted before it is looked up") { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["id": "1", "label": "R"], ["id": 2.0, "label": "J"], ["id": .decimal("3e0"), "label": "F"],
                ]
                try expectEqual(try tx.import(source, as: Genre.self).report.counts, [0, 3, 0, 0, 0])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["R", "J", "F"])
            }
        },
        ConformanceCase(
            "import.duplicates", in: .importing, "two objects with one key are one record, the last value counts"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [
                    ["id": 1, "label": "A", "salary": 5], ["id": "1", "label": "B"], ["id": 2, "label": "C"],
                ]
                let result = try tx.import(source, as: Employee.self)
                try expectEqual(result.records.map(\.label), ["B", "B", "C"])
                try expectEqual(result.report.counts, [2, 0, 0, 0, 0])
                try expectEqual(try tx.find(Employee.self, 1)?.salary, 5)
            }
        },
        ConformanceCase(
            "import.duplicates-apart", in: .importing,
            "two objects with one key are one record in different batches as well"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                var importer = Importer()
                importer.batchSize = 2
                let source: ImportValue = [
                    ["id": 1, "label": "A"], ["id": 2, "label": "C"], ["id": 3, "label": "D"],
                    ["id": "1", "label": "B"],
                ]
                let result = try tx.import(source, as: Employee.self, with: importer)
                try expectEqual(result.records.map(\.label), ["B", "C", "D", "B"])
                try expectEqual(result.report.counts, [3, 0, 0, 0, 0])
                try expectEqual(result.report.repeatedObjects.map(\.path), ["$[3]"])
            }
        },
        ConformanceCase("import.unique", in: .importing, "a record without its key is found by a unique attribute") {
            trial in
            try Shop(trial).write { tx in
                let result = try tx.import([["label": "Jazz"]] as ImportValue, as: Genre.self)
                try expectEqual(result.records, [Genre(id: 2, label: "Jazz")])
                try expectEqual(result.report.counts, [0, 0, 1, 0, 0])
                try expectError(.required, entity: "Genre") {
                    try tx.import([["label": "Soul"]] as ImportValue, as: Genre.self).records
                }
                try expectEqual(try tx.count(Genre.all), 3)
            }
        },
        ConformanceCase("import.compound", in: .importing, "a record is found by several unique attributes together") {
            trial in
            try trial.open(Schema(Coupon.self))
            try trial.write { tx in
                try tx.insert([
                    Coupon(id: 1, series: "a", number: 1), Coupon(id: 2, series: "a", number: 2),
                    Coupon(id: 3, series: "b", number: 1),
                ])
                let source: ImportValue = [
                    ["series": "a", "number": "2", "text": "x"], ["series": "b", "number": 1, "text": "y"],
                    ["id": 4, "series": "b", "number": 2, "text": "z"],
                ]
                let result = try tx.import(source, as: Coupon.self)
                try expectEqual(result.records.map(\.id), [2, 3, 4])
                try expectEqual(result.report.counts, [1, 2, 0, 0, 0])
            }
        },
        ConformanceCase(
            "import.identify", in: .importing, "the mapping chooses the unique attribute that tells the record"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            try trial.write { tx in
                try tx.insert(Coupon(id: 1, text: "a", double: 1))
                var importer = Importer()
                importer.mapping = ImportMapping().identify(by: "text")
                let result = try tx.import(
                    [["text": "a", "double": 2.5]] as ImportValue, as: Coupon.self, with: importer)
                try expectEqual(result.records, [Coupon(id: 1, text: "a", double: 2.5)])
                importer.mapping = ImportMapping().identify(by: "series")
                try expectError(.invalidQuery, entity: "Coupon", attributes: ["series"]) {
                    try tx.import([] as ImportValue, as: Coupon.self, with: importer).records
                }
            }
        },
        ConformanceCase(
            "import.target", in: .importing,
            "an object is imported into a record that is given, and needs no key of its own"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            try trial.write { tx in
                try tx.insert([Coupon(id: 1, text: "a", double: 1), Coupon(id: 2, text: "b", double: 2)])
                var importer = Importer()
                importer.target = .integer(1)
                importer.mapping = ImportMapping().identify(by: "text")
                func result(_ source: ImportValue) throws -> ImportResult<Coupon> {
                    try tx.import(source, as: Coupon.self, with: importer)
                }
                try expectEqual(try result(["double": 2.5]).records, [Coupon(id: 1, text: "a", double: 2.5)])
                // What would tell another record otherwise is a value like others.
                try expectEqual(try result(["id": "1", "text": "c"]).records, [Coupon(id: 1, text: "c", double: 2.5)])
                try expectEqual(try result([["text": "c"]]).report.counts, [0, 0, 1, 0, 0])
                try expectError(.uniqueness, entity: "Coupon") { try result(["text": "b"]).records }
                try expectError(.invalidRecord, entity: "Coupon", attributes: ["id"]) { try result(["id": 2]).records }
                try expectError(.invalidQuery, entity: "Coupon") { try result([["text": "d"], ["text": "e"]]).records }
                importer.target = .integer(9)
                try expectError(.recordNotFound, entity: "Coupon") { try result(["text": "d"]).records }
                importer.policy = .mirror()
                try expectError(.invalidQuery, entity: "Coupon") { try result(["text": "d"]).records }
                let all = [Coupon(id: 1, text: "c", double: 2.5), Coupon(id: 2, text: "b", double: 2)]
                try expectEqual(try tx.fetch(Coupon.all), all)
            }
            let context = try trial.stack.makeContext()
            var importer = Importer()
            importer.target = .integer(2)
            let changed = try context.import(["text": "z"] as ImportValue, as: "Coupon", with: importer)
            try expectEqual(changed.report.counts, [0, 1, 0, 0, 0])
            try expectEqual(try trial.fetch(Coupon.all).map(\.text), ["c", "b"])
        },
        ConformanceCase(
            "import.target-without-key", in: .importing,
            "an object without a key is imported into the record that is given, whatever type its key has"
        ) { trial in
            try trial.open(
                Schema(entities: [
                    Entity(
                        "City", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)]),
                    Entity(
                        "State", key: "code",
                        attributes: [Attribute("code", String.self), Attribute("name", String.self)]),
                    Entity(
                        "Note", key: "id", keyGeneration: .assigned,
                        attributes: [Attribute("id", Int64.self), Attribute("name", String.self)]),
                ]))
            try trial.write { tx in
                try tx.import([["id": 7, "name": "a"], ["id": 8, "name": "b"]] as ImportValue, as: "City")
                try tx.import([["code": "x", "name": "a"]] as ImportValue, as: "State")
                var importer = Importer()
                importer.isStrict = true
                func name(_ source: String, _ entity: String, _ target: StoredValue) throws -> StoredValue? {
                    importer.target = target
                    return try tx.import(.json(.text(source)), as: entity, with: importer).records.first?["name"]
                }
                try expectEqual(try name(#"{"name": "c"}"#, "City", .integer(7)), .string("c"))
                try expectEqual(try name(#"[{"id": null, "name": "d"}]"#, "City", .integer(7)), .string("d"))
                try expectEqual(try name(#"{"name": "e"}"#, "City", .string("7")), .string("e"))
                try expectEqual(try name(#"{"name": "f"}"#, "State", .string("x")), .string("f"))
                try expectError(.typeMismatch, entity: "City") { try name(#"{"name": "g"}"#, "City", .string("x")) }
                for (entity, key) in [("City", 9), ("Note", 0), ("Note", 1)] {
                    let error = try expectError(.recordNotFound, entity: entity) {
                        try name(#"{"name": "g"}"#, entity, .integer(Int64(key)))
                    }
                    try expect(error.message.contains("target"), error.message)
                }
                importer.choose = { _, _ in "Note" }
                try expectError(.invalidQuery, entity: "City") {
                    try name(#"{"id": 1, "name": "g"}"#, "City", .integer(7))
                }
                let names = try tx.fetch(Request("City")).map { $0["name"] }
                try expectEqual(names, [.string("e"), .string("b")])
            }
        },
        ConformanceCase(
            "import.missing-key", in: .importing,
            "an object that does not say which record it is fails, is skipped, or is new"
        ) { trial in
            try trial.write { tx in
                let source: ImportValue = [["text": "a"], ["id": 5, "text": "b"], ["id": nil, "text": "c"]]
                try expectError(.required, entity: "Sample", attributes: ["id"]) {
                    try tx.import(source, as: Sample.self).records
                }
                try expectEqual(try tx.count(Sample.all), 0)
                var importer = Importer()
                importer.missingKey = .skip
                try expectEqual(try tx.import(source, as: Sample.self, with: importer).report.counts, [1, 0, 0, 2, 0])
                try Sample.deleteAll(in: tx)
                importer = Importer()
                importer.failures = .report
                let report = try tx.import(source, as: Sample.self, with: importer).report
                try expectEqual(report.counts, [1, 0, 0, 0, 2])
                try expectEqual(report.issues.map(\.path), ["$[0]", "$[2].id", "$[2]"])
            }
        },
        ConformanceCase(
            "import.always-create", in: .importing, "objects without a key are new records with keys of the store"
        ) { trial in
            try trial.write { tx in
                var importer = Importer()
                importer.missingKey = .create
                let result = try tx.import(
                    [["label": "a"], ["label": "b"]] as ImportValue, as: Counter.self, with: importer)
                try expectEqual(result.records.map(\.label), ["a", "b"])
                try expect(result.records.allSatisfy { $0.id > 0 }, "keys are assigned")
                // The label is unique, so it is found again.
                let again = try tx.import(
                    [["label": "b"], ["label": "c"]] as ImportValue, as: Counter.self, with: importer)
                try expectEqual(again.records.first?.id, result.records.last?.id)
                try expectEqual(again.report.counts, [1, 0, 1, 0, 0])
            }
        },
        ConformanceCase(
            "import.null", in: .importing, "null clears an optional attribute, and leaves a required one as it is"
        ) { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(
                    [["id": 1, "rating": nil, "label": nil, "genre": nil]] as ImportValue, as: Artist.self)
                try expectEqual(result.records, [Artist(id: 1, label: "Ada", mentor: Ref(2))])
                try expectEqual(result.report.issues.map(\.path), ["$[0].label"])
            }
        },
        ConformanceCase(
            "import.required", in: .importing, "a new record without a required value fails, with its place"
        ) {
            trial in
            try Shop(trial).write { tx in
                let error = try expectError(.required, entity: "Genre", attributes: ["label"]) {
                    try tx.import([["id": 1, "label": "R"], ["id": 9]] as ImportValue, as: Genre.self).records
                }
                try expectEqual(error.importPath, "$[1]")
                try expectEqual(try tx.find(Genre.self, 1)?.label, "Rock")
            }
        },
        ConformanceCase("import.by-name", in: .importing, "objects are imported by an entity's name") { trial in
            try Shop(trial).write { tx in
                let result = try tx.import([["id": "7", "label": "Soul"]] as ImportValue, as: "Genre")
                try expectEqual(try result.records.first?.value("label", as: String.self), "Soul")
                try expectEqual(result.records.first?.key, .integer(7))
                try expectError(.unknownEntity) { try tx.import([] as ImportValue, as: "Nothing").records }
            }
        },
        ConformanceCase("import.any", in: .importing, "dictionaries of Any are imported") { trial in
            try Shop(trial).write { tx in
                let dictionary: [String: Any] = [
                    "id": 5, "label": "Eve", "rating": 4.5, "genre": ["id": "1", "label": "Rock"] as [String: Any],
                ]
                let result = try tx.import(try ImportValue(any: [dictionary]), as: Artist.self)
                try expectEqual(result.records, [Artist(id: 5, label: "Eve", genre: Ref(1), rating: 4.5)])
                try expectError(.typeMismatch) { try ImportValue(any: ["a": Shop.self as Any] as [String: Any]) }
            }
        },
        ConformanceCase("import.contexts", in: .importing, "a context holds what is imported until it is saved") {
            trial in
            try Shop(trial).write { _ in }
            let stack = try trial.stack
            let context = try stack.makeContext()
            let source: ImportValue = [["id": 1, "label": "Roll"], ["id": 8, "label": "Soul"]]
            let result = try context.import(source, as: Genre.self)
            try expectEqual(result.report.counts, [1, 1, 0, 0, 0])
            try expectEqual(try context.fetch(Genre.all).map(\.label), ["Roll", "Jazz", "Folk", "Soul"])
            let before = try await stack.read { try $0.count(Genre.all) }
            try expectEqual(before, 3)
            // Its own pending records are found.
            try expectEqual(try context.import(source, as: Genre.self).report.counts, [0, 0, 2, 0, 0])
            let child = try context.makeChild()
            try expectEqual(try child.import(source, as: Genre.self).report.counts, [0, 0, 2, 0, 0])
            try await context.save()
            let saved = try await stack.read { try $0.fetch(Genre.all).map(\.label) }
            try expectEqual(saved, ["Roll", "Jazz", "Folk", "Soul"])
        },
        ConformanceCase("import.stack", in: .importing, "a stack imports in a transaction of its own") { trial in
            try Shop(trial).write { _ in }
            let stack = try trial.stack
            let source = (1...1_200).map { number -> ImportValue in ["id": .integer(number), "label": "\(number)"] }
            let report = try await stack.import(source, as: Employee.self)
            try expectEqual(report.counts, [1_194, 6, 0, 0, 0])
            let again = try await stack.import(source, as: "Employee")
            try expectEqual(again.counts, [0, 0, 1_200, 0, 0])
        },
        ConformanceCase("import.twice-at-once", in: .importing, "two imports at once make each record once") { trial in
            try Shop(trial, filled: false).write { _ in }
            let stack = try trial.stack
            let source = (1...300).map { number -> ImportValue in ["id": .integer(number), "label": "\(number)"] }
            let reports = try await withThrowingTaskGroup(of: ImportReport.self) { group in
                for _ in 0..<4 { group.addTask { try await stack.import(source, as: Employee.self) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expectEqual(reports.reduce(0) { $0 + $1.inserted }, 300)
            try expectEqual(reports.reduce(0) { $0 + $1.unchanged }, 900)
        },
        ConformanceCase("import.atomic", in: .importing, "an import that fails leaves everything as it was") { trial in
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.batchSize = 1
                let source: ImportValue = [
                    ["id": 1, "label": "R"], ["id": 5, "label": "Soul"], ["label": "nobody"], ["id": 6],
                ]
                try expectError(.required, entity: "Genre") {
                    try tx.import(source, as: Genre.self, with: importer).records
                }
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Folk"])
            }
        },
        ConformanceCase(
            "import.reported", in: .importing, "records that fail are left out and reported, the others are there"
        ) { trial in
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.failures = .report
                let source: ImportValue = [
                    ["id": 4, "label": "Jazz"], ["id": 5, "label": "Soul"], ["id": 6], "nonsense",
                    ["id": 7, "label": "Funk"],
                ]
                let result = try tx.import(source, as: Genre.self, with: importer)
                try expectEqual(result.records.map(\.id), [5, 7])
                try expectEqual(result.report.counts, [2, 0, 0, 0, 3])
                try expectEqual(Set(result.report.issues.map(\.path)), ["$[0]", "$[2]", "$[3]"])
                try expectEqual(
                    result.report.issues.map(\.error.code).sorted { $0.rawValue < $1.rawValue },
                    [.required, .typeMismatch, .uniqueness])
            }
        },
        ConformanceCase(
            "import.versions", in: .importing, "a version is raised by what changes, and not taken from the source"
        ) { trial in
            try trial.open(Schema(Draft.self))
            try trial.write { tx in
                try tx.insert(Draft(id: 1, title: "a", reads: 1))
                let source: ImportValue = [
                    ["id": 1, "title": "b", "reads": 1, "version": 77], ["id": 2, "title": "c", "reads": 0],
                ]
                try expectEqual(try tx.import(source, as: Draft.self).report.counts, [1, 1, 0, 0, 0])
                try expectEqual(try tx.import(source, as: Draft.self).report.counts, [0, 0, 2, 0, 0])
            }
            try expectEqual(try trial.fetch(Draft.all).map(\.title), ["b", "c"])
        },
    ]
}
