import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var pagePositionsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "pages.two-optionals", in: .pages,
            "pages ordered by two attributes that may be nil, in every direction and with nils on either side",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial, filled: false)
            let songs = songsOfEveryKind()
            try shop.write { tx in
                try tx.insert([Artist(id: 1)])
                try tx.insert([Album(id: 1, artist: Ref(1))])
                try tx.insert(songs)
            }
            let terms = [SortDirection.ascending, .descending].flatMap { direction in
                [NilPosition?.none, .first, .last].map { Term(direction: direction, nils: $0) }
            }
            try shop.read { snapshot in
                for (number, (first, second)) in terms.flatMap({ first in terms.map { (first, $0) } }).enumerated() {
                    let query = Song.sorted(by: { $0.seconds }, first.direction, nils: first.nils)
                        .sorted(by: { $0.score }, second.direction, nils: second.nils)
                    let expected = songs.sorted { left, right in
                        first.precedes(left.seconds, right.seconds) ?? second.precedes(left.score, right.score)
                            ?? ((left.id < right.id) == (second.direction == .ascending))
                    }.map(\.id)
                    let size = 2 + number % 5
                    try expectEqual(try snapshot.fetch(query).map(\.id), expected, "\(query.untyped.order)")
                    let forwards = try pages(of: query, size: size, in: snapshot)
                    try expectEqual(forwards.flatMap { $0 }, expected, "\(query.untyped.order) by \(size)")
                    let backwards = try pagesBack(of: query, size: size, in: snapshot)
                    try expectEqual(
                        backwards.reversed().flatMap { $0 }, expected, "\(query.untyped.order) back by \(size)")
                }
            }
        },
        ConformanceCase(
            "pages.position-text", in: .pages,
            "a place written as JSON and read again, by whomever, continues the same page"
        ) { trial in
            let shop = try Shop(trial)
            try shop.write { tx in
                try tx.insert([
                    Song(
                        id: 7, title: "\u{0}\"\\\u{E9}e\u{301}\n\u{1F600}", album: Ref(4), seconds: .max,
                        score: .infinity),
                    Song(
                        id: 8, album: Ref(2), seconds: .min, score: -.infinity,
                        released: Date(timeIntervalSince1970: 0.1)),
                    Song(id: 9, title: "able", album: Ref(3), score: 0.1 + 0.2, price: Boundaries.decimal("-1E-30")),
                ])
            }
            let queries: [Query<Song>] = [
                Song.all, Song.sorted(by: \.title, .descending),
                Song.sorted(by: \.seconds).sorted(by: \.score, .descending),
                Song.sorted(by: \.released, .descending, nils: .first), Song.sorted(by: \.price).sorted(by: \.cents),
                Song.sorted(by: \.album.artist.label).sorted { $0.title.folded(.caseInsensitive) },
                Song.sorted { $0.info.value(at: "tempo", as: Int.self) }, Song.sorted { $0.genre.songs.count },
                Song.where { $0.score != 1.5 }.sorted(by: \.isLive, nils: .last).sorted { ($0.score ?? 1) * 2 },
            ]
            var read: [(keys: [Int64], places: [String])] = []
            try trial.read { snapshot in
                for query in queries {
                    var page = try query.page(in: snapshot, size: 1)
                    var places: [String] = []
                    while let end = page.end {
                        places.append(try text(of: end))
                        page = try query.page(in: snapshot, after: end, size: 1)
                    }
                    read.append((try snapshot.fetch(query).map(\.id), places))
                }
            }
            try shop.read { snapshot in
                for (query, (keys, places)) in zip(queries, read) {
                    try expectEqual(places.count, keys.count, "\(query.untyped.order)")
                    for (index, text) in places.enumerated() {
                        let place = try JSONDecoder().decode(PagePosition.self, from: Data(text.utf8))
                        let after = try query.page(in: snapshot, after: place, size: 3).records.map(\.id)
                        try expectEqual(after, Array(keys.dropFirst(index + 1).prefix(3)), "after \(text)")
                        let before = try query.page(in: snapshot, before: place, size: 3).records.map(\.id)
                        try expectEqual(before, Array(keys.prefix(index).suffix(3)), "before \(text)")
                    }
                }
            }
        },
        ConformanceCase("pages.position-altered", in: .pages, "a place with values that the order has not is refused") {
            trial in
            let shop = try Shop(trial)
            let wrong: [(Query<Song>, [String])] = [
                (Song.sorted(by: \.seconds), [#"{"text":"x"}"#, #"{"real":0}"#, #"{"bytes":"AA=="}"#]),
                (Song.sorted(by: \.score), [#"{"integer":1}"#, #"{"real":9221120237041090560}"#]),
                (Song.sorted(by: \.title), ["{}", #"{"integer":1}"#, #"{"bytes":"AA=="}"#]),
                (Song.sorted(by: \.price), [#"{"integer":1}"#, #"{"bytes":""}"#, #"{"bytes":"AAEC"}"#]),
                (Song.sorted { $0.seconds % 7 }, [#"{"real":0}"#, #"{"text":""}"#]),
            ]
            try shop.read { snapshot in
                for (query, values) in wrong {
                    let place = try query.page(in: snapshot, size: 3).end.map { try text(of: $0) } ?? ""
                    let parts = place.components(separatedBy: #""values":["#)
                    try expectEqual(parts.count, 2, place)
                    func expectRefused(_ values: String) throws {
                        let altered = parts[0] + #""values":["# + values + "]}"
                        let position = try JSONDecoder().decode(PagePosition.self, from: Data(altered.utf8))
                        try expectError(.invalidQuery) { try query.page(in: snapshot, after: position, size: 2) }
                        try expectError(.invalidQuery) { try query.page(in: snapshot, before: position, size: 2) }
                    }
                    for value in values { try expectRefused(value + #",{"integer":3}"#) }
                    // No record is without a key.
                    try expectRefused(String(parts[1].prefix { $0 != "}" }) + "},{}")
                    try expectRefused(#"{},{"text":"3"}"#)
                    try expectRefused("{}")
                    try expectRefused("{},{},{}")
                }
            }
        },
    ]
}

private func text(of place: PagePosition) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(place), as: UTF8.self)
}

/// Two songs of each pair of nil, a lesser and a greater value, in an order of keys that is none of the values.
private func songsOfEveryKind() -> [Song] {
    let seconds: [Int64?] = [nil, 100, 200]
    let scores: [Double?] = [nil, -1.5, 2]
    return (0..<18).map { number in
        let kind = (number * 5 + 3) % 9
        return Song(id: Int64(number + 1), album: Ref(1), seconds: seconds[kind / 3], score: scores[kind % 3])
    }
}

/// A term of an order, as Swift's own comparisons have it.
private struct Term: Sendable {
    var direction: SortDirection
    var nils: NilPosition?

    /// Nil of equal values.
    func precedes<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool? {
        guard left != right else { return nil }
        let isNilFirst = (nils ?? (direction == .ascending ? .first : .last)) == .first
        guard let left else { return isNilFirst }
        guard let right else { return !isNilFirst }
        return (left < right) == (direction == .ascending)
    }
}
