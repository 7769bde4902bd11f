import ConformanceKit
import GranaryCore
import GranaryImport

var importCountedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.look-ups", in: .importing,
            "a batch is looked up with one query an entity, however many records it has",
            modes: [.fresh]
        ) { trial in
            let counter = ReadCounter()
            let stack = try trial.counted(SuiteSchema.shop, by: counter)
            defer { try? stack.blocking.close() }
            _ = try stack.blocking.write { try $0.insert((0..<50).map { Genre(id: $0, label: "genre \($0)") }) }
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
                try stack.blocking.import(source, as: Artist.self, with: importer)
                return counter.take()
            }
            let few = try queries(100..<110)
            // One for each of the four entities, and one for each of the two lists.
            try expectEqual(few, 6)
            // Keys of one entity that are many may need a second query, and records that are found need no more than new ones.
            let most = few + 4
            for (batch, batches) in [(500, 1), (100, 4), (500, 1)] {
                let keys = batch == 500 ? Int64(200)..<600 : 1_000..<1_400
                let count = try queries(keys, batch: batch)
                try expect(count <= batches * most, "\(count) queries in \(batches) batches")
            }
        }
    ]
}
