import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var expressionsCases: [ConformanceCase] {
    arithmeticCases + mixedExpressionsCases + dateExpressionsCases + jsonExpressionsCases + wrongExpressionsCases
        + sidesCases + negationCases + absoluteCases + widthsCases
}

private var arithmeticCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.integers", in: .expressions, "integers are added, multiplied and divided exactly")
        {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 4]) { $0.seconds + 50 == 150 }
            try shop.songs([2, 5]) { $0.seconds * 2 > 300 }
            try shop.songs([2]) { $0.seconds - 200 == 0 }
            try shop.songs([1, 4]) { $0.seconds / 3 == 33 }
            try shop.songs([5]) { $0.seconds % 3 == 0 }
            try shop.songs([1, 4]) { ($0.seconds + 100) * 3 == 600 }
            try shop.songs([1, 2, 4, 5]) { $0.seconds + $0.seconds == $0.seconds * 2 && $0.seconds != nil }
        },
        ConformanceCase(
            "expressions.integer-signs", in: .expressions,
            "integer division truncates toward zero, a remainder has its sign"
        ) { trial in
            try trial.insertTwins([-7, -6, -1, 0, 1, 6, 7].enumerated().map { Sample(id: Int64($0), integer: $1) })
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.integer / 3 == -2 }, [0, 1])
                try snapshot.expectTwins(Sample.where { $0.integer / 3 == 0 }, [2, 3, 4])
                try snapshot.expectTwins(Sample.where { $0.integer / -3 == 2 }, [0, 1])
                try snapshot.expectTwins(Sample.where { $0.integer % 3 == -1 }, [0, 2])
                try snapshot.expectTwins(Sample.where { $0.integer % -3 == 1 }, [4, 6])
            }
        },
        ConformanceCase("expressions.integer-ends", in: .expressions, "integers at the ends of Int64, exactly") {
            trial in
            try trial.insertTwins([
                Sample(id: 1, integer: .max), Sample(id: 2, integer: .min), Sample(id: 3, integer: 0),
            ])
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.integer / 2 == 4_611_686_018_427_387_903 }, [1])
                try snapshot.expectTwins(Sample.where { $0.integer / 2 == -4_611_686_018_427_387_904 }, [2])
                try snapshot.expectTwins(Sample.where { $0.integer % -1 == 0 }, [1, 2, 3])
                try snapshot.expectTwins(Sample.where { $0.integer * 1 == .max }, [1])
                try snapshot.expectTwins(Sample.where { $0.id != 1 && $0.integer + 1 > 0 }, [3])
            }
        },
        ConformanceCase("expressions.overflow", in: .expressions, "an integer that does not fit is an overflow") {
            trial in
            try trial.insertTwins([Sample(id: 1, integer: .max), Sample(id: 2, integer: .min)])
            try trial.read { snapshot in
                for query in [
                    Sample.where { $0.integer + 1 > 0 }, Sample.where { $0.integer - 1 > 0 },
                    Sample.where { $0.integer * 2 > 0 }, Sample.where { $0.integer / -1 > 0 },
                    Sample.where { $0.integer * $0.integer > 0 }, Sample.sorted(by: { $0.integer + 1 }),
                ] {
                    try expectError(.overflow) { try snapshot.fetch(query).count }
                    try expectError(.overflow) { try snapshot.fetch(query.indexed).count }
                }
                try expectEqual(try snapshot.count(Sample.all), 2)
            }
        },
        ConformanceCase("expressions.division-by-zero", in: .expressions, "a division by zero is an overflow") {
            trial in
            try trial.insertTwins([
                Sample(id: 1, integer: 0, double: 0, decimal: 0), Sample(id: 2, integer: 4, double: 4, decimal: 4),
            ])
            try trial.read { snapshot in
                for query in [
                    Sample.where { $0.integer / 0 == 1 }, Sample.where { $0.integer % 0 == 1 },
                    Sample.where { $0.double / 0 == 1 }, Sample.where { $0.double % 0 == 1 },
                    Sample.where { $0.decimal / 0 == 1 }, Sample.where { $0.integer / $0.integer == 1 },
                    Sample.where { $0.double / $0.double == 1 }, Sample.where { $0.decimal % $0.decimal == 0 },
                ] {
                    try expectError(.overflow) { try snapshot.fetch(query).count }
                    try expectError(.overflow) { try snapshot.count(query.indexed) }
                }
            }
            try trial.write {
                transaction in
                try expectError(.overflow) {
                    try Sample.where { $0.integer / $0.integer == 1 }.deleteAll(in: transaction)
                }
            }
            try expectEqual(try trial.keys(Sample.all), [1, 2])
        },
        ConformanceCase(
            "expressions.guarded", in: .expressions,
            "what cannot fail is tested first, whatever the order and the index"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, integer: 0, double: 1), Sample(id: 2, integer: 4, double: 2),
                Sample(id: 3, integer: 5, double: 3), Sample(id: 4, integer: .max, double: 4),
            ])
            try trial.read { snapshot in
                func expect(_ text: String, _ keys: [Int64]) throws {
                    try snapshot.expectTwins(try Sample.where(text), keys)
                }
                try expect("integer != 0 AND 8 / integer == 2", [2])
                try expect("8 / integer == 2 AND integer != 0", [2])
                try expect("8 / integer == 2 OR integer == 0", [1, 2])
                try expect("integer != 0 AND (8 / integer == 2 OR double == 3)", [2, 3])
                try expect("NOT ((integer == 0 OR 8 / integer == 2) AND double < 4)", [3, 4])
                try expect("(integer == 4 OR double == 3) AND 8 / integer == 2", [2])
                try expect("(integer == 0 AND double == 1) OR 8 / integer == 2", [1, 2])
                // Of those that can fail the first decides.
                try expect("integer < 100 AND integer / 5 == 1 AND 8 / (integer / 5) == 8", [3])
                try expect("integer < 100 AND integer + 1 > 4 AND 8 / integer != 2", [3])
                for text in [
                    "id != 2 AND 8 / integer == 1", "id == 2 OR 8 / integer == 1", "integer + 1 > 4 AND id > 0",
                ] {
                    let query = try Sample.where(text)
                    try expectError(.overflow) { try snapshot.fetch(query).count }
                    try expectError(.overflow) { try snapshot.count(query.indexed) }
                }
            }
        },
        ConformanceCase(
            "expressions.guarded-related", in: .expressions,
            "what can fail is tested of the records that are related, and of no others; pages too"
        ) { trial in
            try trial.open(SuiteSchema.shop)
            try trial.write { tx in
                try tx.insert([Artist(id: 1), Artist(id: 2)])
                try tx.insert([Album(id: 1, artist: Ref(1), year: 4), Album(id: 2, artist: Ref(2), year: 0)])
                try tx.insert([
                    Song(id: 1, title: "x", album: Ref(1), seconds: 8),
                    Song(id: 2, title: "x", album: Ref(2), seconds: 0),
                    Song(id: 3, title: "y", album: Ref(1), seconds: 2),
                ])
            }
            try trial.read { snapshot in
                func keys<R: Record>(_ query: Query<R>) throws -> [R.Key] { try snapshot.fetch(query).map(\.id) }
                try expectEqual(
                    try keys(try Album.where("year > 0 AND ANY songs (title == 'x' AND 8 / seconds == 1)")), [1])
                try expectEqual(
                    try keys(try Song.where("seconds > 0 AND album.artist.id == 1 AND 8 / album.year == 2")), [1, 3])
                try expectError(.overflow) {
                    try keys(try Album.where("ANY songs (title == 'x' AND 8 / seconds == 1)"))
                }
                let query = try Song.where("album.id == 1 AND 8 / seconds > 0").sorted(by: \.title)
                let first = try query.page(in: snapshot, size: 1)
                let second = try first.end.map { try query.page(in: snapshot, after: $0, size: 1) }
                try expectEqual([first.records.map(\.id), second?.records.map(\.id)], [[1], [3]])
            }
        },
        ConformanceCase("expressions.doubles", in: .expressions, "doubles compute as IEEE 754 has them") { trial in
            let shop = try Shop(trial)
            try shop.songs([1, 4]) { $0.score * 2 == 3 }
            try shop.songs([5]) { $0.score / 2 < 0 }
            try shop.songs([5]) { $0.score % 1 == -0.25 }
            try shop.songs([3]) { $0.score - 0.5 == 2 }
            try shop.songs([1, 3, 4, 5]) { $0.score + $0.score == $0.score * 2 && $0.score != nil }
        },
        ConformanceCase("expressions.not-a-number", in: .expressions, "a double that would be no number is an error") {
            trial in
            try trial.insertTwins([Sample(id: 1, double: .infinity), Sample(id: 2, double: 1e308)])
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.double * 10 == .infinity }, [1, 2])
                try snapshot.expectTwins(Sample.where { $0.double - 1e308 == 0 }, [2])
                for query in [Sample.where { $0.double - $0.double == 0 }, Sample.where { $0.double * 0 == 0 }] {
                    try expectError(.range) { try snapshot.fetch(query).count }
                    try expectError(.range) { try snapshot.count(query.indexed) }
                }
            }
        },
        ConformanceCase("expressions.decimals", in: .expressions, "decimals compute exactly, as far as 38 digits go") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 4]) { $0.price + Boundaries.decimal("0.01") == 1 }
            try shop.songs([1, 4]) { $0.price * 2 == Boundaries.decimal("1.98") }
            try shop.songs([5]) { $0.price / 2 == 1 }
            try shop.songs([3]) { $0.price % 1 == Boundaries.decimal("0.29") }
            try shop.songs([1, 4]) { $0.price / 3 == Boundaries.decimal("0.33") }
            try shop.songs([5]) { $0.price / 3 == Boundaries.decimal("0.66666666666666666666666666666666666667") }
            try shop.songs([1, 3, 4]) { $0.price * $0.price < 2 }
            try shop.expectFailure(
                .range, of: Song.where { $0.price + Boundaries.decimal("99999999999999999999999999999999999999") > 0 })
        },
        ConformanceCase("expressions.scaled", in: .expressions, "scaled decimals are added, and multiplied by integers")
        {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 4]) { $0.cents + Shop.cents("0.01") == Shop.cents("1") }
            try shop.songs([2]) { $0.cents - $0.cents == Shop.cents("0") && $0.cents == Shop.cents("1.5") }
            let tripled = AnyExpression.arithmetic(.attribute("cents"), .multiply, .attribute("seconds"))
            try shop.songs([1, 4]) { _ in Condition(.relation(tripled, .equal, .value(.integer(9900)))) }
            try shop.songs([2]) { $0.cents * 2 == Shop.cents("3") }
            for operation in [ArithmeticOperator.multiply, .divide] {
                let made = AnyExpression.arithmetic(.attribute("cents"), operation, .attribute("cents"))
                try shop.songs([1, 2, 4, 5]) { _ in Condition(.relation(made, .greater, .value(.integer(0)))) }
            }
        },
    ]
}

private var mixedExpressionsCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.nil", in: .expressions, "an expression of nil is nil, and compares as nil does") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([3, 6]) { $0.seconds + 1 == nil }
            try shop.songs([1, 2, 4, 5]) { $0.seconds * 2 != nil }
            try shop.songs([2, 3, 5, 6]) { $0.seconds + 1 != 101 }
            try shop.songs([1, 2, 4]) { $0.seconds + 1 < 250 }
            try shop.songs([3, 5, 6]) { !($0.seconds + 1 < 250) }
            try shop.songs([1, 3, 4, 6]) { song in (song.seconds + 1).in([nil, 101]) }
            try shop.songs([2, 5]) { song in !(song.seconds + 1).in([nil, 101]) }
            try shop.songs([2, 3, 6]) { $0.seconds.asDouble + $0.score == nil }
        },
        ConformanceCase("expressions.if-nil", in: .expressions, "a value stands in for nil") { trial in
            let shop = try Shop(trial)
            try shop.songs([3, 6]) { ($0.seconds ?? 0) == 0 }
            try shop.songs([1, 3, 4, 6]) { ($0.seconds ?? 100) == 100 }
            try shop.songs([4, 6]) { ($0.genre.label ?? "none") == "none" }
            try shop.songs([1, 2, 4, 6]) { !(($0.genre.label ?? "Rock") == "Jazz") }
            try shop.songs([1, 4, 5]) { ($0.score ?? 2) < 2 }
            let either = AnyExpression.ifNil(.attribute("seconds"), .attribute("album.year"))
            try shop.songs([3, 6]) { _ in Condition(.relation(either, .greater, .value(.integer(1000)))) }
            let neither = AnyExpression.ifNil(.attribute("genre.label"), .attribute("album.artist.genre.label"))
            try shop.songs([1, 2, 4]) { _ in Condition(.relation(neither, .equal, .value(.string("Rock")))) }
        },
        ConformanceCase("expressions.fields", in: .expressions, "an attribute compares with another, nil with nil") {
            trial in
            try trial.insertTwins([
                Sample(id: 1, int8: 1, integer: 1), Sample(id: 2, int8: 2, integer: 1), Sample(id: 3, integer: 1),
                Sample(id: 4, int8: 1), Sample(id: 5), Sample(id: 6, int8: -1, integer: 1),
            ])
            func samples(_ comparison: Comparison) -> Query<Sample> {
                Sample.where { _ in Condition(.relation(.attribute("int8"), comparison, .attribute("integer"))) }
            }
            try trial.read { snapshot in
                try snapshot.expectTwins(samples(.equal), [1, 5])
                try snapshot.expectTwins(samples(.notEqual), [2, 3, 4, 6])
                try snapshot.expectTwins(samples(.less), [6])
                try snapshot.expectTwins(samples(.lessOrEqual), [1, 6])
                try snapshot.expectTwins(samples(.greater), [2])
                try snapshot.expectTwins(samples(.greaterOrEqual), [1, 2])
                for comparison in Comparison.allCases {
                    let query = Sample.where { _ in
                        !Condition(.relation(.attribute("int8"), comparison, .attribute("integer")))
                    }
                    let rest = try snapshot.fetch(samples(comparison)).map(\.id)
                    try snapshot.expectTwins(query, [1, 2, 3, 4, 5, 6].filter { !rest.contains($0) })
                }
            }
        },
        ConformanceCase(
            "expressions.mixed-numbers", in: .expressions, "an integer attribute compares with a double exactly"
        ) {
            trial in
            let odd = Int64(1) << 53 + 1
            try trial.insertTwins([
                Sample(id: 1, integer: odd, double: 0x1p53), Sample(id: 2, integer: odd - 1, double: 0x1p53),
                Sample(id: 3, integer: .max, double: 0x1p63), Sample(id: 4, integer: 2, double: 2.5),
                Sample(id: 5, integer: -2, double: -2.5), Sample(id: 6, integer: 3, double: -.infinity),
            ])
            func samples(_ comparison: Comparison) -> Query<Sample> {
                Sample.where { _ in Condition(.relation(.attribute("integer"), comparison, .attribute("double"))) }
            }
            try trial.read { snapshot in
                try snapshot.expectTwins(samples(.equal), [2])
                try snapshot.expectTwins(samples(.less), [3, 4])
                try snapshot.expectTwins(samples(.greater), [1, 5, 6])
                try snapshot.expectTwins(Sample.where { $0.integer.asDouble == $0.double }, [1, 2, 3])
            }
        },
        ConformanceCase(
            "expressions.listed", in: .expressions, "an expression is one of values and of other expressions"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 4, 5]) { song in (song.seconds / 100).in([1, 3]) }
            try shop.songs([3, 6]) { song in (song.seconds / 100).in([nil, 7]) }
            try shop.songs([]) { song in (song.seconds / 100).in([]) }
            let listed = AnyCondition.listed(
                .attribute("genre.label"), [.attribute("album.artist.genre.label"), .value(.null)])
            try shop.songs([1, 2, 4, 5, 6]) { _ in Condition(listed) }
            let sums = AnyCondition.listed(
                .arithmetic(.attribute("seconds"), .multiply, .value(.integer(2))),
                [.value(.integer(200)), .arithmetic(.attribute("seconds"), .add, .value(.integer(300)))])
            try shop.songs([1, 3, 4, 5, 6]) { _ in Condition(sums) }
        },
        ConformanceCase(
            "expressions.length", in: .expressions, "text has as many scalars, data as many bytes, as it has"
        ) {
            trial in
            let texts = ["", "abc", "e\u{301}", "\u{E9}", "\u{1F600}\u{1F600}", "a\0b", "\u{65E5}\u{672C}\u{8A9E}"]
            try trial.insertTwins(
                texts.enumerated().map { Sample(id: Int64($0), text: $1, data: Data($1.utf8)) } + [Sample(id: 7)])
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.text.length == 0 }, [0])
                try snapshot.expectTwins(Sample.where { $0.text.length == 1 }, [3])
                try snapshot.expectTwins(Sample.where { $0.text.length == 2 }, [2, 4])
                try snapshot.expectTwins(Sample.where { $0.text.length == 3 }, [1, 5, 6])
                try snapshot.expectTwins(Sample.where { $0.text.length == nil }, [7])
                let bytes = AnyExpression.function(.length, .attribute("data"))
                try snapshot.expectTwins(
                    Sample.where { _ in Condition(.relation(bytes, .greater, .value(.integer(3)))) }, [4, 6])
            }
        },
    ]
}
