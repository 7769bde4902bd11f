import ConformanceKit
import ConformanceModels
import GranaryCore

// A part of the related records: what a query for each record gives, in one query.

var loadingPartsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "loading.parts", in: .loading,
            "with each record a part of its related records is loaded: by a condition, in an order, up to a limit"
        ) { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let albums = try snapshot.fetch(Album.all)
                for limit in [0, 1, 2, 99] {
                    let longest = Album.all.with {
                        $0.songs.where { $0.seconds != 200 }.sorted(by: \.seconds, .descending, nils: .last).limit(
                            limit)
                    }
                    let wanted = try albums.map { album in
                        try Song.where { $0.album == Ref(album.id) && $0.seconds != 200 }
                            .sorted(by: \.seconds, .descending, nils: .last).limit(limit).fetch(in: snapshot).map(\.id)
                    }
                    try expectEqual(try longest.fetch(in: snapshot).map { $0.1.map(\.id) }, wanted, "first \(limit)")
                }
                // In another order of the owners, and without one of their own.
                let reversed = try Album.sorted(by: \.id, .descending).with { $0.songs.limit(1) }.fetch(in: snapshot)
                try expectEqual(reversed.map { $0.1.map(\.id) }, [[], [5], [4], [1]])
                // Links keep their order until another is asked for.
                let lists = try Playlist.all.with({ $0.songs.limit(1) }, { $0.songs.where { $0.id > 1 } })
                    .fetch(in: snapshot)
                try expectEqual(lists.map { $0.1.map(\.id) }, [[1], [3], [], [6]])
                try expectEqual(lists.map { $0.2.map(\.id) }, [[2, 5], [3], [], [6, 2]])
                let last = try Playlist.all.with { $0.songs.sorted(by: \.title, .descending).limit(2) }
                    .fetch(in: snapshot)
                try expectEqual(last.map { $0.1.map(\.id) }, [[5, 2], [3], [], [6, 2]])
                // A part comes with what is loaded with it.
                let artists = try Artist.all.with {
                    $0.albums.sorted(by: \.title, .descending).limit(1).with { $0.songs.where { $0.id > 2 }.limit(1) }
                }.fetch(in: snapshot)
                try expectEqual(artists.map { $0.1.map { $0.1.map(\.id) } }, [[[4]], [[5]], [[]], []])
                try expectEqual(
                    try Album.all.with { $0.songs.limit(1) }.load([albums[2], albums[0]], in: snapshot).map {
                        $0.1.map(\.id)
                    }, [[5], [1]])
                try expectError(.invalidQuery, entity: "Song") {
                    try Album.all.with { $0.songs.limit(-1) }.fetch(in: snapshot).count
                }
            }
        },
        ConformanceCase(
            "loading.long-lists", in: .loading, "the first of lists that are far longer are those of a query for each"
        ) { trial in
            try trial.open(SuiteSchema.shop)
            try trial.write { tx in
                try tx.insert([Artist(id: 1)])
                try tx.insert((1...4).map { Album(id: $0, artist: Ref(1)) })
                try tx.insert(
                    (1...2_000).map { number in
                        Song(
                            id: number, title: "\(number % 7)", album: Ref(number % 3 + 1), seconds: Int64(number % 11),
                            cents: 0)
                    })
            }
            try trial.read { snapshot in
                for limit in [1, 3] {
                    let loaded = try Album.all.with {
                        $0.songs.where { $0.title != "3" }.sorted(by: \.seconds, .descending).limit(limit)
                    }.fetch(in: snapshot)
                    let wanted = try (1...4).map { album in
                        try Song.where { $0.album == Ref(Int64(album)) && $0.title != "3" }
                            .sorted(by: \.seconds, .descending).limit(limit).fetch(in: snapshot).map(\.id)
                    }
                    try expectEqual(loaded.map { $0.1.map(\.id) }, wanted, "first \(limit)")
                }
            }
        },
    ]
}
