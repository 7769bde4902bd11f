import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// The mappings of imports, followed the other way.

/// Exports genres with a mapping, and imports them with the same into an empty store.
private func expectGenres(_ trial: Trial, _ mapping: ImportMapping, _ text: String) throws {
    try Shop(trial).write { tx in
        var exporter = Exporter()
        exporter.mapping = mapping
        try expectEqual(try tx.exported(Genre.where { $0.id == 3 }, .lines, exporter), text + "\n")
        _ = try Genre.where { $0.id == 3 }.deleteAll(in: tx)
        var importer = Importer()
        importer.mapping = mapping
        let again = try tx.import(.json(.text(text)), as: Genre.self, with: importer)
        try expectEqual(again.records, [Shop.genres[2]])
        try expectEqual(again.report.inserted, 1)
    }
}

var exportMappingCases: [ConformanceCase] {
    [
        ConformanceCase("export.map", in: .exporting, "a mapped attribute is written where it is read from") { trial in
            try expectGenres(
                trial, ImportMapping().map("label", from: "genre_name", "name"), #"{"id":3,"genre_name":"Folk"}"#)
        },
        ConformanceCase(
            "export.map-path", in: .exporting, "attributes that are read from an object are written into one"
        ) {
            trial in
            try expectGenres(
                trial, ImportMapping().map("label", from: "info.names.main").map("id", from: "info.number"),
                #"{"info":{"number":3,"names":{"main":"Folk"}}}"#)
        },
        ConformanceCase("export.map-other", in: .exporting, "of paths that cannot be written the next one is taken") {
            trial in
            try expectGenres(
                trial, ImportMapping().map("label", from: "names[0]", "title"), #"{"id":3,"title":"Folk"}"#)
            try trial.read { snapshot in
                var exporter = Exporter()
                exporter.mapping = ImportMapping().map("label", from: "names[0]").map("id", from: "id")
                    .withoutInference()
                try expectError(.unsupported, entity: "Genre", attributes: ["label"]) {
                    try snapshot.export(Genre.all, to: .lines, with: exporter).exported
                }
            }
        },
        ConformanceCase("export.map-csv", in: .exporting, "in CSV what is read from an object has its own name") {
            trial in
            try Shop(trial).read { snapshot in
                var exporter = Exporter()
                exporter.mapping = ImportMapping().map("label", from: "info.name", "title")
                try expectEqual(try snapshot.exported(Genre.all.limit(1), .table, exporter), "id,title\r\n1,Rock\r\n")
            }
        },
        ConformanceCase(
            "export.ignore", in: .exporting, "what an import ignores is not exported, and keys can come first"
        ) {
            trial in
            try Shop(trial).read { snapshot in
                var exporter = Exporter()
                exporter.mapping = ImportMapping().ignore("salary").order("manager", "label")
                try expectEqual(
                    try snapshot.exported(Employee.where { $0.id == 2 }, .lines, exporter),
                    #"{"manager":1,"label":"Ben","id":2}"# + "\n")
            }
        },
        ConformanceCase("export.collision", in: .exporting, "two attributes are not written under one key") { trial in
            try Shop(trial).read { snapshot in
                for mapping in [
                    ImportMapping().map("label", from: "id"),
                    ImportMapping().map("label", from: "id.x"),
                ] {
                    var exporter = Exporter()
                    exporter.mapping = mapping
                    try expectError(.unsupported, entity: "Genre") {
                        try snapshot.export(Genre.all, to: .lines, with: exporter).exported
                    }
                }
            }
        },
        ConformanceCase(
            "export.unknown", in: .exporting, "a mapping of what does not exist is refused before anything is written"
        ) {
            trial in
            let path = trial.folder + "/out.json"
            try Shop(trial).read { snapshot in
                var exporter = Exporter()
                exporter.mapping = ImportMapping().map("name", from: "title")
                try expectError(.unknownAttribute, entity: "Genre") {
                    try snapshot.export(Genre.all, to: .file(path), with: exporter).exported
                }
                exporter.mapping = ImportMapping()
                exporter.mappings["Nothing"] = ImportMapping()
                try expectError(.unknownEntity) {
                    try snapshot.export(Genre.all, to: .file(path), with: exporter).exported
                }
                try expect(!FileManager.default.fileExists(atPath: path), "a file was made")
            }
        },
        ConformanceCase("export.formats", in: .exporting, "dates and data have the formats of the mapping") { trial in
            let date = Date(timeIntervalSinceReferenceDate: 736_252_245.5)
            let sample = Sample(id: 1, data: Data([0, 171]), date: date)
            try trial.write { try $0.insert(sample) }
            for (format, text) in [
                (ImportDateFormat.rfc3339, "\"2024-05-01T10:30:45.5Z\""), (.secondsSince1970, "1714559445.5"),
                (.millisecondsSince1970, "1714559445500.0"), (.dotNet, "\"/Date(1714559445500)/\""),
                (.pattern("EEE, dd MMM yyyy h:mm:ss.S a z"), "\"Wed, 01 May 2024 10:30:45.5 AM GMT\""),
                (.pattern("EEEE, d MMMM yy HH:mm:ss.SSSZ"), "\"Wednesday, 1 May 24 10:30:45.500+0000\""),
            ] {
                let mapping = ImportMapping().dates(format, for: "date").data(.hex, for: "data").map("id", from: "id")
                    .map("date", from: "date").map("data", from: "data").withoutInference()
                var exporter = Exporter()
                exporter.mapping = mapping
                let line = try trial.read { try $0.exported(Sample.all, .lines, exporter) }
                try expectEqual(line, "{\"id\":1,\"data\":\"00ab\",\"date\":\(text)}\n", "\(format)")
                try trial.write { tx in
                    _ = try Sample.all.deleteAll(in: tx)
                    var importer = Importer()
                    importer.mapping = mapping
                    try expectEqual(
                        try tx.import(.json(.text(line)), as: Sample.self, with: importer).records, [sample],
                        "\(format)")
                }
            }
        },
        ConformanceCase("export.transform", in: .exporting, "a transformer changes a value on its way out") { trial in
            let mapping = ImportMapping().transform(
                "label",
                exporting: { value in
                    guard case .string(let text) = value else { return value }
                    if text == "Jazz" { throw GranaryError(.invalidRecord, "No jazz.") }
                    return ["de": .string(text.uppercased())]
                },
                importing: { value, _ in
                    if case .string(let text)? = value["de"] { .string(text.capitalized) } else { value }
                })
            try expectGenres(trial, mapping, #"{"id":3,"label":{"de":"FOLK"}}"#)
            try trial.read { snapshot in
                var exporter = Exporter()
                exporter.mapping = mapping
                try expectError(.invalidRecord, entity: "Genre", attributes: ["label"]) {
                    try snapshot.export(Genre.all, to: .lines, with: exporter).exported
                }
            }
        },
        ConformanceCase(
            "export.by-unique", in: .exporting, "a reference that is read by a unique attribute is written by it"
        ) { trial in
            let mapping = ImportMapping().relate("genre", by: "label").ignore("mentor", "albums", "pupils")
            try Shop(trial).write { tx in
                var exporter = Exporter()
                exporter.mapping = mapping
                let query = Artist.where { $0.id >= 3 }
                let text = try tx.exported(query, .lines, exporter)
                try expectEqual(
                    text,
                    """
                    {"id":3,"label":"Cy","genre":null,"rating":2.0}
                    {"id":4,"label":"Di","genre":"Folk","rating":4.5}

                    """)
                try expectEqual(
                    try tx.exported(query, .table, exporter), "id,label,genre,rating\r\n3,Cy,,2.0\r\n4,Di,Folk,4.5\r\n")
                _ = try Artist.where { $0.id == 4 }.deleteAll(in: tx)
                var importer = Importer()
                importer.mapping = mapping
                let source = ImportInput.json(.text(text), JSONOptions(layout: .lines))
                try expectEqual(
                    try tx.import(source, as: Artist.self, with: importer).records, Array(Shop.artists[2...]))
            }
        },
        ConformanceCase(
            "export.connect", in: .exporting, "a reference that several values name is written as these values"
        ) {
            trial in
            try Shop(trial).read { snapshot in
                var exporter = Exporter()
                exporter.mapping = ImportMapping().connect("genre", ["genre_name": "label"]).ignore("mentor")
                try expectEqual(
                    try snapshot.exported(Artist.where { $0.id == 4 }, .lines, exporter),
                    #"{"id":4,"label":"Di","genre_name":"Folk","rating":4.5}"# + "\n")
            }
        },
        ConformanceCase("export.root", in: .exporting, "the records are put where an import looks for them") { trial in
            try Shop(trial).write { tx in
                var exporter = Exporter()
                exporter.root = "data.genres"
                let text = try tx.exported(Genre.all.limit(1), .json(.bytes), exporter)
                try expectEqual(text, #"{"data":{"genres":[{"id":1,"label":"Rock"}]}}"# + "\n")
                var importer = Importer()
                importer.root = exporter.root
                try expectEqual(try tx.import(.json(.text(text)), as: Genre.self, with: importer).report.unchanged, 1)
                try expectEqual(
                    try tx.exported(Genre.all.limit(1), .lines, exporter),
                    #"{"data":{"genres":{"id":1,"label":"Rock"}}}"# + "\n")
                exporter.root = "data[0]"
                try expectError(.unsupported) { try tx.export(Genre.all, to: .lines, with: exporter).exported }
            }
        },
        ConformanceCase(
            "export.identified", in: .exporting,
            "a record is named by what identifies records of its entity, as imports name it"
        ) { trial in
            try Shop(trial).write { tx in
                let genres = ImportMapping().identify(by: "label")
                var exporter = Exporter()
                exporter.mappings["Genre"] = genres
                let query = Artist.where { $0.id == 4 }
                let text = try tx.exported(query, .lines, exporter)
                try expectEqual(text, #"{"id":4,"label":"Di","genre":"Folk","rating":4.5,"mentor":null}"# + "\n")
                try expectEqual(
                    try tx.exported(query, .table, exporter), "id,label,genre,rating,mentor\r\n4,Di,Folk,4.5,\r\n")
                var importer = Importer()
                importer.mappings["Genre"] = genres
                try expectEqual(
                    try tx.import(.json(.text(text)), as: Artist.self, with: importer).report.counts, [0, 0, 1, 0, 0])
                // Below the depth of objects, and in lists.
                exporter = Exporter(.nested(depth: 1))
                exporter.mappings = [
                    "Artist": ImportMapping().ignore("mentor"), "Genre": genres, "Song": ImportMapping(),
                ]
                let nested = try tx.exported(Album.where { $0.id == 1 }, .lines, exporter)
                try expect(nested.contains(#""genre":"Rock""#), nested)
                exporter = Exporter(.lists)
                exporter.mappings["Artist"] = ImportMapping().ignore("mentor")
                exporter.mapping = ImportMapping().identify(by: "label")
                try expectEqual(
                    try tx.exported(Genre.where { $0.id == 3 }, .lines, exporter).hasPrefix(#"{"id":3,"label":"Folk""#),
                    true)
            }
        },
        ConformanceCase(
            "export.connect-unwritten", in: .exporting,
            "values that connect a reference and cannot be written are refused"
        ) { trial in
            try Shop(trial).read { snapshot in
                var exporter = Exporter()
                for (output, path) in [(.lines, "names[0]"), (.lines, "@parent.name"), (.table, "genre.name")]
                    as [(ExportOutput, ImportPath)]
                {
                    exporter.mapping = ImportMapping().connect("genre", [path: "label"])
                    try expectError(.unsupported, entity: "Artist", attributes: ["genre"]) {
                        try snapshot.export(Artist.all, to: output, with: exporter).exported
                    }
                }
            }
        },
        ConformanceCase(
            "export.distant-dates", in: .exporting,
            "a date that a format has no form for is written in one that has all of it"
        ) { trial in
            try trial.write { tx in
                let date = Date(timeIntervalSinceReferenceDate: 300_000_000_000.125)
                try tx.insert(Sample(id: 1, date: date))
                let text = try tx.exported(Sample.all, .lines)
                try expect(!text.contains("/Date"), text)
                try Sample.deleteAll(in: tx)
                try expectEqual(try tx.import(.json(.text(text)), as: Sample.self).records.map(\.date), [date])
            }
        },
    ]
}
