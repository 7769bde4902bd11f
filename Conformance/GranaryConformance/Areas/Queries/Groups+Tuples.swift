import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var groupedTuplesCases: [ConformanceCase] {
    [
        ConformanceCase("groups.tuples", in: .groups, "groups come as tuples, by their values where no order is given")
        {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let genres = try snapshot.fetch(
                    Song.all.grouped(by: { $0.genre }).select {
                        ($0.genre, $0.id.count, $0.seconds.sum, $0.title.minimum)
                    })
                try expectEqual(genres.map(\.0), [nil, Ref(1), Ref(2)])
                try expectEqual(genres.map(\.1), [2, 2, 2])
                try expectEqual(genres.map(\.2), [100, 300, 300])
                try expectEqual(genres.map(\.3), ["Dawn", "Able", "Cloud"])
                let years = try snapshot.fetch(
                    Song.all.grouped(by: { ($0.released.year, $0.isLive) }).select {
                        ($0.isLive, $0.released.year, $0.seconds.average)
                    })
                try expectEqual(years.map(\.1), [nil, nil, 1959, 1967, 1968, 2001])
                try expectEqual(years.map(\.0), [nil, true, false, false, nil, true])
                try expectEqual(years.map(\.2), [nil, 200, 300, 100, nil, 100])
            }
        },
        ConformanceCase("groups.having", in: .groups, "groups are kept by their values and their aggregates") { trial in
            let shop = try Shop(trial)
            let genreGroups = Song.all.grouped(by: { $0.genre.label })
            try shop.read { snapshot in
                func labels(_ grouped: Request<Song, (String?, Int)>) throws -> [String?] {
                    try snapshot.fetch(grouped).map(\.0)
                }
                try expectEqual(
                    try labels(genreGroups.having { $0.seconds.sum > 100 }.select { ($0.genre.label, $0.id.count) }),
                    ["Jazz", "Rock"])
                try expectEqual(
                    try labels(genreGroups.having { $0.seconds.sum == 100 }.select { ($0.genre.label, $0.id.count) }),
                    [nil])
                try expectEqual(
                    try labels(genreGroups.having { $0.score.average == nil }.select { ($0.genre.label, $0.id.count) }),
                    [])
                try expectEqual(
                    try labels(genreGroups.having { $0.score.minimum < 0 }.select { ($0.genre.label, $0.id.count) }),
                    ["Jazz"])
                try expectEqual(
                    try labels(genreGroups.having { $0.genre.label != nil }.select { ($0.genre.label, $0.id.count) }),
                    ["Jazz", "Rock"])
                try expectEqual(
                    try labels(
                        genreGroups.having { !($0.genre.label == "Rock") }.select { ($0.genre.label, $0.id.count) }),
                    [nil, "Jazz"])
                try expectEqual(
                    try labels(
                        genreGroups.having { $0.genre.label > "A" }.having { $0.price.sum < 2 }.select {
                            ($0.genre.label, $0.id.count)
                        }), ["Rock"])
                try expectEqual(
                    try labels(genreGroups.having { $0.id.count > 2 }.select { ($0.genre.label, $0.id.count) }), [])
            }
        },
        ConformanceCase("groups.order", in: .groups, "groups are ordered by values and aggregates") { trial in
            let shop = try Shop(trial)
            let albumGroups = Song.all.grouped(by: { $0.album })
            let albums = albumGroups.select { ($0.album, $0.id.count) }
            try shop.read { snapshot in
                func keys(_ grouped: Request<Song, (Ref<Album>, Int)>) throws -> [Int64] {
                    try snapshot.fetch(grouped).map(\.0.key)
                }
                try expectEqual(try keys(albums.sorted(by: { $0.id.count }, .descending)), [1, 3, 2])
                try expectEqual(try keys(albums.sorted(by: { $0.album }, .descending)), [3, 2, 1])
                try expectEqual(try keys(albums.sorted(by: { $0.score.sum })), [3, 2, 1])
                try expectEqual(
                    try keys(albums.sorted(by: { $0.seconds.sum }).sorted(by: { $0.id.count })), [2, 3, 1])
                try expectEqual(try keys(albums.sorted(by: { $0.genre.maximum }, .ascending, nils: .last)), [1, 3, 2])
                try expectEqual(try keys(albums.sorted(by: { $0.id.count }, .descending).limit(1)), [1])
                try expectEqual(try keys(albums.sorted(by: { $0.id.count }, .descending).offset(1).limit(5)), [3, 2])
                try expectEqual(try keys(albums.limit(0)), [])
                try expectEqual(
                    try keys(albumGroups.having { $0.id.count > 1 }.select { ($0.album, $0.id.count) }.limit(1)), [1])
            }
        },
        ConformanceCase("groups.record-count", in: .groups, "groups and queries have a number of records") { trial in
            let shop = try Shop(trial)
            let albumGroups = Song.all.grouped(by: { $0.album })
            let albums = albumGroups.select { ($0.album, Song.recordCount, $0.seconds.count) }
            try shop.read { snapshot in
                let rows = try snapshot.fetch(albums)
                try expectEqual(rows.map(\.1), [3, 1, 2])
                try expectEqual(rows.map(\.2), [2, 1, 1])
                try expectEqual(
                    try snapshot.fetch(
                        albumGroups.having { _ in Song.recordCount > 1 }.select {
                            ($0.album, Song.recordCount, $0.seconds.count)
                        }
                    ).map(\.0), [Ref(1), Ref(3)])
                let most = albums.sorted(by: { _ in Song.recordCount }, .descending)
                try expectEqual(try snapshot.fetch(most).map(\.0.key), [1, 3, 2])
                let (count, sum) = try Song.all.select { (Song.recordCount, $0.seconds.sum) }.aggregate(in: snapshot)
                try expectEqual([Int64(count), Int64(sum)], [6, 700])
                let (none, _) = try Song.where { _ in .never }.select { (Song.recordCount, $0.seconds.sum) }.aggregate(
                    in: snapshot)
                try expectEqual(none, 0)
            }
        },
        ConformanceCase("groups.computed", in: .groups, "what is selected may be computed from values and aggregates") {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let albums = try snapshot.fetch(
                    Song.all.grouped(by: { $0.album.title }).select {
                        ($0.album.title.folded(.caseInsensitive), $0.seconds.sum * 2, $0.score.minimum ?? 0)
                    })
                try expectEqual(albums.map(\.0), ["alpha", "beta", "gamma"])
                try expectEqual(albums.map(\.1), [600, 200, 600])
                try expectEqual(albums.map(\.2), [1.5, 1.5, -2.25])
                let none = try snapshot.fetch(
                    Song.where { _ in .never }.grouped(by: { $0.genre }).select { ($0.genre, $0.id.count) })
                try expectEqual(none.count, 0)
            }
        },
        ConformanceCase("groups.wrong", in: .groups, "a value that is neither a group's nor an aggregate is an error") {
            trial in
            let shop = try Shop(trial)
            let goodGroups = Song.all.grouped(by: { $0.genre })
            let good = goodGroups.select { ($0.genre, $0.id.count) }
            try shop.read { snapshot in
                try expectError(.invalidQuery) {
                    try snapshot.fetch(Song.all.grouped(by: { $0.genre }).select { ($0.genre, $0.title) }).count
                }
                try expectError(.invalidQuery) {
                    try snapshot.fetch(goodGroups.having { $0.title == "Able" }.select { ($0.genre, $0.id.count) })
                        .count
                }
                try expectError(.invalidQuery) { try snapshot.fetch(good.sorted(by: { $0.title })).count }
                try expectError(.invalidQuery) { try snapshot.fetch(good.limit(-1)).count }
                try expectEqual(try snapshot.fetch(good).count, 3)
            }
        },
        ConformanceCase("aggregates.tuples", in: .aggregates, "several aggregates come at once, as a tuple") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let (count, seconds, score, title) = try Song.all.select {
                    ($0.id.count, $0.seconds.sum, $0.score.average, $0.title.maximum)
                }.aggregate(in: snapshot)
                try expectEqual(count, 6)
                try expectEqual(seconds, 700)
                try expectEqual(score, 0.8125)
                try expectEqual(title, "Fog")
                let (different, none) = try Song.where { $0.seconds == 100 }.select {
                    ($0.score.distinctCount, $0.genre.label.maximum)
                }.aggregate(in: snapshot)
                try expectEqual(different, 1)
                try expectEqual(none, "Rock")
                try expectError(.invalidQuery) {
                    try Song.all.select { $0.seconds.sum }.distinct().aggregate(in: snapshot)
                }
                try expectError(.invalidQuery) { try Song.all.select { $0.seconds }.aggregate(in: snapshot) }
            }
        },
        ConformanceCase("aggregates.single", in: .aggregates, "one aggregate of a query, of nothing 0 or nil") {
            trial in
            let shop = try Shop(trial)
            let nothing = Song.where { $0.id > 100 }
            try shop.read { snapshot in
                try expectEqual(try Song.all.sum(\.seconds, in: snapshot), 700)
                try expectEqual(try Song.all.sum(\.price, in: snapshot), Boundaries.decimal("5.27"))
                try expectEqual(try Song.all.sum(\.cents, in: snapshot), Shop.cents("5.48"))
                try expectEqual(try Song.all.average(\.seconds, in: snapshot), 175)
                try expectEqual(try Song.all.average(\.cents, in: snapshot), Boundaries.decimal("1.37"))
                try expectEqual(try Song.all.minimum(\.released, in: snapshot), Shop.date(1959, 8, 17))
                try expectEqual(try Song.sorted(by: { $0.title }).limit(3).maximum(\.title, in: snapshot), "Cloud")
                try expectEqual(try nothing.sum(\.seconds, in: snapshot), 0)
                try expectEqual(try nothing.sum(\.price, in: snapshot), 0)
                try expectEqual(try nothing.average(\.score, in: snapshot), nil)
                try expectEqual(try nothing.maximum(\.title, in: snapshot), nil)
                try expectError(.typeMismatch) {
                    try Song.all.select { Computed<Song, Int>(titleSum($0)) }.aggregate(in: snapshot)
                }
            }
        },
        ConformanceCase(
            "aggregates.count-agrees", in: .aggregates, "the number of records agrees however it is asked for"
        ) { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                for query in [
                    Song.all, Song.where { $0.genre.label == "Jazz" }, Song.where { $0.playlists.isEmpty },
                    Song.all.limit(4),
                    Song.all.offset(5), Song.where { $0.seconds > 100 }.limit(1),
                ] {
                    let records = try snapshot.fetch(query).count
                    try expectEqual(try snapshot.count(query), records)
                    try expectEqual(try query.select { $0.id.count }.aggregate(in: snapshot), records)
                    try expectEqual(try MadeQuery(query, give: [.rows]).answer(snapshot), [try row(records)])
                }
            }
        },
    ]
}

private func titleSum(_ fields: Song.Fields) -> AnyExpression { .aggregate(.sum, of: fields.title.untyped) }
