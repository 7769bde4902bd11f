import ConformanceKit
import ConformanceModels
import GranaryCore

var pathAggregatesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "paths.aggregates", in: .paths, "a path may lead on to an aggregate over the records of a relationship"
        ) { trial in
            let shop = try Shop(trial)
            // By album the seconds are 100, 200, nil; 100; 300, nil.
            try shop.songs([2, 4, 5]) { $0.seconds == $0.album.songs.maximum(\.seconds) }
            try shop.songs([1, 4, 5]) { $0.title == $0.album.songs.minimum(\.title) }
            try shop.songs([3, 4, 6]) { $0.title == $0.album.songs.maximum(\.title) }
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.albums.count == 2 }
            try shop.songs([1, 2, 3]) { $0.album.songs.sum(\.seconds) > 250 && $0.album.songs.count == 3 }
            try shop.songs([1, 2, 3]) { $0.album.songs.contains { $0.seconds == 200 } }
            try shop.expect(Song.sorted(by: { $0.album.songs.count }), [4, 5, 6, 1, 2, 3])
            try shop.expect(
                Song.all, select: [Song.fields.album.songs.sum(\.seconds).untyped],
                [try row(300), try row(300), try row(300), try row(100), try row(300), try row(300)])
        },
        ConformanceCase(
            "paths.aggregates-nested", in: .paths,
            "an aggregate at the end of a path inside conditions on related records, and at a reference to nothing"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(
                Artist.where {
                    $0.albums.contains { $0.songs.contains { $0.seconds == $0.album.songs.maximum(\.seconds) } }
                }, [1, 2])
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.albums.contains { $0.songs.count == 3 } }
            try shop.songs([5, 6]) { $0.album.artist.albums.maximum(\.year) == 1959 }
            // The mentor of Bo does not exist, Di has none.
            try shop.expect(Artist.where { $0.mentor.albums.count == 1 }, [1])
            try shop.expect(Artist.where { $0.mentor.albums.maximum(\.year) == nil }, [2, 4])
        },
        ConformanceCase(
            "paths.aggregates-writes", in: .paths, "each query sees what was written before it, with the same aggregate"
        ) { trial in
            let shop = try Shop(trial)
            let longest = Song.where { $0.seconds == $0.album.songs.maximum(\.seconds) }
            try shop.write { transaction in
                try expectEqual(try transaction.fetch(longest).map(\.id), [2, 4, 5])
                try Song.where { $0.id == 3 }.updateAll(in: transaction) { $0.set(\.seconds, to: 1_000) }
                try expectEqual(try transaction.fetch(longest).map(\.id), [3, 4, 5])
                try transaction.delete(Song.self, 5)
                try expectEqual(try transaction.fetch(longest).map(\.id), [3, 4, 6])
            }
            try shop.expect(longest, [3, 4, 6])
        },
        ConformanceCase(
            "paths.aggregates-many", in: .paths,
            "many records of one parent are compared with an aggregate of all of them",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let count: Int64 = 500
            try trial.write { transaction in
                try transaction.insert(Artist(id: 1, label: "Ada"))
                try transaction.insert(Album(id: 1, title: "All", artist: Ref(1)))
                try transaction.insert(
                    (1...count).map { Song(id: $0, title: "song", album: Ref(1), seconds: $0) })
            }
            try trial.read { snapshot in
                let longest = Song.where { $0.seconds == $0.album.songs.maximum(\.seconds) }
                try expectEqual(try snapshot.fetch(longest).map(\.id), [count])
                let most = Song.where { $0.album.songs.contains { $0.seconds == count } && $0.id > count - 2 }
                try expectEqual(try snapshot.count(most), 2)
            }
        },
    ]
}
