import ConformanceKit
import ConformanceModels
import GranaryCore

var loadingByNameCases: [ConformanceCase] {
    [
        ConformanceCase("loading.by-name", in: .loading, "what is loaded by names is what is loaded with types") {
            trial in
            let shop = try Shop(trial)
            func keys(_ records: [LoadedRecord]) -> [StoredValue] { records.map(\.record.key) }
            func stored(_ keys: [Int64]) -> [StoredValue] { keys.map { .integer($0) } }
            try shop.write { try RelatedRecords<Playlist, Song>(of: 1, .playlistSongs).move(from: 2, to: 0, in: $0) }
            try shop.read { snapshot in
                let songs = Song.sorted(by: \.title, .descending).limit(5)
                let typed = try snapshot.fetch(songs.with({ $0.genre }, { $0.album.with { $0.artist } }))
                let named = try Request(recordsOf: songs.untyped).with("genre", "album.artist").fetch(in: snapshot)
                try expectEqual(keys(named), stored(typed.map(\.0.id)))
                try expectEqual(named.map { keys($0["genre"]) }, typed.map { stored($0.1.map { [$0.id] } ?? []) })
                try expectEqual(named.map { keys($0["album"]) }, typed.map { stored($0.2.map { [$0.0.id] } ?? []) })
                try expectEqual(
                    named.map { keys($0["album"].flatMap { $0["artist"] }) },
                    typed.map { stored($0.2.map { [$0.1.id] } ?? []) })

                let mentors = try snapshot.fetch(Artist.all.with({ $0.mentor }, { $0.pupils }))
                let dynamic = try Request("Artist").with("mentor", "pupils").fetch(in: snapshot)
                try expectEqual(dynamic.map { keys($0["mentor"]) }, mentors.map { stored($0.1.map { [$0.id] } ?? []) })
                try expectEqual(dynamic.map { keys($0["pupils"]) }, mentors.map { stored($0.2.map(\.id)) })

                let playlists = try Request("Playlist").with("songs.album").fetch(in: snapshot)
                try expectEqual(playlists.map { keys($0["songs"]) }, [[5, 1, 2], [3], [], [6, 2]].map(stored))
                try expectEqual(
                    playlists.map { $0["songs"].map { keys($0["album"]) } },
                    [[[3], [1], [1]], [[1]], [], [[3], [1]]].map { $0.map(stored) })
            }
        },
        ConformanceCase(
            "loading.nested-by-name", in: .loading, "what is loaded by names comes with what is loaded with it"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let typed = try snapshot.fetch(Artist.all.with { $0.albums.with { $0.songs } })
                let named = try Request("Artist").with("albums.songs", "albums", "genre").fetch(in: snapshot)
                try expectEqual(
                    named.map { $0["albums"].map { $0["songs"].map(\.record.key) } },
                    typed.map { $0.1.map { $0.1.map { .integer($0.id) } } })
                try expectEqual(named.first?["albums"].first?.record["title"], .string("Alpha"))
                try expectEqual(named.first?["songs"].count, 0)
                try expectEqual(
                    try Request("Artist").limit(0).with("albums.songs").fetch(in: snapshot).count, 0)
                try expectError(.unknownAttribute, entity: "Artist") {
                    try Request("Artist").with("label").fetch(in: snapshot).count
                }
                try expectError(.unknownAttribute, entity: "Album") {
                    try Request("Artist").with("albums.tracks").fetch(in: snapshot).count
                }
                try expectError(.unknownEntity, entity: "Nothing") {
                    try Request("Nothing").with().fetch(in: snapshot).count
                }
            }
        },
    ]
}

extension Relationship {
    fileprivate static var playlistSongs: Relationship { Playlist.relationships[0].relationship }
}
