import GranaryCore
import TestSupport

/// Genre 0, Artist 1, Song 2, with attributes of every kind, a reference to the own entity and one that may dangle.
let library = Schema(entities: [
    Entity(
        "Genre", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)],
        indexes: [.unique("name", folding: [.caseInsensitive])]),
    Entity(
        "Artist", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("name", .string), Attribute("note", .string, isOptional: true),
            Attribute("rating", .double, isOptional: true), Attribute("plays", .int64, isOptional: true),
            Attribute("born", .date, isOptional: true), Attribute("price", .decimal, isOptional: true),
            Attribute("fee", .scaledDecimal(places: 2)), Attribute("about", .json, isOptional: true),
            Attribute("genre", .int64, isOptional: true, reference: .init(entity: "Genre", onDelete: .nullify)),
            Attribute("mentor", .int64, isOptional: true, reference: .init(entity: "Artist", onDelete: .nullify)),
            Attribute("hit", .int64, isOptional: true, reference: .init(entity: "Song", onDelete: .noAction)),
        ],
        indexes: [
            .index("name"), .index("name", folding: [.caseInsensitive]), .index("note", folding: [.caseInsensitive]),
            .index("rating"), .index("plays", "name"),
        ]),
    Entity(
        "Song", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("title", .string), Attribute("length", .double),
            Attribute("year", .int64),
            Attribute("artist", .int64, reference: .init(entity: "Artist", onDelete: .cascade)),
        ], indexes: [.index("title")]),
])

/// Rows by entity, drawn from few values so that they often agree.
func libraryRows(_ random: inout SeededNumbers, artists: Int = 14, songs: Int = 20) -> [[[StoredValue]]] {
    let words = ["", "a", "A", "ab", "Ab", "É", "e\u{301}", "é", "strasse", "Straße", "x\u{0}y", "ß"]
    func maybe(_ value: StoredValue, _ random: inout SeededNumbers) -> StoredValue {
        Int.random(in: 0..<4, using: &random) == 0 ? .null : value
    }
    func word(_ random: inout SeededNumbers) -> StoredValue { .string(words.randomElement(using: &random) ?? "") }
    func integer(_ range: ClosedRange<Int64>, _ random: inout SeededNumbers) -> StoredValue {
        .integer(Int64.random(in: range, using: &random))
    }
    let genres: [[StoredValue]] = ["Rock", "jazz", "Ölfolk"].enumerated().map { [.integer(Int64($0)), .string($1)] }
    let documents = [#"{"a":1,"b":"x","c":[2.5]}"#, #"{"a":2.0,"b":null}"#, "[]", #"{"a":"1","b":"É"}"#]
    let people: [[StoredValue]] = (0..<artists).map { key in
        let real = StoredValue.real([0, -1.5, 2, 9_007_199_254_740_992].randomElement(using: &random) ?? 0)
        let plays = StoredValue.integer([0, -3, 2, 9_007_199_254_740_993].randomElement(using: &random) ?? 0)
        let price = StoredValue.bytes(DecimalNumber(Int64.random(in: -3...3, using: &random)).bytes)
        return [
            .integer(Int64(key)), word(&random), maybe(word(&random), &random), maybe(real, &random),
            maybe(plays, &random), maybe(.real(Double(Int.random(in: -3...3, using: &random)) * 1e7), &random),
            maybe(price, &random), integer(-300...300, &random),
            maybe(.string(documents.randomElement(using: &random) ?? ""), &random),
            maybe(integer(0...2, &random), &random),
            key == 0 ? .null : maybe(integer(0...Int64(key - 1), &random), &random),
            maybe(integer(0...Int64(songs + 3), &random), &random),
        ]
    }
    let tracks: [[StoredValue]] = (0..<songs).map { key in
        [
            .integer(Int64(key)), word(&random), .real(Double(Int.random(in: 0...8, using: &random)) / 4),
            integer(1990...1993, &random), integer(0...Int64(artists - 1), &random),
        ]
    }
    return [genres, people, tracks]
}

extension TemporaryFolder {
    /// A store of rows.
    func library(_ rows: [[[StoredValue]]]) throws -> any Store {
        let store = try open(GranarySQLiteTests.library)
        try store.write { writer in
            for (entity, rows) in rows.enumerated() {
                for row in rows { try withRow(row) { _ = try writer.insert($0, into: entity) } }
            }
        }
        return store
    }
}
