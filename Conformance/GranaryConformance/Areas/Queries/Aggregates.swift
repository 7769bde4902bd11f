import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var aggregatesCases: [ConformanceCase] {
    plainAggregatesCases + exactAggregatesCases
}

private var plainAggregatesCases: [ConformanceCase] {
    [
        ConformanceCase("aggregates.numbers", in: .aggregates, "counts, sums, averages and extremes of numbers") {
            trial in
            let shop = try Shop(trial)
            let all: [AggregateFunction] = [.count, .sum, .average, .minimum, .maximum]
            try shop.expect(Song.all, give: all.map { .of($0, "seconds") }, [try row(4, 700, 175.0, 100, 300)])
            try shop.expect(Song.all, give: all.map { .of($0, "score") }, [try row(4, 3.25, 0.8125, -2.25, 2.5)])
            func decimal(_ text: String) -> Decimal { Boundaries.decimal(text) }
            try shop.expect(
                Song.all, give: all.map { .of($0, "price") },
                [try row(4, decimal("5.27"), decimal("1.3175"), decimal("0.99"), decimal("2"))])
            try shop.expect(
                Song.all, give: all.map { .of($0, "cents") }, [try row(4, 548, decimal("1.37"), 99, 200)])
        },
        ConformanceCase(
            "aggregates.count", in: .aggregates, "records are counted, values that are not nil, different ones"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.expect(Song.all, give: [.rows, .of(.count, "seconds"), .of(.count, "title")], [try row(6, 4, 6)])
            try shop.expect(
                Song.all,
                give: [
                    .of(.count, "seconds", distinct: true), .of(.count, "genre", distinct: true),
                    .of(.count, "score", distinct: true), .of(.count, "isLive", distinct: true),
                ], [try row(3, 2, 3, 2)])
            try shop.expect(Song.where { $0.seconds == 100 }, give: [.rows, .of(.count, "genre")], [try row(2, 1)])
        },
        ConformanceCase("aggregates.extremes", in: .aggregates, "least and greatest texts, dates, Bools and references")
        {
            trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all, give: [.of(.minimum, "title"), .of(.maximum, "title"), .of(.minimum, "isLive")],
                [try row("Able", "Fog", false)])
            try shop.expect(
                Song.all, give: [.of(.minimum, "released"), .of(.maximum, "released"), .of(.maximum, "genre")],
                [try row(Shop.date(1959, 8, 17), Shop.date(2001, 1, 1), 2)])
            try shop.expect(
                Song.where { $0.id < 3 }, give: [.of(.minimum, "title"), .of(.maximum, "title")],
                [try row("Able", "Bell")])
        },
        ConformanceCase("aggregates.nothing", in: .aggregates, "of nothing the count and the sum are 0, the rest nil") {
            trial in
            let shop = try Shop(trial)
            let zero = try StoredValue(encoding: Decimal(0))
            for query in [Song.where { _ in .never }, Song.where { $0.id > 100 }, Song.where { $0.id == 6 }] {
                let isEmpty = query != Song.where { $0.id == 6 }
                try shop.expect(query, give: [.rows, .of(.count, "seconds")], [try row(isEmpty ? 0 : 1, 0)])
                try shop.expect(query, give: [.of(.sum, "seconds"), .of(.sum, "score")], [try row(0, 0.0)])
                try shop.expect(query, give: [.of(.sum, "price"), .of(.sum, "cents")], [[zero, .integer(0)]])
                for function in [AggregateFunction.average, .minimum, .maximum] {
                    try shop.expect(
                        query, give: ["seconds", "score", "price", "cents"].map { .of(function, $0) },
                        [try row(nil, nil, nil, nil)])
                }
                try shop.expect(query, give: [.of(.minimum, "released"), .of(.maximum, "isLive")], [try row(nil, nil)])
            }
        },
        ConformanceCase("aggregates.cut", in: .aggregates, "an order, a limit and an offset choose what is aggregated")
        {
            trial in
            let shop = try Shop(trial)
            let longest = Song.sorted(by: { $0.seconds }, .descending)
            let give: [ReferenceQuery.Aggregate] = [.rows, .of(.sum, "seconds"), .of(.minimum, "seconds")]
            try shop.expect(longest.limit(2), give: give, [try row(2, 500, 200)])
            try shop.expect(longest.offset(1).limit(2), give: give, [try row(2, 300, 100)])
            try shop.expect(longest.offset(3), give: give, [try row(3, 100, 100)])
            try shop.expect(longest.limit(0), give: give, [try row(0, 0, nil)])
            try shop.expect(Song.all.offset(4), give: give, [try row(2, 300, 300)])
        },
        ConformanceCase(
            "aggregates.expressions", in: .aggregates, "expressions and paths are aggregated as attributes are"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all,
                give: [
                    .of(.sum, (Song.fields.seconds * 2).untyped), .of(.maximum, "album.year"),
                    .of(.count, "genre.label", distinct: true), .of(.minimum, Song.fields.released.year.untyped),
                    .of(.sum, Song.fields.title.length.untyped),
                ], [try row(1400, 1967, 2, 1959, 24)])
            try shop.expect(
                Album.all,
                give: [.of(.sum, Album.fields.songs.count.untyped), .of(.maximum, Album.fields.songs.count.untyped)],
                [try row(6, 3)])
            try shop.expect(
                Song.where { $0.genre.label == "Jazz" }, give: [.rows, .of(.sum, "seconds")], [try row(2, 300)])
            try shop.expect(
                Song.all, give: [.of(.average, Song.fields.info.value(at: "tempo", as: Int.self).untyped)],
                [try row(95.0)])
        },
        ConformanceCase("aggregates.distinct", in: .aggregates, "equal values are summed and averaged once if asked") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all,
                give: [
                    .of(.sum, "seconds", distinct: true), .of(.average, "seconds", distinct: true),
                    .of(.sum, "score", distinct: true), .of(.sum, "cents", distinct: true),
                    .of(.maximum, "seconds", distinct: true),
                ], [try row(600, 200.0, 1.75, 449, 300)])
        },
        ConformanceCase("aggregates.writes", in: .aggregates, "aggregates see what their transaction has written") {
            trial in
            let shop = try Shop(trial)
            let made = MadeQuery(Song.all, give: [.rows, .of(.sum, "seconds"), .of(.maximum, "title")])
            try shop.write { transaction in
                try transaction.delete(Song.self, 5)
                try transaction.update(Song(id: 6, title: "Zoo", album: Ref(3), seconds: 1))
                try expectEqual(try made.answer(transaction), [try row(5, 401, "Zoo")])
                try transaction.insert(Song(id: 7, title: "A", album: Ref(3), seconds: 1000))
                try expectEqual(try made.answer(transaction), [try row(6, 1401, "Zoo")])
            }
            try shop.read { try expectEqual(try made.answer($0), [try row(6, 1401, "Zoo")]) }
        },
    ]
}

/// Sums of all songs, and of groups of which one is too large, name the entity that was asked.
private func expectOverflow(_ context: ReadContext) throws {
    for groups in [[], [AnyExpression.attribute("album")]] {
        let sum = MadeQuery(Song.all, by: groups, give: [.of(.sum, "seconds")])
        try expectError(.overflow, entity: "Song") { try sum.answer(context) }
    }
    try expectError(.overflow, entity: "Song") { try Song.all.sum(\.seconds, in: context) }
    try expectError(.overflow, entity: "Song") {
        try context.fetch(Song.all.grouped(by: { $0.album }).select { ($0.album, $0.seconds.sum) }).count
    }
    let kept = Song.all.grouped(by: { $0.album }).having { $0.seconds.sum > 0 }.select { $0.album }
    try expectError(.overflow, entity: "Song") { try context.fetch(kept).count }
}

/// Songs with these values of an attribute each, in every order given, and an aggregate of them.
private func check<Value>(
    _ trial: Trial, _ values: [Value], _ set: (inout Song, Value) -> Void, _ give: [ReferenceQuery.Aggregate],
    _ expected: [StoredValue]
) throws {
    let shop = try Shop(trial, filled: false)
    try shop.write { transaction in
        try transaction.upsert(Artist(id: 1))
        try transaction.upsert(Album(id: 1, artist: Ref(1)))
    }
    var order = Array(values.indices)
    var random = CaseRandom(seed: trial.seed)
    for _ in 0..<4 {
        try shop.write { transaction in
            try Song.deleteAll(in: transaction)
            for (place, position) in order.enumerated() {
                var song = Song(id: Int64(place), album: Ref(1))
                set(&song, values[position])
                try transaction.insert(song)
            }
        }
        try shop.expect(Song.all, give: give, [expected])
        order.shuffle(using: &random)
    }
}

private var exactAggregatesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "aggregates.integer-sums", in: .aggregates, "a sum may pass the ends of Int64 on its way, in any order"
        ) {
            trial in
            let big = Int64(1) << 62
            try check(
                trial, [big, big, big, -big, -big], { $0.seconds = $1 },
                [.of(.sum, "seconds"), .of(.average, "seconds")],
                try row(big, Double(big) / 5))
        },
        ConformanceCase("aggregates.integer-ends", in: .aggregates, "an average of the greatest integers is exact") {
            trial in
            try check(
                trial, [Int64.max, .max, .min, .min, 3], { $0.seconds = $1 },
                [.of(.sum, "seconds"), .of(.average, "seconds"), .of(.minimum, "seconds"), .of(.maximum, "seconds")],
                try row(Int64(1), 0.2, Int64.min, Int64.max))
            try check(trial, [Int64.max, .max], { $0.seconds = $1 }, [.of(.average, "seconds")], try row(0x1p63))
        },
        ConformanceCase(
            "aggregates.integer-overflow", in: .aggregates, "a sum that does not fit is an error, nothing else is"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                _ = try Song.where { $0.id < 3 }.updateAll(in: transaction) { $0.set(\.seconds, to: .max) }
            }
            try shop.read { snapshot in
                try expectOverflow(snapshot)
                let rest = MadeQuery(
                    Song.where { $0.id > 1 }, give: [.of(.count, "seconds"), .of(.maximum, "seconds")])
                try expectEqual(try rest.answer(snapshot), [try row(3, Int64.max)])
            }
            // Added up by the context, as it has changed one of the songs.
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try context.update(Song.self, 3) { $0.seconds = 5 }
            try expectOverflow(context)
        },
        ConformanceCase("aggregates.double-sums", in: .aggregates, "sums of doubles are rounded once, in any order") {
            trial in
            let give: [ReferenceQuery.Aggregate] = [.of(.sum, "score"), .of(.average, "score")]
            try check(trial, [1e16, 1, -1e16, 1], { $0.score = $1 }, give, try row(2.0, 0.5))
            try check(trial, [1e308, 1e308, -1e308, -1e308, 3], { $0.score = $1 }, give, try row(3.0, 0.6))
            try check(trial, Array(repeating: 0.1, count: 10), { $0.score = $1 }, give, try row(1.0, 0.1))
            try check(trial, [0x1p53, 1, 1], { $0.score = $1 }, give, try row(0x1p53 + 2, (0x1p53 + 2) / 3))
            try check(
                trial, [Double.leastNonzeroMagnitude, .leastNonzeroMagnitude, 0], { $0.score = $1 },
                [.of(.sum, "score")],
                try row(2 * Double.leastNonzeroMagnitude))
        },
        ConformanceCase("aggregates.infinity", in: .aggregates, "a sum with infinity is infinite") { trial in
            try check(
                trial, [Double.infinity, 1, 2], { $0.score = $1 }, [.of(.sum, "score"), .of(.average, "score")],
                try row(Double.infinity, Double.infinity))
        },
        ConformanceCase("aggregates.infinities", in: .aggregates, "a sum of both infinities is an error") { trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                _ = try Song.where { $0.id == 1 }.updateAll(in: transaction) { $0.set(\.score, to: .infinity) }
                _ = try Song.where { $0.id == 2 }.updateAll(in: transaction) { $0.set(\.score, to: -.infinity) }
            }
            try shop.read { snapshot in
                let sum = MadeQuery(Song.all, give: [.of(.sum, "score")])
                try expectError(.range, entity: "Song") { try sum.answer(snapshot) }
                let ends = MadeQuery(Song.all, give: [.of(.minimum, "score"), .of(.maximum, "score")])
                try expectEqual(try ends.answer(snapshot), [try row(-Double.infinity, Double.infinity)])
            }
        },
        ConformanceCase(
            "aggregates.decimal-sums", in: .aggregates, "sums of decimals are exact, averages have 38 digits"
        ) {
            trial in
            func decimals(_ texts: String...) -> [Decimal] { texts.map(Boundaries.decimal) }
            let give: [ReferenceQuery.Aggregate] = [.of(.sum, "price"), .of(.average, "price")]
            try check(
                trial, decimals("0.1", "0.2", "0.3", "-0.6", "1"), { $0.price = $1 }, give,
                try row(Decimal(1), Boundaries.decimal("0.2")))
            try check(
                trial, decimals("1", "0", "0"), { $0.price = $1 }, give,
                try row(Decimal(1), Boundaries.decimal("0.33333333333333333333333333333333333333")))
            try check(
                trial, decimals("99999999999999999999999999999999999999", "1", "-1"), { $0.price = $1 },
                [.of(.sum, "price")], try row(Boundaries.decimal("99999999999999999999999999999999999999")))
            try check(
                trial, decimals("1.0", "1.00", "1", "2"), { $0.price = $1 },
                [.of(.count, "price", distinct: true), .of(.sum, "price", distinct: true)], try row(2, Decimal(3)))
        },
        ConformanceCase(
            "aggregates.scaled", in: .aggregates, "sums of scaled decimals are exact, averages are decimals"
        ) {
            trial in
            try check(
                trial, ["0.01", "0.01", "0.02"], { $0.cents = Shop.cents($1) },
                [.of(.sum, "cents"), .of(.average, "cents")],
                try row(4, Boundaries.decimal("0.013333333333333333333333333333333333333")))
        },
    ]
}
