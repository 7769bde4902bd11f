import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var projectionsCases: [ConformanceCase] {
    [
        ConformanceCase("projections.tuples", in: .projections, "chosen values come as tuples, in the query's order") {
            trial in
            let shop = try Shop(trial)
            let chosen = Song.where { $0.id != 3 }.sorted(by: { $0.title }, .descending).select {
                ($0.title, $0.seconds)
            }
            try shop.read { snapshot in
                let rows = try snapshot.fetch(chosen)
                try expectEqual(rows.map(\.0), ["Fog", "Echo", "Dawn", "Bell", "Able"])
                try expectEqual(rows.map(\.1), [nil, 300, 100, 200, 100])
                try expectEqual(try snapshot.count(chosen), 5)
                let first = try snapshot.first(chosen)
                try expectEqual(first?.0, "Fog")
                let titles = try chosen.fetch(in: snapshot, as: { title, _ in title })
                try expectEqual(titles, rows.map(\.0))
            }
        },
        ConformanceCase(
            "projections.whole", in: .projections,
            "all attributes chosen and the records themselves are asked for in turn"
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "a"), Shelf(id: 2, name: "b")])
            let chosen = Shelf.all.select { ($0.id, $0.name) }
            try trial.read { snapshot in
                for _ in 0..<2 {
                    try expectEqual(try snapshot.fetch(chosen).map(\.1), ["a", "b"])
                    try expectEqual(try snapshot.fetch(Shelf.all), [Shelf(id: 1, name: "a"), Shelf(id: 2, name: "b")])
                }
                let keys = try snapshot.fetch(Shelf.all.select { $0.id })
                try expectEqual(keys.map(\.self), [1, 2])
                try expectEqual(try Shelf.all.sample(count: 2, in: snapshot).count, 2)
            }
        },
        ConformanceCase("projections.kinds", in: .projections, "values of every kind come back as they were stored") {
            trial in
            let shop = try Shop(trial)
            let chosen = Song.where { $0.id.in([1, 6]) }.select {
                ($0.id, $0.genre, $0.score, $0.isLive, $0.released, $0.price, $0.cents)
            }
            try shop.read { snapshot in
                let rows = try snapshot.fetch(chosen)
                try expectEqual(rows.map(\.0), [1, 6])
                try expectEqual(rows.map(\.1), [Ref(1), nil])
                try expectEqual(rows.map(\.2), [1.5, nil])
                try expectEqual(rows.map(\.3), [false, nil])
                try expectEqual(rows.map(\.4), [Shop.date(1967, 5, 12), nil])
                try expectEqual(rows.map(\.5), [Boundaries.decimal("0.99"), nil])
                try expectEqual(rows.map(\.6), [Shop.cents("0.99"), nil])
            }
        },
        ConformanceCase(
            "projections.paths", in: .projections, "values at the end of paths, nil where they lead nowhere"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let rows = try snapshot.fetch(Song.all.select { ($0.id, $0.genre.label, $0.album.artist.label) })
                try expectEqual(rows.map(\.1), ["Rock", "Rock", "Jazz", nil, "Jazz", nil])
                try expectEqual(rows.map(\.2), ["Ada", "Ada", "Ada", "Ada", "Bo", "Bo"])
                let mentors = try snapshot.fetch(
                    Artist.all.select { ($0.label, $0.mentor.label, $0.mentor.mentor.label) })
                try expectEqual(mentors.map(\.1), ["Bo", nil, "Ada", nil])
                try expectEqual(mentors.map(\.2), [nil, nil, "Bo", nil])
            }
        },
        ConformanceCase("projections.expressions", in: .projections, "computed values are chosen as attributes are") {
            trial in
            let shop = try Shop(trial)
            let chosen = Song.all.select { ($0.seconds * 2, $0.title.length, $0.released.year, $0.seconds ?? -1) }
            try shop.read { snapshot in
                let rows = try snapshot.fetch(chosen)
                try expectEqual(rows.map(\.0), [200, 400, nil, 200, 600, nil])
                try expectEqual(rows.map(\.1), [4, 4, 5, 4, 4, 3])
                try expectEqual(rows.map(\.2), [1967, nil, 1968, 2001, 1959, nil])
                try expectEqual(rows.map(\.3), [100, 200, -1, 100, 300, -1])
            }
            let albums = Album.all.select {
                ($0.songs.count, $0.songs.sum { $0.seconds }, $0.songs.maximum { $0.title })
            }
            try shop.read { snapshot in
                let rows = try snapshot.fetch(albums)
                try expectEqual(rows.map(\.0), [3, 1, 2, 0])
                try expectEqual(rows.map { Int($0.1) }, [300, 100, 300, 0])
                try expectEqual(rows.map(\.2), ["Cloud", "Dawn", "Fog", nil])
            }
        },
        ConformanceCase("projections.cut", in: .projections, "a limit and an offset cut what is chosen") { trial in
            let shop = try Shop(trial)
            let byTitle = Song.sorted(by: { $0.title })
            try shop.read { snapshot in
                try expectEqual(
                    try snapshot.fetch(byTitle.limit(2).select { ($0.title, $0.id) }).map(\.0), ["Able", "Bell"])
                try expectEqual(
                    try snapshot.fetch(byTitle.offset(4).select { ($0.title, $0.id) }).map { Int($0.1) }, [5, 6])
                try expectEqual(
                    try snapshot.fetch(byTitle.offset(1).limit(1).select { ($0.title, $0.id) }).map(\.0), ["Bell"])
                try expectEqual(try snapshot.fetch(byTitle.limit(0).select { ($0.title, $0.id) }).count, 0)
            }
        },
        ConformanceCase("projections.cut-chosen", in: .projections, "so do they when the values are chosen already") {
            trial in
            let shop = try Shop(trial)
            let titles = Song.sorted(by: { $0.title }, .descending).select(\.title)
            try shop.read { snapshot in
                try expectEqual(try snapshot.fetch(titles.limit(2)), ["Fog", "Echo"])
                try expectEqual(try snapshot.fetch(titles.offset(4)), ["Bell", "Able"])
                try expectEqual(try snapshot.fetch(titles.offset(1).limit(1)), ["Echo"])
                try expectEqual(try snapshot.count(titles.limit(4)), 4)
                let first: [Int64?] = try snapshot.fetch(Song.all.select(\.seconds).distinct().limit(2))
                try expectEqual(first, [nil, 100])
                let last: [Int64?] = try snapshot.fetch(Song.all.select(\.seconds).offset(2).distinct())
                try expectEqual(last, [200, 300])
                try expectError(.invalidQuery) { try snapshot.fetch(titles.limit(-1)) }
                try expectError(.invalidQuery) { try snapshot.fetch(titles.offset(-1)) }
            }
        },
        ConformanceCase("projections.order", in: .projections, "an order need not be among what is chosen") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let query = Song.sorted(by: { $0.seconds }, .descending, nils: .first).sorted(
                    by: { $0.title }, .descending)
                let keys: [Int64] = try snapshot.fetch(query.select { ($0.id, $0.title) }).map(\.0)
                try expectEqual(keys, [6, 3, 5, 2, 4, 1])
                let byArtist = Song.sorted(by: { $0.album.artist.label }, .descending)
                let titles: [String] = try snapshot.fetch(byArtist.select { ($0.title, $0.id) }).map(\.0)
                try expectEqual(titles, ["Fog", "Echo", "Dawn", "Cloud", "Bell", "Able"])
            }
        },
        ConformanceCase("projections.distinct", in: .projections, "equal rows are given once, nil being equal to nil") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all, select: [.attribute("seconds")], distinct: true,
                [try row(nil), try row(100), try row(200), try row(300)])
            try shop.expect(
                Song.all, select: [.attribute("genre"), .attribute("isLive")], distinct: true,
                [
                    try row(nil, nil), try row(nil, true), try row(1, false), try row(1, true), try row(2, nil),
                    try row(2, false),
                ])
            try shop.expect(
                Song.all, select: [.attribute("genre.label")], distinct: true,
                [try row(nil), try row("Jazz"), try row("Rock")])
            try shop.expect(
                Song.where { $0.seconds != nil }, select: [(Song.fields.seconds / 200).untyped], distinct: true,
                [try row(0), try row(1)])
            try shop.expect(
                Song.all, select: [.attribute("title")], distinct: true, try Shop.songs.map { try row($0.title) })
            try shop.read { snapshot in
                let years = Album.all.select { ($0.year, $0.price) }.distinct()
                try expectEqual(try snapshot.fetch(years).map(\.0), [nil, 1959, 1967])
                try expectEqual(try snapshot.count(years), 3)
            }
        },
        ConformanceCase("projections.distinct-order", in: .projections, "different rows are ordered by chosen values") {
            trial in
            let shop = try Shop(trial)
            let seconds = AnyExpression.attribute("seconds")
            try shop.expect(
                Song.sorted(by: { $0.seconds }, .descending), select: [seconds], distinct: true,
                [try row(300), try row(200), try row(100), try row(nil)])
            try shop.expect(
                Song.sorted(by: { $0.seconds }, nils: .last), select: [seconds], distinct: true,
                [try row(100), try row(200), try row(300), try row(nil)])
            try shop.expect(
                Song.sorted(by: { $0.isLive }, .descending), select: [.attribute("genre"), .attribute("isLive")],
                distinct: true,
                [
                    try row(nil, true), try row(1, true), try row(1, false), try row(2, false), try row(nil, nil),
                    try row(2, nil),
                ])
            try shop.read { snapshot in
                try expectError(.invalidQuery, entity: "Song") {
                    try snapshot.fetch(Song.sorted(by: { $0.title }).select { ($0.seconds, $0.genre) }.distinct()).count
                }
            }
        },
        ConformanceCase("projections.distinct-cut", in: .projections, "a limit and an offset count different rows") {
            trial in
            let shop = try Shop(trial)
            let seconds = AnyExpression.attribute("seconds")
            try shop.expect(Song.all.limit(2), select: [seconds], distinct: true, [try row(nil), try row(100)])
            try shop.expect(Song.all.offset(2), select: [seconds], distinct: true, [try row(200), try row(300)])
            try shop.expect(
                Song.sorted(by: { $0.seconds }, .descending).offset(1).limit(2), select: [seconds], distinct: true,
                [try row(200), try row(100)])
            try shop.expect(Song.all.offset(4), select: [seconds], distinct: true, [])
        },
        ConformanceCase("projections.wrong", in: .projections, "what cannot be chosen is an error") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                for (expression, code) in [
                    (AnyExpression.attribute("nothing"), GranaryError.Code.unknownAttribute),
                    (.attribute("genre.nothing"), .unknownAttribute), (.attribute("title.x"), .invalidQuery),
                    (.function(.length, .attribute("seconds")), .typeMismatch), (.aggregate(.count), .invalidQuery),
                ] {
                    let projection = Song.all.select { _ in Computed<Song, Int64?>(expression) }
                    try expectError(code) { try snapshot.fetch(projection).count }
                }
            }
        },
        ConformanceCase("projections.writes", in: .projections, "chosen values show what their transaction has written")
        {
            trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                try transaction.update(Genre(id: 1, label: "Pop"))
                try transaction.delete(Song.self, 3)
                let rows = try transaction.fetch(Song.all.select { ($0.id, $0.genre.label) })
                try expectEqual(rows.map(\.0), [1, 2, 4, 5, 6])
                try expectEqual(rows.map(\.1), ["Pop", "Pop", nil, "Jazz", nil])
            }
        },
    ]
}
