import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var expressionOrderCases: [ConformanceCase] {
    [
        ConformanceCase("order.path", in: .order, "records are ordered by the end of a path, ties by key") { trial in
            let shop = try Shop(trial)
            try shop.expect(Song.sorted(by: { $0.genre.label }), [4, 6, 3, 5, 1, 2])
            try shop.expect(Song.sorted(by: { $0.genre.label }, .descending), [2, 1, 5, 3, 6, 4])
            try shop.expect(Song.sorted(by: { $0.album.artist.label }, .descending), [6, 5, 4, 3, 2, 1])
            try shop.expect(
                Song.sorted(by: { $0.album.title }, .descending).sorted(by: { $0.title }), [5, 6, 4, 1, 2, 3])
            try shop.expect(Song.sorted(by: { $0.album.artist.genre.label }), [5, 6, 1, 2, 3, 4])
            try shop.expect(Artist.sorted(by: { $0.mentor.label }), [2, 4, 3, 1])
            try shop.expect(Employee.sorted(by: { $0.manager.manager.label }).limit(3), [1, 2, 3])
            try shop.expect(Song.sorted(by: "album.year,-seconds"), [4, 5, 6, 2, 1, 3])
        },
        ConformanceCase("order.nil-first", in: .order, "nil comes where it is asked to, whatever the direction") {
            trial in
            try trial.insertTwins(
                [3, nil, 1, nil, 2].enumerated().map { Sample(id: Int64($0), int8: $1.map { Int8($0) }, integer: $1) })
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.sorted(by: { $0.integer }, .ascending, nils: .first), [1, 3, 2, 4, 0])
                try snapshot.expectTwins(Sample.sorted(by: { $0.integer }, .ascending, nils: .last), [2, 4, 0, 1, 3])
                try snapshot.expectTwins(Sample.sorted(by: { $0.integer }, .descending, nils: .first), [3, 1, 0, 4, 2])
                try snapshot.expectTwins(Sample.sorted(by: { $0.integer }, .descending, nils: .last), [0, 4, 2, 3, 1])
                try snapshot.expectTwins(
                    Sample.sorted(by: { $0.integer }, .ascending, nils: .last).limit(3), [2, 4, 0])
                try snapshot.expectTwins(
                    Sample.sorted(by: { $0.integer }, .ascending, nils: .last).offset(2).limit(2), [0, 1])
                try snapshot.expectTwins(
                    Sample.where { $0.integer != 1 }.sorted(by: { $0.integer }, .descending, nils: .first),
                    [3, 1, 0, 4])
                try snapshot.expectTwins(
                    Sample.sorted(by: { $0.integer }, .ascending, nils: .last).sorted(by: { $0.id }, .descending),
                    [2, 4, 0, 3, 1])
            }
        },
        ConformanceCase("order.nil-path", in: .order, "nil at the end of a path comes where it is asked to") { trial in
            let shop = try Shop(trial)
            try shop.expect(Song.sorted(by: { $0.genre.label }, .ascending, nils: .last), [3, 5, 1, 2, 4, 6])
            try shop.expect(Song.sorted(by: { $0.genre.label }, .descending, nils: .first), [6, 4, 2, 1, 5, 3])
            try shop.expect(Song.sorted(by: { $0.score }, .ascending, nils: .last).limit(2), [5, 1])
            try shop.expect(
                Album.sorted(by: { $0.songs.average { $0.score } }, .descending, nils: .first), [4, 1, 2, 3])
        },
        ConformanceCase("order.expressions", in: .order, "records are ordered by computed values") { trial in
            let shop = try Shop(trial)
            try shop.expect(Song.sorted(by: { $0.seconds % 200 }), [3, 6, 2, 1, 4, 5])
            try shop.expect(Song.sorted(by: { $0.title.length }, .descending), [3, 5, 4, 2, 1, 6])
            try shop.expect(Song.sorted(by: { $0.released.month }, nils: .last), [4, 3, 1, 5, 2, 6])
            try shop.expect(Song.sorted(by: { $0.seconds ?? 250 }), [1, 4, 2, 3, 6, 5])
            try shop.expect(
                Song.sorted(by: { $0.info.value(at: "tempo", as: Int.self) }, .descending).limit(2), [4, 1])
            try shop.expect(
                Song.sorted(by: { $0.seconds * -1 }).sorted(by: { $0.id }, .descending), [6, 3, 5, 2, 4, 1])
        },
        ConformanceCase("order.insensitive", in: .order, "texts are ordered without regard to case") { trial in
            try trial.insertTwins(
                ["b", "A", "a", "B", nil, "C", "\u{E4}"].enumerated().map { Sample(id: Int64($0), text: $1) })
            try trial.read { snapshot in
                try snapshot.expectTwins(
                    Sample.sorted(by: { $0.text.folded(.caseInsensitive) }), [4, 1, 2, 0, 3, 5, 6])
                try snapshot.expectTwins(
                    Sample.sorted(by: { $0.text.folded([.caseInsensitive, .diacriticInsensitive]) }, nils: .last),
                    [1, 2, 6, 0, 3, 5, 4])
                try snapshot.expectTwins(
                    Sample.sorted(by: { $0.text.folded(.caseInsensitive) }).sorted(by: { $0.text }, .descending),
                    [4, 2, 1, 0, 3, 5, 6])
            }
        },
        ConformanceCase("order.reversed", in: .order, "an order turned round gives the records the other way round") {
            trial in
            var random = CaseRandom(seed: trial.seed)
            let samples = (0..<60).map { number in
                Sample(
                    id: Int64(number), int8: Int8.random(in: 0..<4, using: &random),
                    integer: Bool.random(using: &random) ? nil : Int64.random(in: 0..<3, using: &random),
                    text: ["a", "A", "b", nil].randomElement(using: &random) ?? nil)
            }
            try trial.insertTwins(samples)
            try trial.read { snapshot in
                for query in [
                    Sample.all, Sample.sorted(by: \.integer),
                    Sample.sorted(by: { $0.integer }, .descending, nils: .first),
                    Sample.sorted(by: { $0.text.folded(.caseInsensitive) }).sorted(by: \.int8, .descending),
                    Sample.sorted(by: { $0.integer + 1 }, nils: .last).sorted(by: \.text),
                    Sample.where { $0.integer != 1 }.sorted(by: "-text,int8"),
                ] {
                    let keys = try snapshot.twinKeys(query)
                    try snapshot.expectTwins(query.reversed(), keys.reversed())
                    try snapshot.expectTwins(query.reversed().reversed(), keys)
                    try snapshot.expectTwins(query.reversed().limit(7), Array(keys.reversed().prefix(7)))
                }
            }
        },
    ]
}
