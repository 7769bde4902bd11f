import ConformanceKit
import GranaryCore

var manyDeletionCases: [ConformanceCase] {
    [
        ConformanceCase(
            "references.cascade-thousands", in: .references,
            "100 000 records that one deletion takes along are gone, from every index and every link", isHeavy: true
        ) { trial in
            try Discography.open(trial)
            try trial.write { tx in
                try expectEqual(try Artist.where { $0.id <= Discography.artists }.deleteAll(in: tx), 100)
                try Discography.expectRest(in: tx)
            }
            try trial.read { try Discography.expectRest(in: $0) }
            try expectEqual(try trial.stack.blocking.verify(), [])
            // Nothing stands in the way of the same keys and the same unique links.
            try trial.write { tx in
                try tx.insert(Artist(id: 1, label: "new"))
                try tx.insert(Album(id: 1, artist: Ref(1)))
                try tx.insert(Song(id: 1, album: Ref(1)))
                try tx.insert(PlaylistSong(source: Ref(1), target: Ref(1)))
            }
            try expectEqual(try trial.keys(Song.where { $0.playlists.contains { $0.id == 1 } }), [1, 40_000])
        },
        ConformanceCase(
            "references.cascade-one", in: .references,
            "tens of thousands of records go with one, and come back if that is undone", isHeavy: true, modes: [.fresh]
        ) { trial in
            try Discography.open(trial)
            try trial.write {
                try Album.where { $0.id <= Discography.albums }.updateAll(in: $0) { $0.set(\.artist, to: Ref(1)) }
            }
            try trial.write { tx in
                do {
                    try tx.savepoint {
                        try expectEqual(try tx.delete(Artist.self, 1), true)
                        try expectEqual(try tx.count(Song.all), 1)
                        throw Abandon()
                    }
                } catch is Abandon {}
                try expectEqual(try tx.count(Song.all), 30_001)
                try expectEqual(try tx.count(PlaylistSong.all), 68_903)
            }
            try expectEqual(try trial.stack.blocking.verify(), [])
            try trial.write { tx in
                try expectEqual(try tx.delete(Artist.self, 1), true)
                try expectEqual(try Artist.where { $0.id <= Discography.artists }.deleteAll(in: tx), 99)
            }
            try trial.read { try Discography.expectRest(in: $0) }
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
    ]
}

/// 100 artists with 1 000 albums, of 30 000 songs, with 68 900 places on three playlists; and one of each beside, which stays.
private enum Discography {
    static let artists: Int64 = 100
    static let albums: Int64 = 1_000
    static let songs: Int64 = 30_000

    static func open(_ trial: Trial) throws {
        try trial.open(SuiteSchema.indexedShop)
        try trial.write { tx in
            try tx.insert(Genre(id: 1, label: "genre"))
            try tx.insert((1...3).map { Playlist(id: $0, label: "playlist \($0)") })
            try tx.insert((1...artists).map { Artist(id: $0, label: "gone \($0)", genre: Ref(1)) })
            try tx.insert((1...albums).map { Album(id: $0, title: "gone \($0)", artist: Ref($0 % artists + 1)) })
            try tx.insert(Artist(id: 1_000, label: "kept", genre: Ref(1), mentor: Ref(7)))
            try tx.insert(Album(id: 2_000, title: "kept", artist: Ref(1_000)))
            try tx.insert(Song(id: 40_000, title: "kept", album: Ref(2_000), genre: Ref(1)))
            try tx.insert((1...3).map { PlaylistSong(source: Ref($0), target: Ref(40_000)) })
        }
        for start in stride(from: 1, through: songs, by: 5_000) {
            let keys = start..<start + 5_000
            try trial.write { tx in
                try tx.insert(
                    keys.map {
                        Song(id: $0, title: "gone \($0)", album: Ref($0 % albums + 1), genre: Ref(1), seconds: $0)
                    })
                for list: Int64 in 1...3 {
                    // On the third playlist are not all.
                    try tx.insert(
                        keys.filter { list < 3 || $0 <= 8_900 }.map {
                            PlaylistSong(source: Ref(list), target: Ref($0), position: $0)
                        })
                }
            }
        }
        try trial.read { snapshot in
            let counts = [
                try snapshot.count(Artist.all), try snapshot.count(Album.all), try snapshot.count(Song.all),
                try snapshot.count(PlaylistSong.all),
            ]
            try expectEqual(counts, [101, 1_001, 30_001, 68_903])
        }
    }

    /// Fails unless those beside are all there is, whatever index is asked.
    static func expectRest(in context: ReadContext) throws {
        try expectEqual(try context.fetch(Artist.all).map(\.label), ["kept"])
        try expectEqual(try context.fetch(Album.all).map(\.title), ["kept"])
        try expectEqual(try context.fetch(Song.all).map(\.title), ["kept"])
        try expectEqual(try context.fetch(PlaylistSong.all).map(\.target.key), [40_000, 40_000, 40_000])
        try expectEqual(try context.count(Playlist.all), 3)
        // Each by an index of its own, counted and in its order.
        try expectEqual(try context.count(Artist.where { $0.label.hasPrefix("gone") }), 0)
        try expectEqual(try context.count(Artist.where { $0.genre == Ref(1) }), 1)
        try expectEqual(try context.count(Album.where { $0.artist == Ref(7) }), 0)
        try expectEqual(try context.count(Album.where { $0.title.hasPrefix("GONE", .caseInsensitive) }), 0)
        try expectEqual(try context.count(Song.where { $0.album == Ref(7) }), 0)
        try expectEqual(try context.count(Song.where { $0.genre == Ref(1) }), 1)
        try expectEqual(try context.count(Song.where { $0.seconds > 0 }), 0)
        try expectEqual(try context.count(Song.where { $0.title.equals("Gone 7", .caseInsensitive) }), 0)
        try expectEqual(try context.count(PlaylistSong.where { $0.target <= Ref(songs) }), 0)
        try expectEqual(try context.count(PlaylistSong.where { $0.source == Ref(2) }), 1)
        try expectEqual(try context.fetch(Song.sorted(by: \.title)).map(\.id), [40_000])
        try expectEqual(try context.fetch(Song.sorted(by: \.seconds)).map(\.id), [40_000])
        let grouped = Song.all.grouped(by: { $0.genre }).select { ($0.genre, $0.id.count) }
        try expectEqual(try context.fetch(grouped).map(\.1), [1])
        // And through the links.
        let kept = try context.fetch(Playlist.all.with { $0.songs }).map { $0.1.map(\.id) }
        try expectEqual(kept, [[40_000], [40_000], [40_000]])
        try expectEqual(try context.count(Playlist.where { $0.songs.contains { $0.id <= songs } }), 0)
    }
}
