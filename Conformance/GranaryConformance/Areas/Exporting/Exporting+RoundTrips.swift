import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Importing an export into an empty store gives the same store.

/// Exports every entity of a store, imports each into an empty one in this order, and compares all records.
private func expectSameStore(
    _ trial: Trial, _ schema: Schema, _ entities: [String], _ name: String, by format: (ByteTarget) -> ExportOutput,
    reading: (ByteSource) -> ImportInput
) throws {
    let copy = try trial.another(schema, at: "\(trial.folder)/\(name).granary")
    for entity in entities {
        let bytes = try trial.read { try $0.export(Request(entity), to: format(.bytes)).bytes }
        let report = try copy.blocking.write { try $0.import(reading(.bytes(bytes)), as: entity).report }
        try expectEqual(report.issues.map(\.description), [], "\(name) \(entity)")
        try expectEqual(report.unknownKeys, [:], "\(name) \(entity)")
    }
    try WholeStore.expectSame(copy, as: try WholeStore.records(try trial.stack))
}

private func expectSameStore(_ trial: Trial, _ schema: Schema, _ entities: [String]) throws {
    try expectSameStore(trial, schema, entities, "json", by: { .json($0) }, reading: { .json($0) })
    try expectSameStore(
        trial, schema, entities, "lines", by: { .json($0, .lines) },
        reading: { .json($0, JSONOptions(layout: .lines)) })
    try expectSameStore(trial, schema, entities, "csv", by: { .csv($0) }, reading: { .csv($0) })
}

private let shopEntities = [
    "Genre", "Artist", "Album", "Song", "Playlist", "Playlist_songs", "Employee", "Tag",
]

var exportRoundTripsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "export.again-shop", in: .exporting, "an import of an export of each entity makes the same store",
            modes: [.fresh]
        ) {
            trial in
            try Shop(trial).write { tx in
                // Its mentor does not exist, which no import makes.
                try tx.update(Artist(id: 2, label: "Bo", genre: Ref(2), mentor: Ref(4)))
                try tx.insert(Tag(id: 1, label: "a", word: nil))
            }
            try expectSameStore(trial, SuiteSchema.shop, shopEntities)
        },
        ConformanceCase("export.again-links", in: .exporting, "links, their order and assigned keys are the same again")
        {
            trial in
            try trial.open(SuiteSchema.mixes)
            try trial.write { tx in
                let tracks = (1...5).map { Track(id: $0, title: "track \($0)") }
                try tx.insert(tracks)
                let mix = try tx.insert(Mix(id: 1, name: "mix"))
                try mix.tracks.add([tracks[3], tracks[0], tracks[4]], in: tx)
                try mix.tracks.remove([tracks[3]], in: tx)
                try mix.favourites.add([tracks[1], tracks[2]], in: tx)
            }
            try expectSameStore(
                trial, SuiteSchema.mixes, ["Track", "Mix", "Mix_tracks", "Mix_favourites", "Mix_kept"])
        },
        ConformanceCase("export.again-places", in: .exporting, "places in an order are the same again, also with gaps")
        {
            trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert([Board(id: 1), Board(id: 2)])
                try tx.insert([
                    Card(id: 1, label: "a", board: Ref(1), place: 7, archive: Ref(2), weight: 0.5),
                    Card(id: 2, label: "b", board: Ref(1), place: 3, weight: -1),
                    Card(id: 3, label: "c", board: Ref(1), place: nil, pin: Ref(1), last: Ref(2)),
                ])
                try tx.insert([Step(id: "x", card: Ref(1), place: 5), Step(id: "", card: Ref(1), place: -5)])
            }
            try expectSameStore(trial, SuiteSchema.boards, ["Board", "Card", "Step"])
            // Within their cards steps have the same order, and places that are counted anew.
            let nested = try trial.another(SuiteSchema.boards, at: trial.folder + "/Nested.granary")
            let boards = try trial.read { try $0.export(Board.all, to: .json(.bytes)).bytes }
            let cards = try trial.read { snapshot in
                try snapshot.export(Card.all, to: .json(.bytes), with: Exporter(.nested(depth: 1))).bytes
            }
            try nested.blocking.write { tx in
                _ = try tx.import(.json(.bytes(boards)), as: Board.self)
                _ = try tx.import(.json(.bytes(cards)), as: Card.self)
            }
            let steps = Step.all.sorted(by: \.place)
            try expectEqual(try nested.blocking.read { try $0.fetch(steps).map(\.id) }, ["", "x"])
        },
        ConformanceCase("export.again-random", in: .exporting, "random records come back from every format") { trial in
            var random = SeededGenerator(seed: trial.seed)
            func one<T>(_ values: [T]) -> T? {
                Int.random(in: 0..<4, using: &random) == 0 ? nil : values.randomElement(using: &random)
            }
            func double() -> Double? {
                let value = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
                return value.isNaN ? nil : value
            }
            let texts = Boundaries.text.filter { !$0.utf8.contains(0) } + [",", "\"", "\r\n", " ", "1", "null"]
            let samples = (1...300).map { (id: Int64) -> Sample in
                let seconds = Double.random(in: -63_000_000_000..<252_000_000_000, using: &random)
                return Sample(
                    id: id, flag: one([true, false]), int8: one(Boundaries.integer(Int8.self)),
                    integer: Int64.random(in: .min ... .max, using: &random), uint64: one(Boundaries.uint64),
                    float: double().map { Float($0) }.flatMap { $0.isNaN ? nil : $0 }, double: double(),
                    decimal: one(Boundaries.decimal),
                    text: (0..<Int.random(in: 0..<6, using: &random)).compactMap { _ in one(texts) }.joined(),
                    data: one(Boundaries.bytes).map { Data($0) },
                    date: Date(
                        timeIntervalSinceReferenceDate: id.isMultiple(of: 2) ? seconds : seconds.rounded() / 1000),
                    uuid: one(Boundaries.uuid), url: one(Boundaries.url), mood: one(Boundaries.mood),
                    json: one(Boundaries.json))
            }
            let people = (1...300).map { (id: Int64) in
                Employee(
                    id: id, label: one(texts) ?? "", manager: one([Int64(1), 2, 7, 299, 300]).map { Ref($0) },
                    salary: one(Boundaries.int64))
            }
            let schema = Schema(Sample.self, Employee.self)
            try trial.open(schema)
            try trial.write { tx in
                try tx.insert(samples)
                _ = try tx.deferringReferences { try tx.insert(people) }
            }
            try expectSameStore(trial, schema, ["Sample", "Employee"])
        },
        ConformanceCase(
            "export.again-unchanged", in: .exporting, "an import of an export into the same store writes nothing"
        ) {
            trial in
            try Shop(trial).write { try $0.update(Artist(id: 2, label: "Bo", genre: Ref(2))) }
            let stack = try trial.stack
            let number = try stack.blocking.read { $0.transactionNumber }
            for entity in shopEntities {
                for exporter in [Exporter(), Exporter(.lists)] {
                    let bytes = try stack.blocking.read {
                        try $0.export(Request(entity), to: .json(.bytes), with: exporter).bytes
                    }
                    let report = try stack.blocking.write { try $0.import(.json(.bytes(bytes)), as: entity).report }
                    try expectEqual(report.issues.map(\.description), [], entity)
                    try expectEqual([report.inserted, report.updated, report.failed], [0, 0, 0], entity)
                }
            }
            try expectEqual(try stack.blocking.read { $0.transactionNumber }, number)
        },
    ]
}
