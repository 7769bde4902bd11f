import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Records and related records as dictionaries of objects, each under its key.

private let byKey = ImportMapping().map("id", from: "@key")

var exportDictionariesCases: [ConformanceCase] {
    [
        ConformanceCase("export.keyed", in: .exporting, "records are a dictionary of objects where that is asked for") {
            trial in
            try Shop(trial).write { tx in
                var exporter = Exporter()
                exporter.isKeyed = true
                try expectEqual(
                    try tx.exported(Genre.all.limit(2), .json(.bytes), exporter),
                    #"{"1":{"id":1,"label":"Rock"},"2":{"id":2,"label":"Jazz"}}"# + "\n")
                exporter.mapping = byKey
                exporter.root = "data.genres"
                let text = try tx.exported(Genre.where { $0.id == 3 }, .json(.bytes), exporter)
                try expectEqual(text, #"{"data":{"genres":{"3":{"label":"Folk"}}}}"# + "\n")
                _ = try Genre.where { $0.id == 3 }.deleteAll(in: tx)
                var importer = Importer()
                (importer.mapping, importer.root, importer.isKeyed) = (byKey, exporter.root, true)
                try expectEqual(
                    try tx.import(.json(.text(text)), as: Genre.self, with: importer).records, [Shop.genres[2]])
                try expectEqual(
                    try tx.exported(Genre.where { $0.id == 9 }, .json(.bytes), exporter),
                    #"{"data":{"genres":{}}}"# + "\n")
            }
        },
        ConformanceCase("export.keyed-unique", in: .exporting, "the key of a dictionary may be any unique attribute") {
            trial in
            try Shop(trial).write { tx in
                let mapping = ImportMapping().map("label", from: "@key").map("id", from: "number").withoutInference()
                var exporter = Exporter()
                (exporter.mapping, exporter.isKeyed) = (mapping, true)
                let text = try tx.exported(Genre.all, .json(.bytes), exporter)
                try expectEqual(text, #"{"Rock":{"number":1},"Jazz":{"number":2},"Folk":{"number":3}}"# + "\n")
                var importer = Importer()
                (importer.mapping, importer.isKeyed) = (mapping, true)
                try expectEqual(
                    try tx.import(.json(.text(text)), as: Genre.self, with: importer).report.counts, [0, 0, 3, 0, 0])
            }
        },
        ConformanceCase("export.keyed-transform", in: .exporting, "a transformer changes the key of a dictionary") {
            trial in
            try Shop(trial).write { tx in
                var exporter = Exporter()
                exporter.isKeyed = true
                func map(_ made: ImportValue) {
                    exporter.mapping = byKey.transform("id", exporting: { _ in made }, importing: { value, _ in value })
                }
                map(["no": "text"])
                try expectError(.typeMismatch, entity: "Genre", attributes: ["id"]) {
                    try tx.export(Genre.all, to: .json(.bytes), with: exporter).exported
                }
                map(nil)
                try expectError(.required, entity: "Genre", attributes: ["id"]) {
                    try tx.export(Genre.all, to: .json(.bytes), with: exporter).exported
                }
                map("one")
                try expectEqual(
                    try tx.exported(Genre.all.limit(1), .json(.bytes), exporter), #"{"one":{"label":"Rock"}}"# + "\n")
            }
        },
        ConformanceCase(
            "export.keyed-refused", in: .exporting,
            "a dictionary that could not be read again is refused before it is begun"
        ) { trial in
            let path = trial.folder + "/out.json"
            try Shop(trial).read { snapshot in
                var exporter = Exporter()
                exporter.isKeyed = true
                for output: ExportOutput in [.lines, .table] {
                    try expectError(.unsupported) {
                        try snapshot.export(Genre.all, to: output, with: exporter).exported
                    }
                }
                // Several employees may have one label.
                exporter.mapping = ImportMapping().map("label", from: "@key")
                try expectError(.unsupported, entity: "Employee", attributes: ["label"]) {
                    try snapshot.export(Employee.all, to: .file(path), with: exporter).exported
                }
                exporter = Exporter(.nested(depth: 1))
                exporter.mapping = ImportMapping().relate("artists", isKeyed: true)
                exporter.mappings["Artist"] = ImportMapping().map("label", from: "@key")
                try expectError(.unsupported, entity: "Artist", attributes: ["label"]) {
                    try snapshot.export(Genre.all, to: .file(path), with: exporter).exported
                }
                // A key that is read from a dictionary alone.
                exporter = Exporter()
                exporter.mapping = byKey.map("label", from: "label").withoutInference()
                for output: ExportOutput in [.file(path), .lines, .table] {
                    try expectError(.unsupported, entity: "Genre", attributes: ["id"]) {
                        try snapshot.export(Genre.all, to: output, with: exporter).exported
                    }
                }
                try expect(!FileManager.default.fileExists(atPath: path), "a file was made")
            }
        },
        ConformanceCase(
            "export.keyed-related", in: .exporting,
            "related records are a dictionary where an import reads them from one"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert([Board(id: 1), Board(id: 2)])
                try tx.insert([
                    Card(id: 1, label: "a", board: Ref(1), place: 1, weight: 0.5),
                    Card(id: 2, label: "b", board: Ref(1), place: 0, weight: -1),
                ])
                try tx.insert([Step(id: "x", card: Ref(1), place: 1), Step(id: "", card: Ref(1), place: 0)])
            }
            var exporter = Exporter(.nested(depth: 2))
            exporter.mapping = ImportMapping().relate("cards", isKeyed: true).ignore("archived", "pinned", "seen")
            exporter.mappings = [
                "Card": byKey.relate("steps", isKeyed: true).ignore("archive", "pin", "last"), "Step": byKey,
            ]
            let text = try trial.read { try $0.exported(Board.all, .lines, exporter) }
            try expectEqual(
                text,
                """
                {"id":1,"cards":{"2":{"label":"b","place":0,"weight":-1.0,"steps":{}},\
                "1":{"label":"a","place":1,"weight":0.5,"steps":{"":{"place":0},"x":{"place":1}}}}}
                {"id":2,"cards":{}}

                """)
            var importer = Importer()
            (importer.mapping, importer.mappings) = (exporter.mapping, exporter.mappings)
            let copy = try trial.another(SuiteSchema.boards, at: trial.folder + "/Copy.granary")
            let source = ImportInput.json(.text(text), JSONOptions(layout: .lines))
            let report = try copy.blocking.write { [importer] in
                try $0.import(source, as: Board.self, with: importer).report
            }
            try expectEqual(report.issues.map(\.description), [])
            try WholeStore.expectSame(copy, as: try WholeStore.records(try trial.stack))
        },
        ConformanceCase(
            "export.keyed-links", in: .exporting, "records on the other side of links are a dictionary, in their order"
        ) { trial in
            try Shop(trial).write { tx in
                var exporter = Exporter(.nested(depth: 1))
                exporter.mapping = ImportMapping().relate("songs", isKeyed: true)
                exporter.mappings["Song"] = byKey.ignore(
                    "album", "genre", "seconds", "score", "isLive", "released", "price", "cents", "info")
                let text = try tx.exported(Playlist.where { $0.id == 4 }, .json(.bytes), exporter)
                try expectEqual(
                    text, #"[{"id":4,"label":"Pair","songs":{"6":{"title":"Fog"},"2":{"title":"Bell"}}}]"# + "\n")
                var importer = Importer()
                (importer.mapping, importer.mappings) = (exporter.mapping, exporter.mappings)
                try expectEqual(
                    try tx.import(.json(.text(text)), as: Playlist.self, with: importer).report.counts, [0, 0, 3, 0, 0])
                // Keys in a list stand for themselves.
                exporter.relationships = .lists
                try expectEqual(
                    try tx.exported(Playlist.where { $0.id == 4 }, .lines, exporter),
                    "{\"id\":4,\"label\":\"Pair\",\"songs\":[6,2]}\n")
            }
        },
        ConformanceCase("export.keyed-cycle", in: .exporting, "a record within itself is its key, also in a dictionary")
        {
            trial in
            try Shop(trial).read { snapshot in
                var exporter = Exporter(.nested(depth: 3))
                exporter.mappings["Employee"] = byKey.ignore("label", "salary").relate("reports", isKeyed: true)
                try expectEqual(
                    try snapshot.exported(Employee.where { $0.id == 6 }, .lines, exporter),
                    "{\"id\":6,\"manager\":6,\"reports\":{\"6\":6}}\n")
            }
        },
    ]
}
