import ConformanceKit
import Foundation
import GranaryCore

/// Random contents of the music shop, from small sets of values, so that many are equal and many are nil.
struct ShopData {
    static let texts = [
        "", "a", "A", "ab", "Abc", "b", "\u{E9}", "e\u{301}", "\u{C9}a", "Stra\u{DF}e", "STRASSE", "z\0y", "z",
        "\u{65E5}\u{672C}", "a b", "10", "a*c",
    ].map { StoredValue.string($0) }
    static let integers: [Int64] = [1, 2, 3, 0, -1, 5, 60, 145, 200, 300, 1967, 2001]
    static let doubles: [Double] = [1, 0.5, 0, 4.5, -2.25, 0.3, 0.1, 1e16]
    static let dates: [Double] = [0, 86_399.5, 86_400, 31_536_000, -1, 700_000_000.25, -978_307_200]
    static let decimals: [StoredValue] = ["0.99", "1.5", "-2", "0", "10", "9.99", "0.01"].compactMap {
        try? StoredValue(encoding: Boundaries.decimal($0))
    }
    static let cents: [Int64] = [99, 150, 0, -5, 1000]
    static let json = [
        "{}", "{\"tempo\":70}", "{\"gain\":0.5,\"isLoud\":true,\"mood\":\"calm\",\"tags\":[\"a\",\"b\"]}",
        "{\"isLoud\":false,\"mood\":\"A\",\"tempo\":2.0}", "{\"mood\":null,\"tags\":[]}",
        "{\"gain\":3,\"tempo\":\"7\"}",
    ].map { StoredValue.string($0) }

    var random: SeededGenerator

    static func random(seed: UInt64, _ schema: Schema) throws -> ReferenceState {
        var data = ShopData(random: SeededGenerator(seed: seed))
        var state = ReferenceState(schema)
        try data.fill(&state)
        return state
    }

    /// A record set to a row, or deleted.
    struct Change: CustomStringConvertible {
        var entity: Int
        var key: StoredValue
        var row: [StoredValue]?

        var description: String { "\(entity)[\(key)] = \(row.map { "\($0)" } ?? "nil")" }
    }

    /// Random changes of such contents: records of other random contents, and in part deletions.
    static func changes(seed: UInt64, count: Int, _ schema: Schema) throws -> [Change] {
        let others = try random(seed: seed, schema)
        var data = ShopData(random: SeededGenerator(seed: seed))
        return (0..<count).compactMap { _ in
            let entity = data.below(schema.entities.count)
            let key = data.key(30)
            let row = others.row(key, in: entity)
            return Change(entity: entity, key: key, row: data.below(4) == 0 ? nil : row)
        }
    }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }
    private mutating func orNil(_ value: StoredValue) -> StoredValue { below(4) == 0 ? .null : value }
    private mutating func key(_ count: Int) -> StoredValue { .integer(Int64(1 + below(count))) }

    private mutating func fill(_ state: inout ReferenceState) throws {
        func insert(_ entity: String, _ row: [StoredValue]) throws {
            let position = try state.schema.position(ofEntity: entity)
            do {
                _ = try state.insert(row, into: position)
            } catch let breach {
                // A unique value taken twice: the row is left out.
                if !breach.codes.contains(.uniqueness) { throw breach }
            }
        }
        func id(_ number: Int) -> StoredValue { .integer(Int64(number)) }
        for number in 1...4 { try insert("Genre", [id(number), ShopData.texts[number * 3]]) }
        for number in 1...6 {
            try insert(
                "Artist",
                [
                    id(number), one(of: ShopData.texts), orNil(key(4)), orNil(.real(one(of: ShopData.doubles))),
                    orNil(key(8)),
                ])
        }
        for number in 1...9 {
            try insert(
                "Album",
                [
                    id(number), one(of: ShopData.texts), key(6), orNil(.integer(one(of: ShopData.integers))),
                    orNil(one(of: ShopData.decimals)),
                ])
        }
        for number in 1...(20 + below(10)) { try insert("Song", song(id(number))) }
        for number in 1...5 { try insert("Playlist", [id(number), one(of: ShopData.texts)]) }
        for number in 1...25 {
            try insert("Playlist_songs", [id(number), key(4), key(20), .integer(Int64(below(6)))])
        }
        for number in 1...9 {
            let manager = number == 1 ? StoredValue.null : orNil(key(number - 1))
            try insert(
                "Employee",
                [id(number), one(of: ShopData.texts), manager, orNil(.integer(one(of: ShopData.integers)))])
        }
    }

    private mutating func song(_ id: StoredValue) -> [StoredValue] {
        [
            id, one(of: ShopData.texts), key(8), orNil(key(4)), orNil(.integer(one(of: ShopData.integers))),
            orNil(.real(one(of: ShopData.doubles))), orNil(.integer(Int64(below(2)))),
            orNil(.real(one(of: ShopData.dates))), orNil(one(of: ShopData.decimals)),
            orNil(.integer(one(of: ShopData.cents))), orNil(one(of: ShopData.json)),
        ]
    }
}
