import ConformanceKit
import ConformanceModels
import GranaryCore

var loadingCases: [ConformanceCase] {
    [
        ConformanceCase("loading.to-one", in: .loading, "records come with what they refer to, nil with nil") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let songs = try snapshot.fetch(Song.sorted(by: \.id, .descending).with({ $0.genre }, { $0.album }))
                try expectEqual(songs.map(\.0.id), [6, 5, 4, 3, 2, 1])
                try expectEqual(songs.map(\.1?.label), [nil, "Jazz", nil, "Jazz", "Rock", "Rock"])
                try expectEqual(songs.map(\.2.title), ["Gamma", "Gamma", "Beta", "Alpha", "Alpha", "Alpha"])
            }
        },
        ConformanceCase("loading.dangling", in: .loading, "a reference that may dangle loads nil where it does") {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let artists = try snapshot.fetch(Artist.all.with { $0.mentor })
                try expectEqual(artists.map(\.1?.label), ["Bo", nil, "Ada", nil])
            }
        },
        ConformanceCase("loading.to-many", in: .loading, "records come with those that refer to them, by key") {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let artists = try snapshot.fetch(Artist.all.with({ $0.albums }, { $0.pupils }))
                try expectEqual(artists.map { $0.1.map(\.id) }, [[1, 2], [3], [4], []])
                try expectEqual(artists.map { $0.2.map(\.id) }, [[3], [1], [], []])
                let people = try snapshot.fetch(Employee.where { $0.salary != nil }.with { $0.reports })
                try expectEqual(people.map { $0.1.map(\.id) }, [[2, 3], [4], [5], []])
            }
        },
        ConformanceCase("loading.many-to-many", in: .loading, "linked records come in the order of the links") {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let playlists = try snapshot.fetch(Playlist.all.with { $0.songs })
                try expectEqual(playlists.map { $0.1.map(\.id) }, [[1, 2, 5], [3], [], [6, 2]])
            }
        },
        ConformanceCase("loading.nested", in: .loading, "what is loaded comes with what is loaded with it") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let artists = try snapshot.fetch(Artist.all.limit(2).with { $0.albums.with { $0.songs } })
                try expectEqual(artists.map { $0.1.map { $0.1.map(\.id) } }, [[[1, 2, 3], [4]], [[5, 6]]])
                let links = try snapshot.fetch(
                    Song.where { $0.id == 4 }.with { $0.album.with({ $0.artist.with { $0.genre } }, { $0.songs }) })
                try expectEqual(links.first?.1?.0.title, "Beta")
                try expectEqual(links.first?.1?.1?.1?.label, "Rock")
                try expectEqual(links.first?.1?.2.map(\.id), [4])
            }
        },
        ConformanceCase(
            "loading.pages", in: .loading,
            "a page, the first, one by key, and records at hand come with what they lead to"
        ) { try loadPages($0) },
        ConformanceCase("loading.empty", in: .loading, "of no records nothing is loaded; a path is refused") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                try expectEqual(try snapshot.fetch(Artist.where { $0.id > 99 }.with { $0.albums }).count, 0)
                try expectError(.invalidQuery) { try snapshot.fetch(Song.all.with { $0.album.artist }).count }
            }
        },
    ]
}

private func loadPages(_ trial: Trial) throws {
    let shop = try Shop(trial)
    try shop.read { snapshot in
        let songs = Song.sorted(by: \.id, .descending)
        var page = try songs.with({ $0.album }, { $0.genre }).page(in: snapshot, size: 4)
        try expectEqual(page.records.map(\.0.id), [6, 5, 4, 3])
        try expectEqual(page.records.map(\.1.title), ["Gamma", "Gamma", "Beta", "Alpha"])
        try expectEqual(page.records.map(\.2?.label), [nil, "Jazz", nil, "Jazz"])
        try expect(page.hasMore, "there are two more")
        let end = try present(page.end)
        page = try songs.with({ $0.album }, { $0.genre }).page(in: snapshot, after: end, size: 4)
        try expectEqual(page.records.map(\.0.id), [2, 1])
        try expectEqual(page.records.map(\.2?.label), ["Rock", "Rock"])
        try expect(!page.hasMore, "there are no more")
        let start = try present(page.start)
        page = try songs.with({ $0.album }, { $0.genre }).page(in: snapshot, before: start, size: 2)
        try expectEqual(page.records.map(\.0.id), [4, 3])
        let first = try snapshot.first(Artist.sorted(by: \.id).with { $0.albums })
        try expectEqual(first?.1.map(\.id), [1, 2])
        let found = try snapshot.first(Playlist.where { $0.id == 4 }.with { $0.songs })
        try expectEqual(found?.1.map(\.id), [6, 2])
        let missing = try snapshot.first(Playlist.where { $0.id == 99 }.with { $0.songs })
        try expect(missing == nil, "there is no playlist 99")
        let none = try snapshot.first(Artist.where { $0.id > 99 }.with { $0.albums })
        try expect(none == nil, "there is no such artist")
    }
    try shop.read { snapshot in
        // Of one more than once, in any order.
        var artists = try snapshot.fetch(Artist.sorted(by: \.id, .descending))
        artists += [artists[1]]
        let loaded = try Artist.all.with({ $0.albums }, { $0.genre }).load(artists, in: snapshot)
        try expectEqual(loaded.map(\.0.id), artists.map(\.id))
        try expectEqual(loaded.map { $0.1.map(\.id) }, [[], [4], [3], [1, 2], [4]])
        for (artist, _, genre) in loaded { try expectEqual(genre?.id, artist.genre?.key) }
        try expectEqual(try Artist.all.with { $0.albums }.load([], in: snapshot).count, 0)
    }
}
