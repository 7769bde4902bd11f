import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var sidesCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.left-values", in: .expressions, "a value stands on either side of a comparison") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([2, 5]) { 100 < $0.seconds }
            try shop.songs([1, 2, 4, 5]) { 100 <= $0.seconds }
            try shop.songs([1, 4]) { 200 > $0.seconds }
            try shop.songs([1, 2, 4]) { 200 >= $0.seconds }
            try shop.songs([1, 4]) { 100 == $0.seconds }
            try shop.songs([2, 3, 5, 6]) { 100 != $0.seconds }
            try shop.songs([3, 6]) { nil == $0.seconds }
            try shop.songs([1, 2, 4, 5]) { nil != $0.seconds }
            let none: Int64? = nil
            try shop.songs([]) { none < $0.seconds }
            try shop.songs([3, 6]) { none == $0.seconds }
            try shop.songs([2, 3, 4, 5, 6]) { "Bell" <= $0.title }
            try shop.songs([1, 4]) { 1.5 == $0.score }
            try shop.songs([1, 4]) { Boundaries.decimal("0.99") == $0.price }
            try shop.songs([2, 4]) { true == $0.isLive }
            try shop.songs([1, 5]) { Shop.date(1968, 1, 1) > $0.released }
            try shop.songs([1, 2, 3]) { Shop.albums[0] == $0.album }
            try shop.songs([4, 5, 6]) { Shop.albums[0] != $0.album }
            try shop.songs([4]) { Ref(2) == $0.album }
        },
        ConformanceCase(
            "expressions.left-of-computed", in: .expressions, "a value stands on the left of what is computed, too"
        ) { trial in
            let shop = try Shop(trial)
            try shop.songs([1, 4]) { 150 == $0.seconds + 50 }
            try shop.songs([2, 5]) { 600 < ($0.seconds + 100) * 3 }
            try shop.songs([3, 6]) { nil == $0.seconds + 1 }
            try shop.songs([6]) { 4 > $0.title.length }
            try shop.songs([1]) { "able" == $0.title.folded(.caseInsensitive) }
            try shop.songs([1, 2, 3, 5, 6]) { 0 < $0.playlists.count }
            try shop.songs([2]) { 2 == $0.playlists.count }
            try shop.songs([1, 2, 4]) { "Rock" == $0.album.artist.genre.label && "Cloud" != $0.title }
            let genreGroups = Song.all.grouped(by: { $0.genre.label })
            try shop.read { snapshot in
                let many = try snapshot.fetch(genreGroups.having { 100 < $0.seconds.sum }.select { $0.genre.label })
                try expectEqual(many, ["Jazz", "Rock"])
                let early = try snapshot.fetch(
                    genreGroups.having { 2 == $0.id.count && "K" > $0.genre.label }.select { $0.genre.label })
                try expectEqual(early, ["Jazz"])
            }
        },
        ConformanceCase("expressions.left-operands", in: .expressions, "a value stands on the left of arithmetic") {
            trial in
            let shop = try Shop(trial)
            func expect(
                _ text: String, _ keys: [Int64], line: Int = #line, _ typed: (Song.Fields) -> Condition<Song>
            ) throws {
                try shop.songs(keys, line: line, where: typed)
                try shop.expect(try Song.where(text), keys, line: line)
            }
            try expect("50 + seconds == 150", [1, 4]) { 50 + $0.seconds == 150 }
            try expect("250 - seconds < 0", [5]) { 250 - $0.seconds < 0 }
            try expect("3 * seconds >= 600", [2, 5]) { 3 * $0.seconds >= 600 }
            try expect("600 / seconds == 3", [2]) { 600 / $0.seconds == 3 }
            try expect("250 % seconds == 50", [1, 2, 4]) { 250 % $0.seconds == 50 }
            try expect("1 + seconds == NIL", [3, 6]) { 1 + $0.seconds == nil }
            try expect("2 - score > 4", [5]) { 2 - $0.score > 4 }
            try expect("3 / score == 2", [1, 4]) { 3 / $0.score == 2 }
            try expect("2 * price < 2", [1, 4]) { 2 * $0.price < 2 }
            try expect("2.5 - cents == 1", [2]) { 2.5 - $0.cents == 1 }
            try expect("3 * cents == 4.5", [2]) { 3 * $0.cents == 4.5 }
            try expect("10 - playlists.@count == 8", [2]) { 10 - $0.playlists.count == 8 }
            try expect("400 - 3 * seconds == 100", [1, 4]) { 400 - 3 * $0.seconds == 100 }
            try shop.expect(Song.sorted(by: { 0 - $0.seconds }), [3, 6, 5, 2, 1, 4])
            let genreGroups = Song.all.grouped(by: { 100 * ($0.seconds / 100) })
            let genres = genreGroups.select { (100 * ($0.seconds / 100), 3 * $0.id.count, 9 - $0.score.sum) }
            try shop.read { snapshot in
                let rows = try snapshot.fetch(Song.where { $0.id == 5 }.select { (500 - $0.seconds, 3 * $0.cents) })
                try expectEqual(rows.map(\.0), [200])
                try expectEqual(rows.map(\.1), [Shop.cents("6")])
                let all = try snapshot.fetch(genres)
                try expectEqual(all.map(\.0), [nil, 100, 200, 300])
                try expectEqual(all.map(\.1), [6, 6, 3, 3])
                try expectEqual(all.map(\.2), [6.5, 6, 9, 11.25])
                let single = genreGroups.having { 5 - $0.id.count == 4 }
                    .select { (100 * ($0.seconds / 100), 3 * $0.id.count, 9 - $0.score.sum) }
                try expectEqual(try snapshot.fetch(single).map(\.0), [200, 300])
                let ordered = genres.sorted(by: { 10 - $0.id.count }, .descending).sorted(by: { 0 - $0.seconds.sum })
                try expectEqual(try snapshot.fetch(ordered).map(\.0), [300, 200, 100, nil])
            }
            try shop.write { tx in
                try expectEqual(
                    try Song.where {
                        500 - $0.seconds > 350
                    }.updateAll(in: tx) { $0.set(\.score, to: 8) }, 2)
                try expectEqual(try Song.where { 2 * $0.score == 16 }.fetch(in: tx).map(\.id), [1, 4])
            }
            try shop.expectFailure(.overflow, of: Song.where { 1 / ($0.seconds - 100) > 0 })
        },
        ConformanceCase(
            "expressions.sides", in: .expressions, "with its sides changed over a comparison is the mirrored one"
        ) { trial in
            let shop = try Shop(trial)
            let value = AnyExpression.value(.integer(200))
            for side in [AnyExpression.attribute("seconds"), try AnyExpression(parsing: "seconds * 2 - 100")] {
                for comparison in Comparison.allCases {
                    let right = Song.where { _ in Condition(.relation(side, comparison, value)) }
                    try shop.read { snapshot in
                        let keys = try snapshot.fetch(right).map(\.id)
                        let left = Condition<Song>(.relation(value, comparison.mirrored, side))
                        try expectEqual(try snapshot.fetch(Song.where { _ in left }).map(\.id), keys)
                        let text = "200 \(comparison.mirrored.rawValue) \(side.predicateText)"
                        try expectEqual(try snapshot.fetch(try Song.where(text)).map(\.id), keys, text)
                        let rest = try snapshot.fetch(Song.where { _ in !left }).map(\.id)
                        try expectEqual(rest, (1...6).filter { !keys.contains($0) }, "not \(text)")
                    }
                }
            }
        },
    ]
}

var negationCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.negation", in: .expressions, "a number has a negative, nil has nil") { trial in
            let shop = try Shop(trial)
            func expect(
                _ text: String, _ keys: [Int64], line: Int = #line, _ typed: (Song.Fields) -> Condition<Song>
            ) throws {
                try shop.songs(keys, line: line, where: typed)
                try shop.expect(try Song.where(text), keys, line: line)
            }
            try expect("-seconds == -100", [1, 4]) { -$0.seconds == -100 }
            try expect("-100 > -seconds", [2, 5]) { -100 > -$0.seconds }
            try expect("-(seconds + 1) == -101", [1, 4]) { -($0.seconds + 1) == -101 }
            try expect("-seconds * 2 + 400 == 0", [2]) { -$0.seconds * 2 + 400 == 0 }
            try expect("400 == --seconds * 2", [2]) { 400 == -(-$0.seconds) * 2 }
            try expect("-seconds == NIL", [3, 6]) { -$0.seconds == nil }
            try expect("-seconds IN {-100, NIL}", [1, 3, 4, 6]) { song in (-song.seconds).in([-100, nil]) }
            try expect("-score == 2.25", [5]) { -$0.score == 2.25 }
            try expect("-price == -0.99", [1, 4]) { -$0.price == Boundaries.decimal("-0.99") }
            try expect("-cents == -1.5", [2]) { -$0.cents == Shop.cents("-1.5") }
            try expect("-length(title) == -3", [6]) { -$0.title.length == -3 }
            try expect("-playlists.@count == -2", [2]) { -$0.playlists.count == -2 }
            try expect("-(seconds ?? 5) == -5", [3, 6]) { -($0.seconds ?? 5) == -5 }
            try shop.songs([1, 4]) { _ in
                Condition(.relation(.negated(.attribute("seconds")), .equal, .value(.integer(-100))))
            }
            try shop.expect(Song.sorted(by: { -$0.seconds }), [3, 6, 5, 2, 1, 4])
            try shop.read { snapshot in
                let rows = try snapshot.fetch(
                    Song.where { $0.id == 5 }.select { (-$0.seconds, -$0.score, -$0.price, -$0.cents) })
                try expectEqual(rows.map(\.0), [-300])
                try expectEqual(rows.map(\.1), [2.25])
                try expectEqual(rows.map(\.2), [-2])
                try expectEqual(rows.map(\.3), [Shop.cents("-2")])
                let genreGroups = Song.all.grouped(by: { $0.genre.label })
                try expectEqual(
                    try snapshot.fetch(
                        genreGroups.having { -$0.seconds.sum < -100 }.select { ($0.genre.label, -$0.seconds.sum) }
                    ).map(\.1), [-300, -300])
            }
            for label in ["title", "isLive", "released", "info"] {
                let wrong = AnyExpression.negated(.attribute(label))
                try shop.expectFailure(
                    .typeMismatch, entity: "Song", of: Song.sorted(by: { _ in Computed<Song, Int>(wrong) }))
            }
        },
        ConformanceCase(
            "expressions.negation-ends", in: .expressions,
            "the least integer has no negative, infinities and zeros have"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, integer: .max, double: .infinity), Sample(id: 2, integer: .min, double: 1e-300),
                Sample(id: 3, int8: .min, integer: 0, uint8: 200, float: 0.1, double: 0),
            ])
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.id != 2 && -$0.integer <= 0 }, [1, 3])
                try snapshot.expectTwins(Sample.where { $0.id != 2 && -.max == -$0.integer }, [1])
                for query in [
                    Sample.where { -$0.integer < 0 }, Sample.sorted(by: { -$0.integer }),
                    try Sample.where("-integer < 0"),
                ] {
                    try expectError(.overflow) { try snapshot.fetch(query).count }
                    try expectError(.overflow) { try snapshot.fetch(query.indexed).count }
                }
                try snapshot.expectTwins(Sample.where { -$0.double == -.infinity }, [1])
                try snapshot.expectTwins(Sample.where { -$0.double == 0 }, [3])
                // As in every store, there is one zero.
                let zeros = try snapshot.fetch(Sample.where { $0.id == 3 }.select { -$0.double })
                try expectEqual(zeros.map { $0?.sign }, [.plus])
                try snapshot.expectTwins(try Sample.where("-int8 == 128"), [3])
                try snapshot.expectTwins(Sample.where { -$0.uint8 == -200 }, [3])
                let unsigned: [Int?] = try snapshot.fetch(Sample.all.select { -$0.uint8 })
                try expectEqual(unsigned, [nil, nil, -200])
                try snapshot.expectTwins(Sample.where { -$0.float == -0.1 }, [3])
                try snapshot.expectTwins(try Sample.where("-float == -0.1"), [3])
                let floats: [Float?] = try snapshot.fetch(Sample.all.select { -$0.float })
                try expectEqual(floats, [nil, nil, -0.1])
                try expectEqual(try snapshot.twinKeys(Sample.sorted { -$0.float }), [1, 2, 3])
            }
        },
    ]
}

var widthsCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.widths", in: .expressions, "integers of all widths compare with each other") {
            trial in
            try Widths.insert(trial)
            try trial.read { snapshot in
                func expect(_ text: String, _ keys: [Int64], _ typed: (Sample.Fields) -> Condition<Sample>) throws {
                    try snapshot.expectTwins(Sample.where(typed), keys, "typed")
                    try snapshot.expectTwins(try Sample.where(text), keys, "text")
                    let rest = (1...4).filter { !keys.contains($0) }
                    try snapshot.expectTwins(Sample.where { !typed($0) }, rest, "typed, not")
                }
                try expect("int8 == integer", [1, 3]) { $0.int8 == $0.integer }
                try expect("int8 != integer", [2, 4]) { $0.int8 != $0.integer }
                try expect("int8 < uint8", [2, 4]) { $0.int8 < $0.uint8 }
                try expect("int8 <= id", [1, 2]) { $0.int8 <= $0.id }
                try expect("int16 > uint8", [2]) { $0.int16 > $0.uint8 }
                try expect("int16 >= int8", [1, 2]) { $0.int16 >= $0.int8 }
                try expect("uint64 == integer", [1, 2, 3]) { $0.uint64 == $0.integer }
                try expect("length(text) == id", [2]) { $0.text.length == $0.id }
            }
        },
        ConformanceCase("expressions.widths-computed", in: .expressions, "integers of all widths are computed with") {
            trial in
            try Widths.insert(trial)
            try trial.read { snapshot in
                func expect(_ text: String, _ keys: [Int64], _ typed: (Sample.Fields) -> Condition<Sample>) throws {
                    try snapshot.expectTwins(Sample.where(typed), keys, "typed")
                    try snapshot.expectTwins(try Sample.where(text), keys, "text")
                }
                try expect("int8 + uint8 == 2", [1]) { $0.int8 + $0.uint8 == 2 }
                try expect("int8 - uint8 == -201", [2]) { $0.int8 - $0.uint8 == -201 }
                try expect("int8 * int16 == -300", [2]) { $0.int8 * $0.int16 == -300 }
                try expect("int16 / int8 == -300", [2]) { $0.int16 / $0.int8 == -300 }
                try expect("uint8 % integer == 6", [4]) { $0.uint8 % $0.integer == 6 }
                try expect("int16 + uint8 > integer", [1]) { $0.int16 + $0.uint8 > $0.integer }
                try expect("(int8 + int16) * uint8 == id * 2", [1]) { ($0.int8 + $0.int16) * $0.uint8 == $0.id * 2 }
                let sums: [Int?] = try snapshot.fetch(Sample.all.select { $0.int16 + $0.uint8 })
                try expectEqual(sums, [2, 500, nil, nil])
                try expectEqual(try snapshot.twinKeys(Sample.sorted { $0.uint8 - $0.int8 }), [3, 1, 4, 2])
                for query in [Sample.where { $0.integer + $0.uint8 > 0 }, try Sample.where("integer + uint8 > 0")] {
                    try expectError(.overflow) { try snapshot.fetch(query).count }
                    try expectError(.overflow) { try snapshot.fetch(query.indexed).count }
                }
            }
        },
    ]
}

private enum Widths {
    static func insert(_ trial: Trial) throws {
        try trial.insertTwins([
            Sample(id: 1, int8: 1, int16: 1, integer: 1, uint8: 1, uint64: 1),
            Sample(
                id: 2, int8: -1, int16: 300, integer: .max, uint8: 200, uint64: UInt64(Int64.max), text: "ab"),
            Sample(id: 3), Sample(id: 4, int8: 5, integer: 7, uint8: 6),
        ])
    }
}
