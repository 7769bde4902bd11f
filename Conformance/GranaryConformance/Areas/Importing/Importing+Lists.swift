import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// What lists and references are after several objects have said something of them.

extension Transaction {
    fileprivate func cards(of board: Int64) throws -> [Int64] {
        try Board(id: board).cards.all.fetch(in: self).map(\.id)
    }
}

var importListsCases: [ConformanceCase] {
    [
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
        ConformanceCase("import.moved-child", in: .importing, "a record that another list has is not deleted") {
            trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                for size in [1, 500] {
                    for policy in [ImportRelating.replace, .replaceAndDelete] {
                        for source in [
                            [["id": 1, "cards": []], ["id": 2, "cards": [1, 3]]],
                            [["id": 2, "cards": [1, 3]], ["id": 1, "cards": []]],
                        ] as [ImportValue] {
                            try Card.deleteAll(in: tx)
                            try Board.deleteAll(in: tx)
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
                            try Playlist.deleteAll(in: tx)
                            try Artist.deleteAll(in: tx)
                            try Genre.deleteAll(in: tx)
                            try Employee.deleteAll(in: tx)
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
                try expectEqual(try Mix(id: 2).tracks.all.fetch(in: tx).map(\.id), [2, 4])
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
                let report = try tx.import(
                    [["id": 1, "cards": []], "x"] as ImportValue, as: Board.self, with: importer
                )
                .report
                try expectEqual(report.issues.map(\.kind), [.notDeleted, .failed])
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
            "import.insert-only-nested", in: .importing,
            "a record that comes twice is inserted once, and both refer to it"
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
                    try tx.import(source, as: "Artist", with: Importer.mixed(size))
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
                    try Card.deleteAll(in: tx)
                    try Board.deleteAll(in: tx)
                    let source: ImportValue = [
                        ["@": "Board", "id": 1, "cards": [1, 2]], ["@": "Board", "id": 1, "cards": [3, 1]],
                        ["@": "Card", "id": 1, "label": "a", "weight": 0],
                        ["@": "Card", "id": 2, "label": "b", "weight": 0],
                        ["@": "Card", "id": 3, "label": "c", "weight": 0],
                    ]
                    try tx.import(source, as: "Board", with: Importer.mixed(size))
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
                    try Card.deleteAll(in: tx)
                    try Board.deleteAll(in: tx)
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
                    try tx.import(source, as: "Board", with: Importer.mixed(size))
                    try expectEqual(
                        try tx.fetch(Card.all).map(\.board), [Ref(1), nil, Ref(2), nil], "batches of \(size)")
                }
            }
        },
        ConformanceCase("import.links-both-sides", in: .importing, "records that list each other are linked once") {
            trial in
            try trial.open(SuiteSchema.mixes)
            try trial.write { tx in
                for size in [1, 500] {
                    try Mix.deleteAll(in: tx)
                    try Track.deleteAll(in: tx)
                    let source: ImportValue = [
                        [
                            "@": "Mix", "id": 1, "name": "m",
                            "tracks": [["id": 1, "title": "a"], ["id": 2, "title": "b"]],
                        ],
                        ["@": "Track", "id": 1, "mixes": [["id": 1]]],
                        ["@": "Track", "id": 3, "title": "c", "mixes": [1]],
                    ]
                    try tx.import(source, as: "Mix", with: Importer.mixed(size))
                    try expectEqual(try Mix(id: 1).tracks.all.fetch(in: tx).map(\.id), [1, 2, 3], "batches of \(size)")
                }
            }
        },
    ]
}
