import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

// The same questions by names and with types have the same answers.

var dynamicCases: [ConformanceCase] {
    [
        ConformanceCase("groups.by-name", in: .groups, "groups by names are those of the typed query") { trial in
            let shop = try Shop(trial)
            let typedGroups = Song.where { $0.title != "Fog" }.grouped(by: { ($0.genre.label, $0.isLive) })
            let typed = typedGroups.select {
                (
                    $0.genre.label, $0.isLive, $0.id.count, $0.seconds.sum, $0.score.average, $0.title.minimum,
                    $0.price.sum, $0.released.maximum, $0.album.distinctCount
                )
            }
            let query = Request("Song").where(try AnyCondition(parsing: "title != 'Fog'"))
            let grouping = AnyGrouping(
                by: [.attribute("genre.label"), .attribute("isLive")],
                columns: [
                    .attribute("genre.label"), .attribute("isLive"), .aggregate(.count),
                    .aggregate(.sum, of: .attribute("seconds")), .aggregate(.average, of: .attribute("score")),
                    .aggregate(.minimum, of: .attribute("title")), .aggregate(.sum, of: .attribute("price")),
                    .aggregate(.maximum, of: .attribute("released")),
                    .aggregate(.count, of: .attribute("album"), isDistinct: true),
                ])
            var ordered = grouping
            ordered.having = try AnyCondition(parsing: "@count >= 1 AND (genre.label != 'Rock' OR isLive == NO)")
            ordered.order = [
                Ordering(try AnyExpression(parsing: "@sum.seconds"), .descending),
                Ordering(attribute: "genre.label", direction: .descending, nils: .first),
            ]
            let orderedTyped = typedGroups.having {
                $0.id.count >= 1 && ($0.genre.label != "Rock" || $0.isLive == false)
            }.select {
                (
                    $0.genre.label, $0.isLive, $0.id.count, $0.seconds.sum, $0.score.average, $0.title.minimum,
                    $0.price.sum, $0.released.maximum, $0.album.distinctCount
                )
            }
            .sorted(by: { $0.seconds.sum }, .descending).sorted(by: { $0.genre.label }, .descending, nils: .first)
            try shop.read { snapshot in
                func rows(
                    _ typed: Request<Song, (String?, Bool?, Int, Int64, Double?, String?, Decimal, Date?, Int)>
                )
                    throws -> [[StoredValue]]
                {
                    try snapshot.fetch(typed).map {
                        try row($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7, $0.8)
                    }
                }
                try expectEqual(try query.grouped(as: grouping).fetch(in: snapshot), try rows(typed))
                try expectEqual(try query.grouped(as: grouping).fetch(in: snapshot).count, 5)
                try expectEqual(try query.grouped(as: ordered).fetch(in: snapshot), try rows(orderedTyped))
                try expectEqual(
                    try query.grouped(as: ordered).fetch(in: snapshot).map { $0[0] },
                    [.string("Jazz"), .null, .string("Rock"), .string("Jazz")])
                (ordered.limit, ordered.offset) = (2, 1)
                try expectEqual(
                    try query.grouped(as: ordered).fetch(in: snapshot), try rows(orderedTyped.limit(2).offset(1)))
                (ordered.limit, ordered.offset) = (nil, 0)
                // A limit of the query is taken before there are groups.
                try expectEqual(
                    try query.sorted(by: "-title").limit(2).grouped(as: grouping).fetch(in: snapshot).map { $0[2] },
                    [.integer(1), .integer(1)])
            }
        },
        ConformanceCase("aggregates.by-name", in: .aggregates, "aggregates by names are those of the typed query") {
            trial in
            let shop = try Shop(trial)
            let columns =
                try ["@count", "@sum.seconds", "@avg.cents", "@min.released", "@max(seconds * 2)"]
                .map { try AnyExpression(parsing: $0) } + [.aggregate(.count, of: .attribute("genre"))]
            try shop.read { snapshot in
                for query in [
                    Song.all, Song.where { $0.id > 99 }, Song.sorted(by: \.score).limit(3).offset(1),
                    Song.where { $0.playlists.contains { $0.label == "Mix" } },
                ] {
                    let (count, seconds, cents, released, most, genres) = try query.select {
                        (
                            $0.id.count, $0.seconds.sum, $0.cents.average, $0.released.minimum,
                            ($0.seconds * 2).maximum,
                            $0.genre.count
                        )
                    }.aggregate(in: snapshot)
                    try expectEqual(
                        try Request(recordsOf: query.untyped).grouped(as: AnyGrouping(by: [], columns: columns)).fetch(
                            in: snapshot),
                        [try row(count, seconds, cents, released, most, genres)])
                    try expectEqual(try snapshot.count(Request(recordsOf: query.untyped)), count)
                    try expectEqual(
                        try snapshot.fetch(Request(recordsOf: query.untyped)).map(\.key),
                        try snapshot.fetch(query).map { .integer($0.id) })
                }
            }
        },
        ConformanceCase(
            "groups.wrong-names", in: .groups, "names that are wrong, or mean nothing of a group, are errors"
        ) {
            trial in
            let shop = try Shop(trial)
            let count = AnyExpression.aggregate(.count)
            func expectWrong(
                _ code: GranaryError.Code, _ entity: String = "Song", by groups: [AnyExpression],
                _ columns: [AnyExpression],
                line: Int = #line, _ change: (inout AnyGrouping) -> Void = { _ in }
            ) throws {
                var grouping = AnyGrouping(by: groups, columns: columns)
                change(&grouping)
                try shop.read { snapshot in
                    try expectError(code, line: line) { try Request(entity).grouped(as: grouping).fetch(in: snapshot) }
                }
            }
            let title = AnyExpression.attribute("title")
            try expectWrong(.unknownEntity, "Sing", by: [], [count])
            try expectWrong(.unknownAttribute, by: [.attribute("titel")], [count])
            try expectWrong(.unknownAttribute, by: [title], [.aggregate(.sum, of: .attribute("plays"))])
            try expectWrong(.unknownAttribute, by: [.attribute("album.titel")], [count])
            try expectWrong(.invalidQuery, by: [title], [.attribute("seconds")])
            try expectWrong(.invalidQuery, by: [title], [.aggregate(.count, over: "playlists")])
            try expectWrong(.typeMismatch, by: [], [.aggregate(.sum, of: title)])
            try expectWrong(.typeMismatch, by: [], [.aggregate(.average, of: .attribute("isLive"))])
            try expectWrong(.invalidQuery, by: [title], [title]) { $0.limit = -1 }
            try expectWrong(.invalidQuery, by: [title], [title]) { $0.offset = -1 }
            try expectWrong(.invalidQuery, by: [title], [title]) {
                $0.having = .compare("seconds", .greater, .integer(1))
            }
            try expectWrong(.invalidQuery, by: [title], [title]) { $0.order = [Ordering(attribute: "seconds")] }
        },
    ]
}
