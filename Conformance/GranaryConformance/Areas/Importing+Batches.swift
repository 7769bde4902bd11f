import Foundation
import GranaryCore
import GranaryImport

// The result of an import is that of importing one object after the other, whatever the batches are.

/// An importer of objects of several entities, each with its name under `@`.
private func mixed(_ size: Int = 500, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.batchSize = size
    importer.choose = { value, _ in if case .string(let name)? = value["@"] { name } else { nil } }
    importer.mapping = ImportMapping().ignore("@")
    change(&importer)
    return importer
}

/// Records of which each names another one by a unique name, and has its key from the store.
private let chains = Schema(entities: [
    Entity(
        "Node", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self),
            Attribute("next", .int64, isOptional: true, reference: .init(entity: "Node", onDelete: .nullify)),
        ], indexes: [.unique("name")], relationships: [Relationship("before", entity: "Node", attribute: "next")]),
    Entity(
        "Disc", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("year", Int64?.self),
            Attribute("owner", .int64, reference: .init(entity: "Owner", onDelete: .cascade)),
        ], indexes: [.unique("owner", "title")]),
    Entity(
        "Owner", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        indexes: [.unique("name")], relationships: [Relationship("discs", entity: "Disc", attribute: "owner")]),
])

extension Transaction {
    fileprivate func cards(of board: Int64) throws -> [Int64] {
        try Board(id: board).cards.fetch(in: self).map(\.id)
    }
}

let importBatchesCases: [ConformanceCase] = [
    ConformanceCase(
        "import.batch-bytes", in: .importing, "a batch ends when it has many bytes, and has one object in any case"
    ) { trial in
        let line = #"{"id": 1, "text": "\#(String(repeating: "x", count: 990))"}"# + "\n"
        let csv = "id,text\n" + String(repeating: "1,\(String(repeating: "x", count: 990))\n", count: 40)
        for (bytes, least, most) in [(10_000, 4, 5), (1, 40, 40), (0, 40, 40), (-5, 40, 40), (.max, 1, 1)] {
            for source in [
                ImportInput.json(.text(String(repeating: line, count: 40)), JSONOptions(layout: .lines)),
                .json(.text("[" + Array(repeating: line, count: 40).joined(separator: ",") + "]")), .csv(.text(csv)),
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
        "import.places-kept", in: .importing,
        "a nested list that is in order keeps the numbers that its records have, and what is new comes after them"
    ) { trial in
        try trial.open(SuiteSchema.boards)
        func cards(_ keys: [Int64]) -> ImportValue {
            [["id": 1, "cards": .array(keys.map { ["id": .integer($0), "label": "x", "weight": 0] })]]
        }
        try trial.write { tx in
            try tx.insert(Board(id: 1))
            try tx.insert(
                (1...4).map { Card(id: $0, label: "x", board: Ref(1), place: $0 * 10) })
            func places() throws -> [Int64?] { try tx.fetch(Card.sorted(by: \.id)).map(\.place) }
            try expectEqual(try tx.import(cards([1, 2, 3, 4]), as: Board.self).report.counts, [0, 0, 5, 0, 0])
            try expectEqual(try places(), [10, 20, 30, 40])
            // One goes, and one comes last.
            try tx.import(cards([1, 2, 4, 5]), as: Board.self)
            try expectEqual(try tx.cards(of: 1), [1, 2, 4, 5])
            try expectEqual(try places(), [10, 20, 30, 40, 41])
            // Those at the front stay.
            try tx.import(cards([1, 2, 5, 4]), as: Board.self)
            try expectEqual(try tx.cards(of: 1), [1, 2, 5, 4])
            try expectEqual(try tx.find(Card.self, 2)?.place, 20)
            // One comes first.
            try tx.import(cards([6, 1, 2, 5, 4]), as: Board.self)
            try expectEqual(try tx.cards(of: 1), [6, 1, 2, 5, 4])
            try tx.update(Card.self, 4) { $0.place = .max }
            try tx.import(cards([6, 1, 2, 5, 4, 7]), as: Board.self)
            try expectEqual(try tx.cards(of: 1), [6, 1, 2, 5, 4, 7])
        }
    },
    ConformanceCase(
        "import.held-merged", in: .importing, "objects of one record wait together for what the record needs"
    ) { trial in
        try Shop(trial, filled: false).write { tx in
            for size in [1, 2, 3, 500] {
                try tx.deleteAll(Artist.self)
                let source: ImportValue = [
                    ["@": "Album", "id": 1, "title": "Alpha", "artist": 9], ["@": "Album", "id": 1, "year": 1970],
                    ["@": "Album", "id": 1, "title": "Omega"], ["@": "Artist", "id": 9, "label": "Zoe"],
                    ["@": "Album", "id": 1, "year": 1971],
                ]
                let result = try tx.import(source, as: "Album", with: mixed(size))
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
                try tx.deleteAll(Playlist.self)
                try tx.deleteAll(Artist.self)
                let source: ImportValue = [
                    ["@": "Playlist_songs", "source": ["id": 20, "label": "New"], "target": 77, "position": "x"],
                    ["@": "Artist", "id": 1, "label": "Ada"], ["@": "Album", "id": 1, "title": "Alpha", "artist": 1],
                    ["@": "Song", "id": 77, "title": "Able", "album": 1],
                ]
                let creating = mixed(size) {
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
                try tx.deleteAll(Artist.self)
                let result = try tx.import(source, as: "Song", with: mixed(size) { $0.failures = .report })
                try expectEqual(try tx.fetch(Song.all).map(\.id), [1], "batches of \(size)")
                try expectEqual(result.report.counts, [3, 0, 0, 0, 2])
                try expectEqual(Set(result.report.issues.map(\.path)), ["$[2]", "$[3]"])
            }
        }
    },
    ConformanceCase(
        "import.unique-passed-on", in: .importing,
        "objects with different keys are different, also with one unique value"
    ) { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [
                ["id": 8, "label": "A"], ["id": 9, "label": "A"], ["id": 8, "label": "B"], ["label": "A"],
            ]
            let result = try tx.import(source, as: Genre.self)
            try expectEqual(result.records.map(\.id), [8, 9, 8, 9])
            try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Folk", "B", "A"])
            try expectError(.uniqueness, entity: "Genre") {
                try tx.import([["id": 11, "label": "C"], ["id": 12, "label": "C"]] as ImportValue, as: Genre.self)
                    .records
            }
        }
    },
    ConformanceCase(
        "import.unique-moved", in: .importing,
        "a unique value that an object gives away does not name its record any more"
    ) { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [["id": 1, "label": "Soul"], ["id": 20, "label": "Rock"], ["label": "Rock"]]
            let result = try tx.import(source, as: Genre.self)
            try expectEqual(result.records.map(\.id), [1, 20, 20])
        }
    },
    ConformanceCase("import.exchanged", in: .importing, "records of one batch exchange unique values") { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [
                ["id": 1, "label": "Jazz"], ["id": 2, "label": "Folk"], ["id": 3, "label": "Rock"],
            ]
            let report = try tx.import(source, as: Genre.self).report
            try expectEqual(report.counts, [0, 3, 0, 0, 0])
            try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Jazz", "Folk", "Rock"])
            let nested: ImportValue = [
                ["id": 9, "label": "Zoe", "genre": ["id": 4, "label": "Jazz"]],
                ["id": 1, "genre": ["id": 1, "label": "Soul"]],
            ]
            try tx.import(nested, as: Artist.self)
            try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Soul", "Folk", "Rock", "Jazz"])
        }
        let context = try trial.stack.makeContext()
        try context.import([["id": 2, "label": "Rock"], ["id": 3, "label": "Folk"]] as ImportValue, as: Genre.self)
        try await context.save()
        let labels = try await trial.stack.read { try $0.fetch(Genre.all).map(\.label) }
        try expectEqual(labels, ["Soul", "Rock", "Folk", "Jazz"])
    },
    ConformanceCase("import.moved-child", in: .importing, "a record that another list has is not deleted") { trial in
        try trial.open(SuiteSchema.boards)
        try trial.write { tx in
            for size in [1, 500] {
                for policy in [ImportRelating.replace, .replaceAndDelete] {
                    for source in [
                        [["id": 1, "cards": []], ["id": 2, "cards": [1, 3]]],
                        [["id": 2, "cards": [1, 3]], ["id": 1, "cards": []]],
                    ] as [ImportValue] {
                        try tx.deleteAll(Card.self)
                        try tx.deleteAll(Board.self)
                        try tx.insert([Board(id: 1), Board(id: 2)])
                        try tx.insert([
                            Card(id: 1, board: Ref(1), place: 0), Card(id: 2, board: Ref(1), place: 1), Card(id: 3),
                        ])
                        var importer = Importer()
                        importer.batchSize = size
                        importer.mapping = ImportMapping().relate("cards", policy)
                        let report = try tx.import(source, as: Board.self, with: importer).report
                        try expectEqual(try tx.cards(of: 2), [1, 3], "\(policy) \(size)")
                        try expectEqual(try tx.cards(of: 1), [])
                        try expectEqual(report.deleted, policy == .replace ? 0 : 1)
                        try expectEqual(try tx.exists(Card.self, 2), policy == .replace)
                    }
                }
            }
        }
    },
    ConformanceCase(
        "import.moved-required", in: .importing, "a record that needs an owner moves from one list to another"
    ) { trial in
        try Shop(trial, filled: false).write { tx in
            for size in [1, 500] {
                for policy in [ImportRelating.replace, .replaceAndDelete] {
                    for source in [
                        [["id": 1, "albums": [2]], ["id": 2, "albums": [3, 1]]],
                        [["id": 2, "albums": [3, 1]], ["id": 1, "albums": [2]]],
                    ] as [ImportValue] {
                        try tx.deleteAll(Playlist.self)
                        try tx.deleteAll(Artist.self)
                        try tx.deleteAll(Genre.self)
                        try tx.deleteAll(Employee.self)
                        try Shop.fill(tx)
                        var importer = Importer()
                        importer.batchSize = size
                        importer.mapping = ImportMapping().relate("albums", policy)
                        try tx.import(source, as: Artist.self, with: importer)
                        try expectEqual(try tx.fetch(Album.all).map(\.artist), [Ref(2), Ref(1), Ref(2), Ref(3)])
                    }
                }
            }
        }
    },
    ConformanceCase(
        "import.links-orphans", in: .importing, "of linked records those are deleted that no list has any more"
    ) { trial in
        try trial.open(SuiteSchema.mixes)
        try trial.write { tx in
            try tx.insert([Mix(id: 1), Mix(id: 2), Mix(id: 3)])
            try tx.insert([Track(id: 1), Track(id: 2), Track(id: 3), Track(id: 4)])
            try Mix(id: 1).tracks.add(keys: [1, 2, 3], in: tx)
            try Mix(id: 3).tracks.add(keys: [3], in: tx)
            var importer = Importer()
            importer.batchSize = 1
            importer.mapping = ImportMapping().relate("tracks", .replaceAndDelete)
            let report = try tx.import(
                [["id": 1, "tracks": []], ["id": 2, "tracks": [2, 4]]] as ImportValue, as: Mix.self, with: importer
            ).report
            try expectEqual(report.deleted, 1)
            try expectEqual(try tx.fetch(Track.all).map(\.id), [2, 3, 4])
            try expectEqual(try Mix(id: 2).tracks.fetch(in: tx).map(\.id), [2, 4])
        }
    },
    ConformanceCase(
        "import.list-failed", in: .importing,
        "nothing that a list lacks is deleted after an import of which a record failed"
    ) { trial in
        try trial.open(SuiteSchema.boards)
        try trial.write { tx in
            try tx.insert(Board(id: 1))
            try tx.insert(Card(id: 1, board: Ref(1), place: 0))
            var importer = Importer()
            importer.failures = .report
            importer.mapping = ImportMapping().relate("cards", .replaceAndDelete)
            let report = try tx.import([["id": 1, "cards": []], "x"] as ImportValue, as: Board.self, with: importer)
                .report
            try expectEqual(report.issues.map(\.kind), [.failed, .notDeleted])
            try expectEqual(try tx.exists(Card.self, 1), true)
        }
    },
    ConformanceCase(
        "import.list-unread", in: .importing, "a list with a member that cannot be read takes nothing out"
    ) { trial in
        try trial.open(SuiteSchema.boards)
        try trial.write { tx in
            try tx.insert(Board(id: 1))
            try tx.insert([Card(id: 1, board: Ref(1), place: 0), Card(id: 2, board: Ref(1), place: 1)])
            for member in ["x", [1], nil] as [ImportValue] {
                try tx.import([["id": 1, "cards": [1, member]]] as ImportValue, as: Board.self)
                try expectEqual(try tx.cards(of: 1), member == .null ? [1] : [1, 2])
            }
        }
    },
    ConformanceCase(
        "import.insert-only-nested", in: .importing, "a record that comes twice is inserted once, and both refer to it"
    ) { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [
                ["id": 9, "label": "X", "genre": ["id": 7, "label": "N"]],
                ["id": 10, "label": "Y", "genre": ["id": 7, "label": "M"]],
            ]
            let result = try tx.import(source, as: Artist.self, with: Importer(.insertOnly))
            try expectEqual(result.records.map(\.genre), [Ref(7), Ref(7)])
            try expectEqual(result.report.counts, [3, 0, 0, 1, 0])
            try expectEqual(try tx.find(Genre.self, 7)?.label, "N")
        }
    },
    ConformanceCase(
        "import.absent-unread", in: .importing, "what is there and cannot be converted is not taken for absent"
    ) { trial in
        try Shop(trial).write { tx in
            var importer = Importer()
            importer.mapping = ImportMapping().whenAbsent("rating", .clear).whenAbsent("genre", .clear)
                .whenAbsent("albums", .clear).transform("genre") { _, _ in nil }
                .transform("albums") { _, _ in nil }
            let source: ImportValue = [["id": 1, "rating": "abc", "genre": 3, "albums": []]]
            try tx.import(source, as: Artist.self, with: importer)
            try expectEqual(try tx.find(Artist.self, 1)?.rating, 4.5)
            try expectEqual(try tx.find(Artist.self, 1)?.genre, Ref(1))
            try expectEqual(try tx.count(Album.where { $0.artist == Ref(1) }), 2)
        }
    },
    ConformanceCase("import.last-null", in: .importing, "of a reference and null, the last one counts") { trial in
        try Shop(trial).write { tx in
            for size in [1, 500] {
                let named: ImportValue = ["id": 2, "genre": ["id": 3, "label": "Folk"]]
                let null: ImportValue = ["id": 2, "genre": nil]
                var importer = Importer()
                importer.batchSize = size
                try tx.import([named, null] as ImportValue, as: Artist.self, with: importer)
                try expectEqual(try tx.find(Artist.self, 2)?.genre, nil)
                try tx.import([null, named] as ImportValue, as: Artist.self, with: importer)
                try expectEqual(try tx.find(Artist.self, 2)?.genre, Ref(3))
                let twice = ImportValue.object(
                    ImportObject([.init("id", 2), .init("genre", 1), .init("genre", nil)]))
                try tx.import(twice, as: Artist.self, with: importer)
                try expectEqual(try tx.find(Artist.self, 2)?.genre, nil)
            }
        }
    },
    ConformanceCase(
        "import.last-reference", in: .importing,
        "a later value counts, though an earlier one names what comes later still"
    ) { trial in
        try Shop(trial).write { tx in
            for size in [1, 2, 500] {
                let source: ImportValue = [
                    ["@": "Artist", "id": 1, "genre": 50], ["@": "Artist", "id": 1, "genre": 2],
                    ["@": "Artist", "id": 2, "genre": 50], ["@": "Artist", "id": 2, "genre": nil],
                    ["@": "Artist", "id": 3, "genre": 50], ["@": "Genre", "id": 50, "label": "Ska"],
                ]
                try tx.import(source, as: "Artist", with: mixed(size))
                let genres = try tx.fetch(Artist.all).map(\.genre)
                try expectEqual(Array(genres.prefix(3)), [Ref(2), nil, Ref(50)], "batches of \(size)")
                try tx.delete(Genre.self, 50)
            }
        }
    },
    ConformanceCase("import.last-list", in: .importing, "of two lists of one record the last one counts") { trial in
        try trial.open(SuiteSchema.boards)
        try trial.write { tx in
            for size in [1, 2, 500] {
                try tx.deleteAll(Card.self)
                try tx.deleteAll(Board.self)
                let source: ImportValue = [
                    ["@": "Board", "id": 1, "cards": [1, 2]], ["@": "Board", "id": 1, "cards": [3, 1]],
                    ["@": "Card", "id": 1, "label": "a", "weight": 0],
                    ["@": "Card", "id": 2, "label": "b", "weight": 0],
                    ["@": "Card", "id": 3, "label": "c", "weight": 0],
                ]
                try tx.import(source, as: "Board", with: mixed(size))
                try expectEqual(try tx.cards(of: 1), [3, 1], "batches of \(size)")
                try expectEqual(try tx.find(Card.self, 2)?.board, nil)
            }
        }
    },
    ConformanceCase(
        "import.last-owner", in: .importing, "of a list and a record that names its owner, the last one counts"
    ) { trial in
        try trial.open(SuiteSchema.boards)
        try trial.write { tx in
            for size in [1, 500] {
                try tx.deleteAll(Card.self)
                try tx.deleteAll(Board.self)
                try tx.insert([Board(id: 1), Board(id: 2)])
                try tx.insert([
                    Card(id: 1, board: Ref(1), place: 0), Card(id: 2, board: Ref(1), place: 1), Card(id: 3),
                    Card(id: 4),
                ])
                let source: ImportValue = [
                    ["@": "Card", "id": 4, "board": 1], ["@": "Board", "id": 1, "cards": [2, 3]],
                    ["@": "Card", "id": 3, "board": 2], ["@": "Card", "id": 2, "board": nil],
                    ["@": "Card", "id": 1, "board": 1],
                ]
                try tx.import(source, as: "Board", with: mixed(size))
                try expectEqual(try tx.fetch(Card.all).map(\.board), [Ref(1), nil, Ref(2), nil], "batches of \(size)")
            }
        }
    },
    ConformanceCase(
        "import.merged-later", in: .importing,
        "two objects that name one record by key and by name are one, the last counts"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let owner = try tx.import([["id": 5, "name": "Ada"]] as ImportValue, as: "Owner").records[0]
            try tx.import([["id": 1, "owner": 5, "title": "A", "year": 1]] as ImportValue, as: "Disc")
            for (year, source) in [
                (3, [["id": 1, "year": 2], ["owner": 5, "title": "A", "year": 3]]),
                (5, [["owner": 5, "title": "A", "year": 4], ["id": 1, "year": 5]]),
            ] as [(Int64, ImportValue)] {
                let result = try tx.import(source, as: "Disc")
                try expectEqual(try result.records.map { try $0.value("year", as: Int64.self) }, [year, year])
                try expectEqual(result.report.counts, [0, 1, 0, 0, 0])
            }
            try expectEqual(owner.key, .integer(5))
        }
    },
    ConformanceCase(
        "import.compound-reference", in: .importing, "a record is found by a reference and another attribute together"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let source: ImportValue = [
                ["id": 1, "owner": ["id": 5, "name": "Ada"], "title": "A"], ["id": 2, "owner": 5, "title": "B"],
                ["id": 3, "owner": ["id": 6, "name": "Bo"], "title": "A"],
            ]
            try tx.import(source, as: "Disc")
            let again: ImportValue = [
                ["owner": "5", "title": "A", "year": 1], ["owner": ["id": 5], "title": "B", "year": 2],
            ]
            let result = try tx.import(again, as: "Disc")
            try expectEqual(result.records.map(\.key), [.integer(1), .integer(2)])
            let nested: ImportValue = [["id": 6, "discs": [["title": "A", "year": 3]]]]
            try expectEqual(try tx.import(nested, as: "Owner").report.counts, [0, 1, 1, 0, 0])
            let years = try tx.fetch(DynamicQuery("Disc")).map { try $0.value("year", as: Int64?.self) }
            try expectEqual(years, [1, 2, 3])
        }
    },
    ConformanceCase(
        "import.compound-around", in: .importing,
        "a record is found by a reference whose record lists others of the same entity"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let source: ImportValue = [
                ["id": 1, "title": "A", "owner": ["id": 5, "name": "Ada", "discs": [["id": 2, "title": "B"]]]]
            ]
            let adding = mixed { importer in
                importer.choose = nil
                importer.mappings["Owner"] = ImportMapping().relate("discs", .add)
            }
            try expectEqual(try tx.import(source, as: "Disc", with: adding).report.counts, [3, 0, 0, 0, 0])
            try expectEqual(try tx.import(source, as: "Disc", with: adding).report.counts, [0, 0, 3, 0, 0])
            let owners = try tx.fetch(DynamicQuery("Disc")).map { try $0.value("owner", as: Int64.self) }
            try expectEqual(owners, [5, 5])
        }
    },
    ConformanceCase(
        "import.long-chain", in: .importing,
        "records that get keys from the store name each other in a chain of any length"
    ) { trial in
        try trial.open(chains)
        try trial.write { tx in
            let count = 3_000
            let source = (0..<count).map { number -> ImportValue in
                ["name": .string("\(number)"), "next": number + 1 < count ? .string("\(number + 1)") : nil]
            }
            var importer = Importer()
            importer.batchSize = count
            importer.missingKey = .create
            importer.mapping = ImportMapping().relate("next", by: "name")
            let report = try tx.import(source, as: "Node", with: importer).report
            try expectEqual(report.counts, [count, 0, 0, 0, 0])
            try expectEqual(report.issueCount, 0)
            let query = DynamicQuery("Node", where: try AnyCondition(parsing: "next.next.name == '2999'"))
            try expectEqual(try tx.fetch(query).map { try $0.value("name", as: String.self) }, ["2997"])
        }
    },
    ConformanceCase("import.links-both-sides", in: .importing, "records that list each other are linked once") {
        trial in
        try trial.open(SuiteSchema.mixes)
        try trial.write { tx in
            for size in [1, 500] {
                try tx.deleteAll(Mix.self)
                try tx.deleteAll(Track.self)
                let source: ImportValue = [
                    [
                        "@": "Mix", "id": 1, "name": "m",
                        "tracks": [["id": 1, "title": "a"], ["id": 2, "title": "b"]],
                    ],
                    ["@": "Track", "id": 1, "mixes": [["id": 1]]], ["@": "Track", "id": 3, "title": "c", "mixes": [1]],
                ]
                try tx.import(source, as: "Mix", with: mixed(size))
                try expectEqual(try Mix(id: 1).tracks.fetch(in: tx).map(\.id), [1, 2, 3], "batches of \(size)")
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
        "import.later-reported", in: .importing, "what cannot be connected at the end is reported, the rest is imported"
    ) { trial in
        try Shop(trial).write { tx in
            let source: ImportValue = [
                ["@": "Artist", "id": 1, "albums": [1]], ["@": "Artist", "id": 2, "albums": [3, 50]],
                ["@": "Album", "id": 50, "title": "New", "artist": 2],
            ]
            let report = try tx.import(
                source, as: "Artist", with: mixed(1) { $0.failures = .report }
            ).report
            try expectEqual(report.issues.map(\.path), ["$[0].albums"])
            try expectEqual(report.issues.map(\.error.code), [.required])
            try expectEqual(try tx.find(Album.self, 2)?.artist, Ref(1))
            try expectEqual(try tx.find(Album.self, 50)?.artist, Ref(2))
        }
    },
    ConformanceCase("import.ignore-path", in: .importing, "what is ignored within a value is left out of it alone") {
        trial in
        try Shop(trial).write { tx in
            var importer = Importer()
            importer.mapping = ImportMapping().ignore("genre.debug", "albums.debug")
            importer.isStrict = true
            let source: ImportValue = [
                ["id": 1, "genre": ["id": 2, "debug": 1], "albums": [["id": 1, "debug": 1], ["id": 2, "debug": 2]]]
            ]
            let result = try tx.import(source, as: Artist.self, with: importer)
            try expectEqual(result.records.map(\.genre), [Ref(2)])
        }
    },
    ConformanceCase(
        "import.connect-keeps", in: .importing, "a value by which records are connected is imported all the same"
    ) { trial in
        try Shop(trial).write { tx in
            var importer = Importer()
            importer.mapping = ImportMapping().connect("genre", ["label": "label"])
            let result = try tx.import([["id": 9, "label": "Jazz"]] as ImportValue, as: Artist.self, with: importer)
            try expectEqual(result.records, [Artist(id: 9, label: "Jazz", genre: Ref(2))])
        }
    },
    ConformanceCase(
        "import.json-keys", in: .importing,
        "an object with many keys, some of them twice, becomes JSON with sorted keys"
    ) { trial in
        try Shop(trial).write { tx in
            let members = (0..<20_000).map { ImportObject.Member("k\($0 % 19_000)", .integer(Int64($0))) }
            let source: ImportValue = ["id": 1, "info": .object(ImportObject(members + [.init("tempo", 7)]))]
            try tx.import(source, as: Song.self)
            try expectEqual(try tx.find(Song.self, 1)?.info?.value.tempo, 7)
        }
    },
    ConformanceCase("import.csv-root", in: .importing, "a place within CSV is refused") { trial in
        try Shop(trial).write { tx in
            var importer = Importer()
            importer.root = "data"
            try expectError(.unsupported) {
                try tx.import(.csv(.text("id,label\n7,Ska\n")), as: Genre.self, with: importer).records
            }
        }
    },
    ConformanceCase(
        "import.folder-damaged", in: .importing, "after a file that cannot be read, the next one is imported"
    ) { trial in
        let folder = trial.folder + "/files"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("a.json", "[{\"id\": 7, \"label\": \"Ska\"}, {"), ("b.json", "[{\"id\": 8, \"label\": \"Soul\"}]"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        try Shop(trial).write { tx in
            var importer = Importer()
            importer.failures = .report
            let result = try tx.import(URL(fileURLWithPath: folder), as: Genre.self, with: importer)
            try expectEqual(result.records.map(\.id), [7, 8])
            try expectEqual(result.report.failed, 1)
            try expectError(.invalidInput) { try tx.import(URL(fileURLWithPath: folder), as: Genre.self).records }
        }
    },
    ConformanceCase(
        "import.compound-many", in: .importing, "records of many pairs of values are found, and no others"
    ) { trial in
        try trial.open(Schema(Coupon.self))
        try trial.write { tx in
            try tx.insert((0..<400).map { Coupon(id: Int64($0), series: "\($0 % 20)", number: $0 / 20) })
            let source = (0..<20).map { number -> ImportValue in
                ["series": .string("\(number)"), "number": .integer(Int64(number)), "text": .string("\(number)")]
            }
            let result = try tx.import(source, as: Coupon.self)
            try expectEqual(result.records.map(\.id), (0..<20).map { Int64($0 * 21) })
            try expectEqual(try tx.count(Coupon.where { $0.text != nil }), 20)
        }
    },
]
