import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Several lists of one document in one import, and the places from which records have come.

private let document = #"""
    {"songs": [{"id": 1, "title": "Fire", "album": 5, "genre": {"id": 9, "label": "Ska"}}],
     "more": {"albums": [{"id": 5, "title": "Axis", "artist": 7}, {"id": 6, "title": "Smash", "artist": "7"}]},
     "artists": [{"id": 7, "label": "Jimi", "genre": 9}]}
    """#

private let roots: KeyValuePairs<ImportPath, String> = ["songs": "Song", "more.albums": "Album", "artists": "Artist"]

private func reporting(_ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.failures = .report
    change(&importer)
    return importer
}

var importRootsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.roots", in: .importing,
            "several lists of a document are imported together, with references in any order"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                for size in [1, 500] {
                    for source in [
                        ImportInput.json(.text(document)), try ImportValue(json: document),
                        ImportInput.json(.bytes(Array(document.utf8))),
                    ] as [any ImportSource] {
                        for genre in try tx.fetch(Genre.all) { try tx.delete(genre) }
                        _ = try Song.all.deleteAll(in: tx)
                        _ = try Album.all.deleteAll(in: tx)
                        _ = try Artist.all.deleteAll(in: tx)
                        let result = try tx.import(source, as: roots, with: reporting { $0.batchSize = size })
                        try expectEqual(result.report.issues.map(\.description), [])
                        try expectEqual(result.report.counts, [5, 0, 0, 0, 0])
                        try expectEqual(
                            result.records.map { "\($0.entity.name) \($0["id"] ?? .null)" },
                            ["Song 1", "Album 5", "Album 6", "Artist 7"].map {
                                let parts = $0.split(separator: " ")
                                return "\(parts[0]) \(StoredValue.integer(Int64(parts[1]) ?? 0))"
                            })
                        try expectEqual(
                            result.origins.map(\.path),
                            ["$.songs[0]", "$.more.albums[0]", "$.more.albums[1]", "$.artists[0]"])
                        try expectEqual(
                            result.origins.map(\.root), ["songs", "more.albums", "more.albums", "artists"])
                        try expectEqual(result.origins.map(\.entity), ["Song", "Album", "Album", "Artist"])
                        try expectEqual(try tx.find(Song.self, 1)?.album, Ref(5))
                        try expectEqual(try tx.fetch(Album.all).map(\.artist), [Ref(7), Ref(7)])
                        try expectEqual(try tx.find(Artist.self, 7)?.genre, Ref(9))
                        try expectEqual(
                            try tx.import(source, as: roots, with: reporting()).report.counts, [0, 0, 5, 0, 0])
                    }
                }
            }
        },
        ConformanceCase(
            "import.roots-options", in: .importing, "options count for all lists, mappings for their own"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [
                    "data": [
                        "genres": ["1": ["name": "Rock"], "2": ["label": "Jazz"]],
                        "artists": ["7": ["name": "Jimi", "genre": 2, "extra": 1], "x": ["label": "Bo"]],
                    ]
                ]
                let importer = reporting {
                    $0.root = "data"
                    $0.isKeyed = true
                    $0.mapping = ImportMapping().map("id", from: "@key").map("label", from: "label", "name")
                    $0.mappings["Artist"] = ImportMapping().map("id", from: "@key").map("label", from: "name")
                        .map("rating", from: "stars")
                }
                let result = try tx.import(
                    source, as: ["genres": "Genre", "artists": "Artist"], with: importer)
                try expectEqual(try tx.fetch(Genre.all), [Genre(id: 1, label: "Rock"), Genre(id: 2, label: "Jazz")])
                try expectEqual(try tx.fetch(Artist.all), [Artist(id: 7, label: "Jimi", genre: Ref(2))])
                try expectEqual(result.report.issues.map(\.path), ["$.data.artists.x.id"])
                try expectEqual(result.report.unknownKeys, ["Artist": ["extra"]])
                try expectEqual(result.report.unusedPaths.map(\.name), ["rating"])
                try expectEqual(
                    result.origins.map(\.path), ["$.data.genres.1", "$.data.genres.2", "$.data.artists.7"])
                let one = try tx.import(
                    ["genres": [["id": 5, "label": "Pop"]]] as ImportValue, as: ["genres": "Genre"])
                try expectEqual(one.origins.map(\.path), ["$.genres[0]"])
            }
        },
        ConformanceCase(
            "import.roots-stack", in: .importing,
            "lists are one transaction of the stack, or commit in parts; a failure in one undoes all"
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let failing = document.replacing("\"id\": 7", with: "\"id\": \"x\"")
            try expectError(.typeMismatch) { try trial.stack.blocking.import(.json(.text(failing)), as: roots) }
            try expectEqual(try trial.read { try $0.count(Song.all) + $0.count(Album.all) }, 0)
            for importer in [Importer(), reporting { $0.commits = .every(1) }] {
                let report = try await trial.stack.import(.json(.text(document)), as: roots, with: importer)
                try expectEqual(report.issues.map(\.description), [])
                try expectEqual(report.inserted + report.unchanged, 5)
                try expectEqual(report.committed, 4)
                try expectEqual(try trial.fetch(Album.all).map(\.artist), [Ref(7), Ref(7)])
            }
        },
        ConformanceCase(
            "import.roots-wrong", in: .importing, "lists that are not there, and options for one entity, are refused"
        ) { trial in
            try trial.open(SuiteSchema.shop)
            try trial.write { tx in
                let source = try ImportValue(json: document)
                try expectError(.typeMismatch) {
                    try tx.import(source, as: ["songs": "Song", "singers": "Artist"]).report
                }
                try expectError(.unknownEntity) { try tx.import(source, as: ["songs": "Tune"]).report }
                try expectError(.invalidQuery) { try tx.import(source, as: [:]).report }
                try expectError(.invalidQuery) { try tx.import(source, as: roots, with: Importer(.mirror())).report }
                try expectError(.invalidQuery) {
                    try tx.import(source, as: roots, with: reporting { $0.target = .integer(1) }).report
                }
                let once = AsyncStream<[UInt8]> { continuation in
                    continuation.yield(Array(document.utf8))
                    continuation.finish()
                }
                try expectError(.unsupported) { try tx.import(.json(.chunks(of: once)), as: roots).report }
                try expectEqual(try tx.count(Song.all), 0)
            }
        },
        ConformanceCase(
            "import.origins", in: .importing, "each record of a result comes with the place of its object"
        ) { trial in
            try Shop(trial).write { tx in
                let lines = "{\"id\": 1, \"label\": \"Roll\"}\n\n{\"id\": \"x\"}\n{\"label\": \"Jazz\"}\n{\"id\": 1}\n"
                let source = ImportInput.json(.text(lines), JSONOptions(layout: .lines))
                let result = try tx.import(source, as: Genre.self, with: reporting { $0.batchSize = 2 })
                try expectEqual(result.records.map(\.id), [1, 2, 1])
                try expectEqual(result.origins.map(\.path), ["$[0]", "$[2]", "$[3]"])
                try expectEqual(result.origins.map(\.line), [1, 4, 5])
                try expectEqual(result.origins.map(\.root), [nil, nil, nil])
            }
        },
    ]
}
