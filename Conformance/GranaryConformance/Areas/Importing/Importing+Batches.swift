import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// The result of an import is that of importing one object after the other, whatever the batches are.

extension Importer {
    /// An importer of objects of several entities, each with its name under `@`.
    static func mixed(_ size: Int = 500, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
        var importer = Importer()
        importer.batchSize = size
        importer.choose = { value, _ in if case .string(let name)? = value["@"] { name } else { nil } }
        importer.mapping = ImportMapping().ignore("@")
        change(&importer)
        return importer
    }
}

var importBatchesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.batch-bytes", in: .importing, "a batch ends when it has many bytes, and has one object in any case"
        ) { trial in
            let line = #"{"id": 1, "text": "\#(String(repeating: "x", count: 990))"}"# + "\n"
            let csv = "id,text\n" + String(repeating: "1,\(String(repeating: "x", count: 990))\n", count: 40)
            for (bytes, least, most) in [(10_000, 4, 5), (1, 40, 40), (0, 40, 40), (-5, 40, 40), (.max, 1, 1)] {
                for source in [
                    ImportInput.json(.text(String(repeating: line, count: 40)), JSONOptions(layout: .lines)),
                    .json(.text("[" + Array(repeating: line, count: 40).joined(separator: ",") + "]")),
                    .csv(.text(csv)),
                ] {
                    var importer = Importer()
                    importer.batchBytes = bytes
                    let batches = Journal<Int>()
                    importer.progress = { batches.add($0.updated) }
                    try trial.write { tx in
                        try tx.import(source, as: Sample.self, with: importer)
                        try expectEqual(try tx.count(Sample.all), 1)
                    }
                    try expect(
                        (least...most).contains(batches.entries.count),
                        "\(batches.entries.count) batches of \(bytes) bytes")
                }
            }
        },
        ConformanceCase(
            "import.held-merged", in: .importing, "objects of one record wait together for what the record needs"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                for size in [1, 2, 3, 500] {
                    try Artist.deleteAll(in: tx)
                    let source: ImportValue = [
                        ["@": "Album", "id": 1, "title": "Alpha", "artist": 9], ["@": "Album", "id": 1, "year": 1970],
                        ["@": "Album", "id": 1, "title": "Omega"], ["@": "Artist", "id": 9, "label": "Zoe"],
                        ["@": "Album", "id": 1, "year": 1971],
                    ]
                    let result = try tx.import(source, as: "Album", with: Importer.mixed(size))
                    try expectEqual(
                        try tx.fetch(Album.all), [Album(id: 1, title: "Omega", artist: Ref(9), year: 1971)], "\(size)")
                    try expectEqual(result.records.map(\.entity.name), ["Album", "Album", "Album", "Artist", "Album"])
                    try expectEqual(result.report.issueCount, 0)
                }
            }
        },
        ConformanceCase(
            "import.held-once", in: .importing, "an object that waits is imported once, with all that is nested in it"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                for size in [1, 2, 500] {
                    try Playlist.deleteAll(in: tx)
                    try Artist.deleteAll(in: tx)
                    let source: ImportValue = [
                        ["@": "Playlist_songs", "source": ["id": 20, "label": "New"], "target": 77, "position": "x"],
                        ["@": "Artist", "id": 1, "label": "Ada"],
                        ["@": "Album", "id": 1, "title": "Alpha", "artist": 1],
                        ["@": "Song", "id": 77, "title": "Able", "album": 1],
                    ]
                    let creating = Importer.mixed(size) {
                        $0.missingKey = .create
                        $0.failures = .report
                        $0.mappings["Playlist_songs"] = ImportMapping().transform("position") { _, _ in 3 }
                    }
                    let result = try tx.import(source, as: "Playlist_songs", with: creating)
                    try expectEqual(result.report.counts, [5, 0, 0, 0, 0], "batches of \(size)")
                    try expectEqual(try tx.count(PlaylistSong.all), 1)
                    try expectEqual(result.records.map(\.entity.name), ["Playlist_songs", "Artist", "Album", "Song"])
                }
            }
        },
        ConformanceCase(
            "import.held-chain", in: .importing, "what waits for what waits is imported as well, or fails with it"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [
                    ["@": "Song", "id": 1, "title": "Able", "album": 1],
                    ["@": "Album", "id": 1, "title": "Alpha", "artist": 1],
                    ["@": "Song", "id": 2, "title": "Bell", "album": 2],
                    ["@": "Album", "id": 2, "title": "Beta", "artist": 77], ["@": "Artist", "id": 1, "label": "Ada"],
                ]
                for size in [1, 2, 500] {
                    try Artist.deleteAll(in: tx)
                    let result = try tx.import(source, as: "Song", with: Importer.mixed(size) { $0.failures = .report })
                    try expectEqual(try tx.fetch(Song.all).map(\.id), [1], "batches of \(size)")
                    try expectEqual(result.report.counts, [3, 0, 0, 0, 2])
                    try expectEqual(Set(result.report.issues.map(\.path)), ["$[2]", "$[3]"])
                }
            }
        },
        ConformanceCase("import.cancelled", in: .importing, "a cancelled import of a stack imports nothing") { trial in
            try Shop(trial, filled: false).write { _ in }
            let stack = try trial.stack
            let gate = Gate()
            let (begun, announce) = AsyncStream<Void>.makeStream()
            let task = Task {
                var importer = Importer()
                importer.batchSize = 1
                importer.progress = { _ in
                    announce.yield()
                    // Until the cancellation has come, which the import sees before the next batch.
                    gate.wait()
                }
                return try await stack.import(
                    [["id": 1, "label": "a"], ["id": 2, "label": "b"]] as ImportValue, as: Genre.self, with: importer)
            }
            for await _ in begun { break }
            task.cancel()
            gate.open()
            let result = await task.result
            try expectError(.cancelled) { try result.get() }
            let count = try await stack.read { try $0.count(Genre.all) }
            try expectEqual(count, 0)
        },
        ConformanceCase(
            "import.later-reported", in: .importing,
            "what cannot be connected at the end is reported, the rest is imported"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["@": "Artist", "id": 1, "albums": [1]], ["@": "Artist", "id": 2, "albums": [3, 50]],
                    ["@": "Album", "id": 50, "title": "New", "artist": 2],
                ]
                let report = try tx.import(
                    source, as: "Artist", with: Importer.mixed(1) { $0.failures = .report }
                ).report
                try expectEqual(report.issues.map(\.path), ["$[0].albums"])
                try expectEqual(report.issues.map(\.error.code), [.required])
                try expectEqual(try tx.find(Album.self, 2)?.artist, Ref(1))
                try expectEqual(try tx.find(Album.self, 50)?.artist, Ref(2))
            }
        },
    ]
}
