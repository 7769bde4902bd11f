import ConformanceKit
import GranaryCore

// Many related records: the number of queries does not grow with the owners, and what is loaded with the related records
// is loaded for 10 000 of them at a time.

var loadingManyCases: [ConformanceCase] {
    [
        ConformanceCase(
            "loading.many", in: .loading,
            "2 500 owners in any order, some without and one with many related records, have each its own",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            try fill(trial.stack, artists: 2_500, albumsEach: { $0 == 7 ? 3_000 : $0 % 3 }, songsEach: { $0 % 2 })
            let context = try trial.stack.makeContext()
            try context.insert(Album(id: 900_000, artist: Ref(8)))
            try context.delete(Album.self, 1)
            func check(_ context: ReadContext, _ expected: (Int64) -> Int) throws {
                let descending = Artist.sorted(by: \.id, .descending)
                let plain = try context.fetch(descending.with { $0.albums })
                let deep = try context.fetch(descending.with { $0.albums.with { $0.songs.with { $0.playlists } } })
                try expectEqual(plain.map(\.0.id), (1...2_500).reversed())
                try expectEqual(plain.map(\.1.count), (1...2_500).reversed().map { expected(Int64($0)) })
                for ((artist, albums), (same, inner)) in zip(plain, deep) {
                    try expectEqual(same.id, artist.id)
                    try expectEqual(inner.map(\.0.id), albums.map(\.id))
                    try expect(albums.allSatisfy { $0.artist.key == artist.id }, "album of another artist")
                    for (album, songs) in inner {
                        try expectEqual(songs.map(\.0.id), album.id % 2 == 1 && album.id < 900_000 ? [album.id] : [])
                        for (song, playlists) in songs {
                            try expectEqual(playlists.map(\.id), song.id % 3 == 0 ? [1] : [])
                        }
                    }
                }
                // The same owner twice, and one that does not exist.
                let owners = [Artist(id: 5), Artist(id: 3), Artist(id: 5), Artist(id: 99_999)]
                let given = try Artist.all.with({ $0.albums }, { $0.albums.with { $0.songs } }).load(
                    owners, in: context)
                try expectEqual(given.map(\.1.count), [2, 0, 2, 0])
                try expectEqual(given.map(\.2.count), [2, 0, 2, 0])
            }
            try trial.read { try check($0) { $0 == 7 ? 3_000 : Int($0 % 3) } }
            try check(context) { $0 == 7 ? 3_000 : Int($0 % 3) + ($0 == 8 ? 1 : $0 == 1 ? -1 : 0) }
        },
        ConformanceCase(
            "loading.many-of-one", in: .loading, "100 000 related records of one owner come with one query",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            let counter = ReadCounter()
            let stack = try trial.counted(SuiteSchema.shop, by: counter)
            defer { try? stack.blocking.close() }
            try fill(stack, artists: 3, albumsEach: { $0 == 2 ? 100_000 : 1 }, songsEach: { _ in 0 })
            _ = counter.take()
            try stack.blocking.read { snapshot in
                let loaded = try snapshot.fetch(Artist.all.with { $0.albums })
                try expectEqual(loaded.map(\.1.count), [1, 100_000, 1])
                try expectEqual(counter.take(), 2)
                let one = try snapshot.fetch(Artist.where { $0.id == 2 }.with { $0.albums })
                try expectEqual(one.first?.1.map(\.id), (2...100_001).map { Int64($0) })
                try expectEqual(counter.take(), 2)
                let first = try snapshot.fetch(Artist.all.with { $0.albums.limit(2) })
                try expectEqual(first.map { $0.1.map(\.id) }, [[1], [2, 3], [100_002]])
            }
        },
        ConformanceCase(
            "loading.many-owners", in: .loading, "100 000 owners have their related records with one query",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            let counter = ReadCounter()
            let stack = try trial.counted(SuiteSchema.shop, by: counter)
            defer { try? stack.blocking.close() }
            try fill(stack, artists: 100_000, albumsEach: { _ in 1 }, songsEach: { _ in 0 })
            for request in [Artist.all, Artist.where { $0.id > 0 }] {
                _ = counter.take()
                let loaded = try stack.blocking.read { try $0.fetch(request.with { $0.albums }) }
                try expectEqual(counter.take(), 2)
                try expect(loaded.count == 100_000 && loaded.allSatisfy { $0.1.map(\.id) == [$0.0.id] }, "wrong albums")
            }
            let albums = try stack.blocking.read { try $0.fetch(Album.all.with { $0.artist }) }
            try expectEqual(counter.take(), 2)
            try expect(albums.count == 100_000 && albums.allSatisfy { $0.1.id == $0.0.id }, "wrong artists")
        },
        ConformanceCase(
            "loading.three-deep", in: .loading,
            "three relationships deep, 25 000 and 50 000 records are loaded with a query for each 10 000",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            let counter = ReadCounter()
            let stack = try trial.counted(SuiteSchema.shop, by: counter)
            defer { try? stack.blocking.close() }
            try fill(stack, artists: 50, albumsEach: { _ in 500 }, songsEach: { _ in 2 })
            _ = counter.take()
            let loaded = try stack.blocking.read {
                try $0.fetch(Artist.all.with { $0.albums.with { $0.songs.with { $0.playlists } } })
            }
            // The artists, their albums, the songs of three batches of these, the playlists of five batches of songs.
            try expectEqual(counter.take(), 1 + 1 + 3 + 5 * 2)
            try expectEqual(loaded.map(\.1.count), Array(repeating: 500, count: 50))
            let songs = loaded.flatMap { $0.1 }.flatMap { $0.1 }
            try expectEqual(songs.map(\.0.id), (1...50_000).map { Int64($0) })
            try expect(songs.allSatisfy { $0.1.map(\.id) == ($0.0.id % 3 == 0 ? [1] : []) }, "wrong playlists")
        },
    ]
}

/// Artists with albums with songs, each with keys from 1 in this order; every third song is in playlist 1.
private func fill(
    _ stack: Stack, artists: Int, albumsEach: (Int) -> Int, songsEach: (Int) -> Int
) throws {
    try stack.blocking.write { tx in
        try tx.insert((1...artists).map { Artist(id: Int64($0)) })
        var (albums, songs): ([Album], [Song]) = ([], [])
        for artist in 1...artists {
            for _ in 0..<albumsEach(artist) {
                albums.append(Album(id: Int64(albums.count + 1), artist: Ref(Int64(artist))))
            }
        }
        for album in albums {
            let count = songsEach(Int(album.id))
            for number in 0..<count {
                let key = count == 1 ? album.id : Int64(songs.count + 1)
                songs.append(Song(id: key, title: "\(number)", album: Ref(album.id)))
            }
        }
        try tx.insert(albums)
        try tx.insert(songs)
        try tx.insert(Playlist(id: 1))
        try tx.insert(songs.filter { $0.id % 3 == 0 }.map { PlaylistSong(source: Ref(1), target: Ref($0.id)) })
    }
}
