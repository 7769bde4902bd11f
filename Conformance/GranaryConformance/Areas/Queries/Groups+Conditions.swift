import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var conditionalAggregatesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "groups.conditional", in: .groups, "an aggregate is of the records of a group that meet its condition"
        ) { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let rows = try snapshot.fetch(
                    Song.all.grouped(by: { $0.genre }).select {
                        (
                            Song.recordCount, $0.id.where { $0.isLive }.count, $0.seconds.where { !$0.isLive }.sum,
                            $0.seconds.where { $0.isLive }.average, $0.title.where { !$0.isLive }.minimum,
                            $0.seconds.where { $0.score > 0 }.count
                        )
                    })
                try expectEqual(rows.map(\.0), [2, 2, 2])
                try expectEqual(rows.map(\.1), [1, 1, 0])
                try expectEqual(rows.map(\.2), [0, 100, 300])
                try expectEqual(rows.map(\.3), [100, 200, nil])
                try expectEqual(rows.map(\.4), ["Fog", "Able", "Cloud"])
                try expectEqual(rows.map(\.5), [1, 1, 0])
                let ada = try snapshot.fetch(
                    Song.all.grouped(by: { $0.genre.label })
                        .having { $0.id.where { $0.isLive }.count > 0 }
                        .select { ($0.genre.label, $0.id.where { $0.album.artist.label == "Ada" }.count) }
                        .sorted(by: { $0.seconds.where { $0.isLive }.maximum }, .descending))
                try expectEqual(ada.map(\.0), ["Rock", nil])
                try expectEqual(ada.map(\.1), [2, 1])
                let (different, dear, none, playlists) = try Song.all.select {
                    (
                        $0.seconds.where { $0.score != nil }.distinctCount, $0.price.where { $0.price > 1 }.sum,
                        $0.seconds.where { $0.title == "none" }.maximum, $0.id.where { !$0.playlists.isEmpty }.count
                    )
                }.aggregate(in: snapshot)
                try expectEqual(different, 2)
                try expectEqual(dear, Boundaries.decimal("3.29"))
                try expectEqual(none, nil)
                try expectEqual(playlists, 5)
                let named = try snapshot.fetch(
                    Request("Song").grouped(by: [.attribute("genre")]).select([
                        .aggregate(.sum, of: .attribute("seconds"), where: try AnyCondition(parsing: "isLive == NO"))
                    ]))
                try expectEqual(named, [[.integer(0)], [.integer(100)], [.integer(300)]])
            }
        },
        ConformanceCase(
            "groups.conditional-of-nothing", in: .groups,
            "of no records a conditional count and sum are 0, and a mistake in a condition is told all the same"
        ) { trial in
            let shop = try Shop(trial, filled: false)
            try shop.read { snapshot in
                let (count, sum, least) = try Song.all.select {
                    (
                        $0.id.where { $0.isLive }.count, $0.seconds.where { $0.isLive }.sum,
                        $0.title.where { $0.isLive }.minimum
                    )
                }.aggregate(in: snapshot)
                try expectEqual(count, 0)
                try expectEqual(sum, 0)
                try expectEqual(least, nil)
                try expectError(.invalidQuery) {
                    try Song.all.select { $0.id.where { $0.title.matches("(") }.count }.aggregate(in: snapshot)
                }
                try expectError(.unknownAttribute, entity: "Song") {
                    try snapshot.fetch(
                        Request("Song").grouped(by: []).select([
                            .aggregate(.count, where: try AnyCondition(parsing: "nothing == 1"))
                        ])
                    ).count
                }
            }
        },
        ConformanceCase(
            "paths.aggregates-where", in: .paths,
            "an aggregate of a relationship is of the records that meet its condition"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.sum(\.seconds) { $0.isLive } == 200 }, [1])
            try shop.expect(Album.where { $0.songs.maximum(\.title) { $0.score != nil } == "Cloud" }, [1])
            try shop.expect(Album.where { $0.songs.minimum(\.seconds) { $0.isLive } == nil }, [3, 4])
            try shop.expect(Album.where { $0.songs.average(\.seconds) { !$0.isLive } == 100 }, [1])
        },
    ]
}
