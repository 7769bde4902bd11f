import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var absoluteCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.absolute", in: .expressions, "a number has a distance from zero, nil has nil") {
            trial in
            let shop = try Shop(trial)
            func expect(
                _ text: String, _ keys: [Int64], line: Int = #line, _ typed: (Song.Fields) -> Condition<Song>
            ) throws {
                try shop.songs(keys, line: line, where: typed)
                try shop.expect(try Song.where(text), keys, line: line)
            }
            try expect("abs(seconds - 200) == 100", [1, 4, 5]) { ($0.seconds - 200).absoluteValue == 100 }
            try expect("abs(seconds - 200) == NIL", [3, 6]) { ($0.seconds - 200).absoluteValue == nil }
            try expect("abs(seconds - 200) IN {0, NIL}", [2, 3, 6]) { song in
                (song.seconds - 200).absoluteValue.in([0, nil])
            }
            try expect("abs(score) > 2", [3, 5]) { $0.score.absoluteValue > 2 }
            try expect("-abs(score) == -2.25", [5]) { -$0.score.absoluteValue == -2.25 }
            try expect("abs(price - 1.5) == 0.51", [1, 4]) {
                ($0.price - Boundaries.decimal("1.5")).absoluteValue == Boundaries.decimal("0.51")
            }
            try expect("abs(cents - 1.5) == 0.51", [1, 4]) {
                ($0.cents - Shop.cents("1.5")).absoluteValue == Shop.cents("0.51")
            }
            try expect("abs(length(title) - 4) == 1", [3, 6]) { ($0.title.length - 4).absoluteValue == 1 }
            try expect("abs(-playlists.@count) == 2", [2]) { (-$0.playlists.count).absoluteValue == 2 }
            try shop.expect(try Song.where("seconds == abs(-100)"), [1, 4])
            let distance = AnyExpression.arithmetic(.attribute("seconds"), .subtract, .value(.integer(200)))
            try shop.songs([1, 4, 5]) { _ in
                Condition(.relation(.function(.absolute, distance), .equal, .value(.integer(100))))
            }
            try shop.expect(Song.sorted(by: { ($0.seconds - 200).absoluteValue }), [3, 6, 2, 1, 4, 5])
            try shop.expect(Album.where { $0.songs.sum { $0.score.absoluteValue } == 2.25 }, [3])
            try shop.read { snapshot in
                let echo = Song.where { $0.id == 5 }
                try expectEqual(try snapshot.fetch(echo.select { ($0.seconds - 400).absoluteValue }), [100])
                try expectEqual(try snapshot.fetch(echo.select { $0.score.absoluteValue }), [2.25])
                try expectEqual(try snapshot.fetch(echo.select { ($0.price - 3).absoluteValue }), [1])
                try expectEqual(
                    try snapshot.fetch(echo.select { ($0.cents - Shop.cents("3")).absoluteValue }), [Shop.cents("1")])
                let genreGroups = Song.all.grouped(by: { $0.genre.label })
                try expectEqual(
                    try snapshot.fetch(
                        genreGroups.having { (-$0.seconds.sum).absoluteValue > 100 }.select {
                            ($0.genre.label, (-$0.seconds.sum).absoluteValue)
                        }
                    ).map(\.1), [300, 300])
                try expectEqual(try Song.all.maximum({ $0.score.absoluteValue }, in: snapshot), 2.5)
            }
            for label in ["title", "isLive", "released", "info"] {
                let wrong = AnyExpression.function(.absolute, .attribute(label))
                try shop.expectFailure(
                    .typeMismatch, entity: "Song", of: Song.sorted(by: { _ in Computed<Song, Int>(wrong) }))
            }
        },
        ConformanceCase(
            "expressions.absolute-ends", in: .expressions,
            "the least integer has no absolute value, infinities have one"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, integer: .max, double: -.infinity), Sample(id: 2, integer: .min, double: -1e-300),
                Sample(id: 3, int8: .min, integer: -5, uint8: 200, float: -0.1, double: 0),
            ])
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.id != 2 && $0.integer.absoluteValue >= 5 }, [1, 3])
                for query in [
                    Sample.where { $0.integer.absoluteValue > 0 }, Sample.sorted(by: { $0.integer.absoluteValue }),
                    try Sample.where("abs(integer) > 0"),
                ] {
                    let error = try expectError(.overflow) { try snapshot.fetch(query).count }
                    try expect(error.message.contains("\"abs\""), error.message)
                    try expectError(.overflow) { try snapshot.fetch(query.indexed).count }
                }
                try snapshot.expectTwins(Sample.where { $0.double.absoluteValue == .infinity }, [1])
                try snapshot.expectTwins(Sample.where { $0.double.absoluteValue == 1e-300 }, [2])
                try snapshot.expectTwins(try Sample.where("abs(int8) == 128"), [3])
                try snapshot.expectTwins(Sample.where { $0.uint8.absoluteValue == 200 }, [3])
                // A Float has one that is a Float.
                try snapshot.expectTwins(Sample.where { $0.float.absoluteValue == 0.1 }, [3])
                try snapshot.expectTwins(try Sample.where("abs(float) == 0.1"), [3])
                try snapshot.expectTwins(try Sample.where("abs(float * 1) == 0.1"), [3])
                try expectEqual(try snapshot.fetch(Sample.all.select { $0.float.absoluteValue }), [nil, nil, 0.1])
            }
            try trial.write { tx in
                try expectError(.overflow, entity: "Sample") {
                    try Sample.where { $0.integer.absoluteValue > 0 }.deleteAll(in: tx)
                }
                let five = Sample.where { $0.id != 2 && $0.integer.absoluteValue == 5 }
                try expectEqual(try five.updateAll(in: tx) { $0.set(\.mood, to: .sad) }, 1)
            }
            try expectEqual(try trial.keys(Sample.where { $0.mood == .sad }), [3])
        },
    ]
}
