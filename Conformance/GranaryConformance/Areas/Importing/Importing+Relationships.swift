import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// What is nested in an object, and what its values name.

private func importer(_ mapping: ImportMapping, for entity: String? = nil) -> Importer {
    var importer = Importer()
    if let entity { importer.mappings = [entity: mapping] } else { importer.mapping = mapping }
    return importer
}

var importRelationshipsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.nested-one", in: .importing, "a nested object is found, updated or made, and referred to"
        ) {
            trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "genre": ["id": "3", "label": "Folk Rock"]],
                    ["id": 7, "label": "Gil", "genre": ["id": 9, "label": "Soul"]],
                ]
                let result = try tx.import(source, as: Artist.self)
                try expectEqual(result.records.map(\.genre), [Ref(3), Ref(9)])
                try expectEqual(result.report.counts, [2, 2, 0, 0, 0])
                try expectEqual(try tx.find(Genre.self, 3)?.label, "Folk Rock")
            }
        },
        ConformanceCase("import.nested-by-unique", in: .importing, "a nested object is found by a unique attribute") {
            trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [["id": 1, "genre": ["label": "Jazz"]]]
                try expectEqual(try tx.import(source, as: Artist.self).records.first?.genre, Ref(2))
            }
        },
        ConformanceCase(
            "import.nested-many", in: .importing,
            "an array of objects is the list, those it lacks are not related any more"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert(Board(id: 1))
                try tx.insert([
                    Card(id: 1, label: "a", board: Ref(1), place: 0), Card(id: 2, label: "b", board: Ref(1), place: 1),
                ])
                let source: ImportValue = [
                    ["id": 1, "cards": [["id": 3, "label": "c", "weight": 0], ["id": 1, "label": "A"]]]
                ]
                let result = try tx.import(source, as: Board.self)
                try expectEqual(try Board.keys("cards", of: 1, in: tx), [3, 1])
                try expectEqual(try tx.find(Card.self, 2)?.board, nil)
                try expectEqual(try tx.find(Card.self, 1)?.label, "A")
                try expectEqual(result.report.inserted, 1)
                try expectEqual(try tx.import(source, as: Board.self).report.counts, [0, 0, 3, 0, 0])
            }
        },
        ConformanceCase("import.many-add", in: .importing, "the policy add leaves what was related") { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert(Board(id: 1))
                try tx.insert([Card(id: 1, board: Ref(1), place: 0), Card(id: 2)])
                let source: ImportValue = [["id": 1, "cards": [["id": 3, "label": "c", "weight": 0], 2]]]
                try tx.import(source, as: Board.self, with: importer(ImportMapping().relate("cards", .add)))
                try expectEqual(Set(try Board.keys("cards", of: 1, in: tx)), [1, 2, 3])
                try expectEqual(try tx.find(Card.self, 1)?.board, Ref(1))
            }
        },
        ConformanceCase("import.many-delete", in: .importing, "the policy replaceAndDelete deletes what is not listed")
        {
            trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert(Board(id: 1))
                try tx.insert([Card(id: 1, board: Ref(1), place: 0), Card(id: 2, board: Ref(1), place: 1), Card(id: 3)])
                let source: ImportValue = [["id": 1, "cards": [["id": 2]]]]
                let result = try tx.import(
                    source, as: Board.self, with: importer(ImportMapping().relate("cards", .replaceAndDelete)))
                try expectEqual(try tx.fetch(Card.all).map(\.id), [2, 3])
                try expectEqual(result.report.deleted, 1)
            }
        },
        ConformanceCase(
            "import.many-required", in: .importing, "a list whose records need their owner must delete them, or fails"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [["id": 1, "albums": [["id": 1], ["id": 9, "title": "New"]]]]
                try expectError(.required, entity: "Album", attributes: ["artist"]) {
                    try tx.import(source, as: Artist.self).records
                }
                try expectEqual(try tx.count(Album.all), 4)
                let mapping = ImportMapping().relate("albums", .replaceAndDelete)
                try tx.import(source, as: Artist.self, with: importer(mapping))
                try expectEqual(try tx.fetch(Album.where { $0.artist == Ref(1) }).map(\.id), [1, 9])
                try expectEqual(try tx.exists(Album.self, 2), false)
                try expectEqual(try tx.exists(Song.self, 4), false)
            }
        },
        ConformanceCase("import.many-absent", in: .importing, "an absent list stays, null and an empty array clear it")
        {
            trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                for empty in [nil, []] as [ImportValue] {
                    try Card.deleteAll(in: tx)
                    try Board.deleteAll(in: tx)
                    try tx.insert(Board(id: 1))
                    try tx.insert([Card(id: 1, board: Ref(1), place: 0)])
                    try tx.import([["id": 1]] as ImportValue, as: Board.self)
                    try expectEqual(try Board.keys("cards", of: 1, in: tx), [1])
                    try tx.import([["id": 1, "cards": empty]] as ImportValue, as: Board.self)
                    try expectEqual(try Board.keys("cards", of: 1, in: tx), [])
                    try expectEqual(try tx.exists(Card.self, 1), true)
                }
            }
        },
        ConformanceCase("import.many-single", in: .importing, "one object in the place of a list is a list of one") {
            trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.import(
                    [["id": 1, "cards": ["id": 5, "label": "x", "weight": 1]]] as ImportValue, as: Board.self)
                try expectEqual(try Board.keys("cards", of: 1, in: tx), [5])
                try tx.import(
                    [["id": 1, "cards": [nil, ["id": 6, "label": "y", "weight": 1], nil]]] as ImportValue,
                    as: Board.self)
                try expectEqual(try Board.keys("cards", of: 1, in: tx), [6])
            }
        },
        ConformanceCase(
            "import.many-keyed", in: .importing, "a dictionary of objects is a list where the mapping says so"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                var keyed = importer(ImportMapping().relate("cards", isKeyed: true))
                keyed.mappings = ["Card": ImportMapping().map("id", from: "@key")]
                let source: ImportValue = [
                    ["id": 1, "cards": ["8": ["label": "x", "weight": 1], "7": ["label": "y", "weight": 1]]]
                ]
                try tx.import(source, as: Board.self, with: keyed)
                try expectEqual(try Board.keys("cards", of: 1, in: tx), [8, 7])
            }
        },
        ConformanceCase("import.links", in: .importing, "a many-to-many list keeps the order of the source") { trial in
            try trial.open(SuiteSchema.mixes)
            try trial.write { tx in
                let source: ImportValue = [
                    [
                        "id": 1, "name": "m",
                        "tracks": [["id": 3, "title": "c"], ["id": 1, "title": "a"], ["id": 2, "title": "b"]],
                    ],
                    ["id": 2, "name": "n", "tracks": [1, 3], "favourites": [2, 2]],
                ]
                let report = try tx.import(source, as: Mix.self).report
                try expectEqual(report.counts, [5, 0, 0, 0, 0])
                try expectEqual(try Mix(id: 1).tracks.all.fetch(in: tx).map(\.id), [3, 1, 2])
                try expectEqual(try Mix(id: 2).tracks.all.fetch(in: tx).map(\.id), [1, 3])
                try expectEqual(try Mix(id: 2).favourites.all.fetch(in: tx).map(\.id), [2])
                try expectEqual(try tx.import(source, as: Mix.self).report.counts, [0, 0, 5, 0, 0])
                try tx.import([["id": 1, "tracks": [2, 3]]] as ImportValue, as: Mix.self)
                try expectEqual(try Mix(id: 1).tracks.all.fetch(in: tx).map(\.id), [2, 3])
            }
        },
        ConformanceCase("import.links-inverse", in: .importing, "a list is imported from its other side as well") {
            trial in
            try trial.open(SuiteSchema.mixes)
            try trial.write { tx in
                try tx.insert(Mix(id: 1))
                try tx.insert([Track(id: 1), Track(id: 2)])
                try Mix(id: 1).tracks.add(keys: [1], in: tx)
                let source: ImportValue = [["id": 2, "title": "b", "mixes": [1, ["id": 2, "name": "new"]]]]
                try tx.import(source, as: Track.self)
                try expectEqual(try Mix(id: 1).tracks.all.fetch(in: tx).map(\.id), [1, 2])
                try expectEqual(try Mix(id: 2).tracks.all.fetch(in: tx).map(\.id), [2])
            }
        },
        ConformanceCase("import.primitive", in: .importing, "a value names a record by its key, converted") { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(
                    [["id": 2, "genre": "3"], ["id": 3, "genre": 1]] as ImportValue, as: Artist.self)
                try expectEqual(result.records.map(\.genre), [Ref(3), Ref(1)])
            }
        },
        ConformanceCase("import.primitive-unique", in: .importing, "a value names a record by another unique attribute")
        {
            trial in
            try Shop(trial).write { tx in
                let mapping = ImportMapping().relate("genre", by: "label")
                let result = try tx.import(
                    [["id": 2, "genre": "Folk"]] as ImportValue, as: Artist.self, with: importer(mapping))
                try expectEqual(result.records.first?.genre, Ref(3))
                try expectError(.invalidQuery, entity: "Artist", attributes: ["label"]) {
                    try tx.import(
                        [["id": 2, "mentor": "Ada"]] as ImportValue, as: Artist.self,
                        with: importer(ImportMapping().relate("mentor", by: "label"))
                    ).records
                }
            }
        },
        ConformanceCase(
            "import.missing-target", in: .importing, "a value that names no record leaves the reference and is reported"
        ) { trial in
            try Shop(trial).write { tx in
                let result = try tx.import(
                    [["id": 1, "genre": 77], ["id": 8, "label": "H", "genre": 78]] as ImportValue, as: Artist.self)
                try expectEqual(result.records.map(\.genre), [Ref(1), nil])
                try expectEqual(result.report.issues.map(\.error.code), [.danglingReference, .danglingReference])
                try expectEqual(Set(result.report.issues.map(\.path)), ["$[0].genre", "$[1].genre"])
                let ignoring = importer(ImportMapping().relate("genre", missing: .ignore))
                let ignored = try tx.import([["id": 1, "genre": 77]] as ImportValue, as: Artist.self, with: ignoring)
                try expectEqual(ignored.records.first?.genre, nil)
                try expectEqual(ignored.report.issueCount, 0)
            }
        },
        ConformanceCase("import.stub", in: .importing, "a record that is only named is made where the mapping says so")
        {
            trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                let mapping = ImportMapping().relate("board", missing: .makeStub)
                let result = try tx.import(
                    [["id": 1, "label": "a", "weight": 0, "board": 5]] as ImportValue, as: Card.self,
                    with: importer(mapping))
                try expectEqual(result.records.first?.board, Ref(5))
                try expectEqual(try tx.count(Board.all), 1)
                try expectEqual(result.report.inserted, 2)
            }
        },
        ConformanceCase("import.levels", in: .importing, "objects are nested to any depth") { trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [
                    [
                        "id": 1, "label": "Ada", "genre": ["id": 1, "label": "Rock"],
                        "albums": [
                            [
                                "id": 1, "title": "Alpha", "price": "9.99",
                                "songs": [
                                    ["id": 1, "title": "Able", "genre": ["label": "Rock"], "cents": 0.99],
                                    ["id": 2, "title": "Bell", "genre": 1, "released": "1967-05-12"],
                                ],
                            ]
                        ],
                    ]
                ]
                let report = try tx.import(source, as: Artist.self).report
                try expectEqual(report.counts, [5, 0, 0, 0, 0])
                let songs = try tx.fetch(Song.where { $0.album.artist.genre.label == "Rock" })
                try expectEqual(songs.map(\.genre), [Ref(1), Ref(1)])
                try expectEqual(songs.first?.cents, Shop.cents("0.99"))
                try expectEqual(songs.last?.released, Shop.date(1967, 5, 12))
                try expectEqual(try tx.import(source, as: Artist.self).report.counts, [0, 0, 5, 0, 0])
            }
        },
        ConformanceCase(
            "import.assigned-nested", in: .importing,
            "records whose keys the store assigns are made before what refers to them"
        ) { trial in
            try trial.open(Schema(Counter.self))
            try trial.write { tx in
                var creating = Importer()
                creating.missingKey = .create
                let result = try tx.import(
                    [["label": "a"], ["label": "b"], ["label": "a"]] as ImportValue, as: Counter.self, with: creating)
                try expectEqual(result.report.counts, [2, 0, 0, 0, 0])
                try expectEqual(result.records.map(\.label), ["a", "b", "a"])
            }
        },
        ConformanceCase("import.connected", in: .importing, "a reference is connected by values of the object itself") {
            trial in
            try Shop(trial).write { tx in
                let mapping = ImportMapping().connect("genre", ["genre_name": "label"])
                let source: ImportValue = [["id": 2, "genre_name": "Folk"], ["id": 1, "genre_name": nil], ["id": 3]]
                let result = try tx.import(source, as: Artist.self, with: importer(mapping))
                try expectEqual(result.records.map(\.genre), [Ref(3), Ref(1), nil])
                try expectEqual(result.report.unknownKeys, [:])
            }
        },
        ConformanceCase(
            "import.connected-when", in: .importing, "only objects of which a condition holds are connected"
        ) {
            trial in
            try Shop(trial).write { tx in
                let mapping = ImportMapping().connect("genre", ["genre_name": "label"]) { value, place in
                    value["kind"] != "guest" && place.index < 3
                }
                let source: ImportValue = [
                    ["id": 2, "genre_name": "Folk"], ["id": 1, "genre_name": "Folk", "kind": "guest"],
                    ["id": 3, "genre_name": "Jazz", "kind": "host"], ["id": 4, "genre_name": "Jazz"],
                ]
                let result = try tx.import(source, as: Artist.self, with: importer(mapping))
                try expectEqual(result.records.map(\.genre), [Ref(3), Ref(1), Ref(2), Ref(3)])
            }
        },
        ConformanceCase("import.keys-array", in: .importing, "an array of keys under a name of its own is the list") {
            trial in
            try trial.open(SuiteSchema.mixes)
            try trial.write { tx in
                try tx.insert([Track(id: 1), Track(id: 2), Track(id: 3)])
                let mapping = ImportMapping().map("tracks", from: "track_ids")
                let source: ImportValue = [
                    ["id": 1, "name": "m", "track_ids": ["3", 1]], ["id": 2, "track_ids": []],
                ]
                try tx.insert(Mix(id: 2))
                try Mix(id: 2).tracks.add(keys: [1], in: tx)
                let result = try tx.import(source, as: Mix.self, with: importer(mapping))
                try expectEqual(try result.records.map { try $0.tracks.all.fetch(in: tx).map(\.id) }, [[3, 1], []])
            }
        },
        ConformanceCase("import.paths-lists", in: .importing, "keys are collected from a path through nested arrays") {
            trial in
            try trial.open(SuiteSchema.mixes)
            try trial.write { tx in
                try tx.insert([Track(id: 1), Track(id: 2), Track(id: 3)])
                let mapping = ImportMapping().map("tracks", from: "discs.tracks.id")
                let source: ImportValue = [
                    ["id": 1, "name": "m", "discs": [["tracks": [["id": 2], ["id": 1]]], ["tracks": [["id": 3]]]]]
                ]
                try tx.import(source, as: Mix.self, with: importer(mapping))
                try expectEqual(try Mix(id: 1).tracks.all.fetch(in: tx).map(\.id), [2, 1, 3])
            }
        },
        ConformanceCase(
            "import.wrong-shapes", in: .importing,
            "arrays and objects where they do not belong are reported, and nothing is lost"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [["id": 1, "genre": [1, 2], "rating": ["a": 1], "label": []]]
                let result = try tx.import(source, as: Artist.self)
                try expectEqual(
                    result.records, [Artist(id: 1, label: "Ada", genre: Ref(1), rating: 4.5, mentor: Ref(2))])
                try expectEqual(Set(result.report.issues.map(\.path)), ["$[0].genre", "$[0].rating", "$[0].label"])
            }
        },
    ]
}

extension Board {
    /// The keys of the related records in their order.
    fileprivate static func keys(_ name: String, of key: Int64, in context: ReadContext) throws -> [Int64] {
        guard let board = try context.find("Board", key) else { return [] }
        return try board.related(name).all(in: context.schema).fetch(in: context).map {
            try $0.value("id", as: Int64.self)
        }
    }
}
