import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var dateExpressionsCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.date-parts", in: .expressions, "dates have years, months and days, in UTC") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1]) { $0.released.year == 1967 }
            try shop.songs([1, 3]) { $0.released.year.in(1960...1969) }
            try shop.songs([3]) { $0.released.month == 2 && $0.released.day == 29 }
            try shop.songs([4]) { $0.released.day == 1 }
            try shop.songs([1, 3, 4, 5]) { $0.released.hour == 0 && $0.released.minute == 0 && $0.released.second == 0 }
            try shop.songs([4, 5]) { $0.released.weekday == 1 }
            try shop.songs([2, 6]) { $0.released.year == nil }
            try shop.songs([1, 2, 3, 5, 6]) { $0.released.year != 2001 }
            try shop.songs([3]) { $0.released.component(.dayOfYear) == 60 }
            try shop.songs([1]) { $0.released.component(.quarter) == 2 }
        },
        ConformanceCase("expressions.date-offset", in: .expressions, "a part of a date at an offset from UTC") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([4]) { $0.released.component(.year, offset: -1) == 2000 }
            try shop.songs([4]) { $0.released.component(.day, offset: -3600) == 31 }
            try shop.songs([1, 3, 4, 5]) { $0.released.component(.hour, offset: 7200) == 2 }
            try shop.songs([3]) { $0.released.component(.month, offset: 86_400) == 3 }
        },
        ConformanceCase(
            "expressions.date-edges", in: .expressions, "parts of dates before 1970 and 2001, with fractions"
        ) {
            trial in
            let seconds: [Double] = [
                -0.5, 0, 86_399.999, 86_400, -978_307_200, -978_307_200.25, -62_135_769_600 - 978_307_200,
            ]
            try trial.insertTwins(
                seconds.enumerated().map {
                    Sample(id: Int64($0), date: Date(timeIntervalSinceReferenceDate: $1))
                } + [Sample(id: 7, date: Date(timeIntervalSinceReferenceDate: 1e300))])
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.date.year == 2000 }, [0])
                try snapshot.expectTwins(Sample.where { $0.date.second == 59 }, [0, 2, 5])
                try snapshot.expectTwins(Sample.where { $0.date.day == 2 }, [3])
                try snapshot.expectTwins(Sample.where { $0.date.year == 1970 }, [4])
                try snapshot.expectTwins(Sample.where { $0.date.year == 1969 }, [5])
                try snapshot.expectTwins(Sample.where { $0.date.year < 1 }, [6])
                try snapshot.expectTwins(Sample.where { $0.date.year == nil }, [7])
            }
        },
        ConformanceCase(
            "expressions.date-distance", in: .expressions, "seconds between dates, and dates moved by seconds"
        ) {
            trial in
            let shop = try Shop(trial)
            func moved(_ seconds: StoredValue) -> AnyExpression {
                .arithmetic(.attribute("released"), .add, .value(seconds))
            }
            let start = AnyExpression.value(.real(0))
            try shop.songs([1, 3, 4, 5]) { _ in Condition(.relation(moved(.integer(-1)), .less, start)) }
            try shop.songs([4]) { _ in Condition(.relation(moved(.integer(0)), .equal, start)) }
            try shop.songs([1, 3, 4, 5]) { $0.released.seconds(since: $0.released) == 0 }
            let since = AnyExpression.arithmetic(.attribute("released"), .subtract, .attribute("released"))
            try shop.songs([2, 6]) { _ in Condition(.relation(since, .equal, .value(.null))) }
            try shop.expectFailure(
                .typeMismatch,
                of: Song.where { _ in
                    Condition(
                        .relation(
                            .arithmetic(.attribute("released"), .add, .attribute("released")), .equal, .value(.null)))
                })
        },
    ]
}

var jsonExpressionsCases: [ConformanceCase] {
    [
        ConformanceCase("expressions.json", in: .expressions, "values inside JSON are found by their path and type") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1]) { $0.info.value(at: "tempo", as: Int.self) == 70 }
            try shop.songs([1, 4]) { $0.info.value(at: "tempo", as: Int.self) > 50 }
            try shop.songs([2, 3, 5, 6]) { $0.info.value(at: "tempo", as: Int.self) == nil }
            try shop.songs([3]) { $0.info.value(at: "mood", as: String.self) == "wild" }
            try shop.songs([1]) { $0.info.value(at: "tags[0]", as: String.self) == "a" }
            try shop.songs([1]) { $0.info.value(at: "tags[1]", as: String.self) == "b" }
            try shop.songs([]) { $0.info.value(at: "tags[2]", as: String.self) != nil }
            try shop.songs([4]) { $0.info.value(at: "isLoud", as: Bool.self) == true }
            try shop.songs([3]) { $0.info.value(at: "gain", as: Double.self) == 0.5 }
            try shop.songs([1, 4]) { $0.info.value(at: "tempo", as: Double.self) >= 70 }
        },
        ConformanceCase("expressions.json-kinds", in: .expressions, "a value inside JSON of another type is nil") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([]) { $0.info.value(at: "tempo", as: String.self) != nil }
            try shop.songs([]) { $0.info.value(at: "mood", as: Int.self) != nil }
            try shop.songs([]) { $0.info.value(at: "tags", as: String.self) != nil }
            try shop.songs([]) { $0.info.value(at: "gain", as: Int.self) != nil }
            try shop.songs([]) { $0.info.value(at: "tempo.x", as: Int.self) != nil }
            try shop.songs([]) { $0.info.value(at: "\"tempo \"", as: Int.self) != nil }
        },
        ConformanceCase(
            "expressions.json-combined", in: .expressions, "values inside JSON are computed with and searched"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1]) { $0.info.value(at: "tempo", as: Int.self) + 30 == 100 }
            try shop.songs([1, 3]) { $0.info.value(at: "mood", as: String.self).contains("l") }
            try shop.songs([3]) { $0.info.value(at: "mood", as: String.self).hasPrefix("W", .caseInsensitive) }
            try shop.songs([1, 4]) { ($0.info.value(at: "tempo", as: Int.self) ?? 0) > 0 }
            try shop.expect(Album.where { $0.songs.contains { $0.info.value(at: "tempo", as: Int.self) == 120 } }, [2])
            try shop.expect(Album.where { $0.songs.sum { $0.info.value(at: "tempo", as: Int.self) } == 70 }, [1])
        },
    ]
}

var wrongExpressionsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "expressions.wrong-kinds", in: .expressions, "operations of values of the wrong kind are mismatches"
        ) {
            trial in
            let shop = try Shop(trial)
            func path(_ label: String) -> AnyExpression { .attribute(label) }
            let wrong: [AnyExpression] = [
                .arithmetic(path("title"), .add, path("title")), .arithmetic(path("score"), .add, path("price")),
                .arithmetic(path("isLive"), .multiply, path("seconds")), .function(.length, path("seconds")),
                .function(.folded(.caseInsensitive), path("score")),
                .function(.date(.year, offset: 0), path("seconds")),
                .function(.real, path("title")), .ifNil(path("seconds"), path("title")),
                .ifNil(path("seconds"), path("score")),
            ]
            for expression in wrong {
                try shop.expectFailure(
                    .typeMismatch, entity: "Song",
                    of: Song.where { _ in Condition(.relation(expression, .equal, path("id"))) })
                try shop.expectFailure(
                    .typeMismatch, entity: "Song", of: Song.sorted(by: { _ in Computed<Song, Int>(expression) }))
            }
        },
        ConformanceCase("expressions.wrong-comparison", in: .expressions, "expressions of two kinds do not compare") {
            trial in
            let shop = try Shop(trial)
            for (left, right) in [
                ("title", "seconds"), ("released", "score"), ("price", "score"), ("cents", "score"),
                ("isLive", "seconds"),
            ] {
                let condition = AnyCondition.relation(.attribute(left), .equal, .attribute(right))
                try shop.expectFailure(.typeMismatch, entity: "Song", of: Song.where { _ in Condition(condition) })
            }
            let text = AnyCondition.text(.attribute("seconds"), TextMatch(.contains, "1"))
            try shop.expectFailure(.typeMismatch, entity: "Song", of: Song.where { _ in Condition(text) })
            let listed = AnyCondition.listed(
                .arithmetic(.attribute("seconds"), .add, .value(.integer(1))), [.value(.string("1"))])
            try shop.expectFailure(.typeMismatch, entity: "Song", of: Song.where { _ in Condition(listed) })
        },
        ConformanceCase("expressions.unknown", in: .expressions, "names inside expressions are checked, used or not") {
            trial in
            let shop = try Shop(trial, filled: false)
            let unknown = AnyExpression.arithmetic(.attribute("nothing"), .add, .value(.integer(1)))
            let condition = AnyCondition.relation(unknown, .equal, .value(.integer(1)))
            for condition in [
                condition, .not(condition), .any([.always(true), condition]), .all([.always(false), condition]),
            ] {
                try shop.expectFailure(
                    .unknownAttribute, entity: "Song", attributes: ["nothing"],
                    of: Song.where { _ in Condition(condition) }
                )
            }
            try shop.expectFailure(
                .unknownAttribute, entity: "Album", attributes: ["nothing"], of: Song.sorted(by: "-album.nothing"))
            try shop.expectFailure(.invalidQuery, of: Song.where { $0.info.value(at: "a..b", as: Int.self) == 1 })
            try shop.expectFailure(.invalidQuery, of: Song.where { $0.title.matches("(") })
        },
        ConformanceCase(
            "expressions.limits", in: .expressions, "expressions are as deep and lists as long as the limits say"
        ) {
            trial in
            let shop = try Shop(trial)
            func nested(_ depth: Int) -> AnyCondition {
                var expression = AnyExpression.attribute("seconds")
                for _ in 1..<depth { expression = .arithmetic(expression, .add, .value(.integer(1))) }
                return .relation(expression, .equal, .value(.integer(199)))
            }
            try shop.songs([1, 4]) { _ in Condition(.relation(.attribute("seconds"), .equal, .value(.integer(100)))) }
            try shop.songs([]) { _ in Condition(nested(90)) }
            try shop.expectFailure(.invalidQuery, of: Song.where { _ in Condition(nested(101)) })
            let seconds = AnyExpression.arithmetic(.attribute("seconds"), .add, .value(.integer(0)))
            func listed(_ count: Int64) -> AnyCondition {
                .listed(seconds, (0..<count).map { .value(.integer($0)) })
            }
            try shop.songs([1, 2, 4, 5]) { _ in Condition(listed(10_000)) }
            try shop.expectFailure(.invalidQuery, of: Song.where { _ in Condition(listed(100_001)) })
        },
    ]
}
