import GranaryCore
import GranaryImport

let importCountedCases: [ConformanceCase] = [
    ConformanceCase(
        "import.look-ups", in: .importing, "a batch is looked up with one query an entity, however many records it has",
        modes: [.fresh]
    ) { trial in
        let counter = ReadCounter()
        let stack = try trial.counted(SuiteSchema.shop, by: counter)
        defer { try? stack.closeNow() }
        _ = try stack.writeNow { try $0.insert((0..<50).map { Genre(id: $0, label: "genre \($0)") }) }
        /// How many queries an import of artists makes, each with two albums, of which one has a song.
        func queries(_ keys: Range<Int64>, batch: Int = 500) throws -> Int {
            var importer = Importer()
            importer.batchSize = batch
            importer.mapping = ImportMapping().relate("genre", by: "label")
            let source = keys.map { key -> ImportValue in
                [
                    "id": .integer(key), "label": .string("artist \(key)"), "genre": .string("genre \(key % 50)"),
                    "albums": [
                        ["id": .integer(key), "title": "a", "songs": [["id": .integer(key), "title": "s"]]],
                        ["id": .integer(key + 10_000), "title": "b"],
                    ],
                ]
            }
            _ = counter.take()
            try stack.importNow(source, as: Artist.self, with: importer)
            return counter.take()
        }
        let few = try queries(100..<110)
        // One for each of the four entities, and one for each of the two lists.
        try expectEqual(few, 6)
        try expectEqual(try queries(200..<600), 6)
        try expectEqual(try queries(1_000..<1_400, batch: 100), 4 * 6)
        // Nothing is asked again of records that are found.
        try expectEqual(try queries(200..<600), 6)
    }
]
