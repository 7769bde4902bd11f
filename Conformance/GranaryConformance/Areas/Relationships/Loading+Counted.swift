import ConformanceKit
import ConformanceModels
import GranaryCore

var countedLoadingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "loading.queries", in: .loading,
            "a relationship is one query, a many-to-many one two, however many records",
            modes: [.fresh]
        ) { trial in
            let counter = ReadCounter()
            let stack = try trial.counted(SuiteSchema.shop, by: counter)
            defer { try? stack.blocking.close() }
            try stack.blocking.write { try Shop.fill($0) }
            try stack.blocking.read { try checkQueries(in: $0, counter) }
            let context = try stack.makeContext()
            try checkQueries(in: context, counter)
            // Many more records, and not one query more.
            try stack.blocking.write { tx in
                let keys = (100...400).map { Int64($0) }
                try tx.insert(keys.map { Genre(id: $0, label: "genre \($0)") })
                try tx.insert(keys.map { Artist(id: $0, label: "artist \($0)", genre: Ref($0), mentor: Ref($0)) })
                try tx.insert(keys.map { Album(id: $0, title: "album \($0)", artist: Ref($0)) })
                try tx.insert(keys.map { Song(id: $0, title: "song \($0)", album: Ref($0), genre: Ref($0)) })
                try tx.insert(keys.map { Playlist(id: $0, label: "playlist \($0)") })
                try tx.insert(keys.map { PlaylistSong(source: Ref($0), target: Ref($0)) })
            }
            try stack.blocking.read { try checkQueries(in: $0, counter) }
            let later = try stack.makeContext()
            try checkQueries(in: later, counter)
        }
    ]
}

private func checkQueries(in context: ReadContext, _ counter: ReadCounter) throws {
    func check(_ expected: Int, line: Int = #line, _ body: () throws -> Int) throws {
        _ = counter.take()
        let count = try body()
        try expect(count > 1, "\(count) records tell nothing", line: line)
        try expectEqual(counter.take(), expected, "queries", line: line)
    }
    try check(1) { try context.fetch(Song.all).count }
    // To one.
    try check(2) { try context.fetch(Song.all.with { $0.album }).count }
    try check(3) { try context.fetch(Song.where { $0.id > 1 }.with({ $0.album }, { $0.genre })).count }
    // To many, of all and of some.
    try check(2) { try context.fetch(Artist.all.with { $0.albums }).count }
    try check(2) { try context.fetch(Artist.where { $0.id > 1 }.with { $0.albums }).count }
    try check(3) { try context.fetch(Artist.sorted(by: \.label).limit(3).with({ $0.albums }, { $0.pupils })).count }
    // Many to many.
    try check(3) { try context.fetch(Playlist.all.with { $0.songs }).count }
    try check(3) { try context.fetch(Song.where { $0.id > 1 }.with { $0.playlists }).count }
    // One in the other.
    try check(3) { try context.fetch(Song.all.with { $0.album.with { $0.artist } }).count }
    try check(3) { try context.fetch(Artist.all.with { $0.albums.with { $0.songs } }).count }
    try check(4) { try context.fetch(Playlist.all.with { $0.songs.with { $0.album } }).count }
    try check(6) {
        try context.fetch(Artist.all.with({ $0.genre }, { $0.albums.with { $0.songs.with { $0.playlists } } })).count
    }
    // By names.
    try check(2) { try Request("Song").with("album").fetch(in: context).count }
    try check(3) { try Request("Artist").with("albums.songs").fetch(in: context).count }
    try check(3) { try Request("Playlist").with("songs").fetch(in: context).count }
    // What asks for each by itself is counted so.
    try check(7) {
        let songs = try context.fetch(Song.all.limit(6))
        return try songs.compactMap { try context.find($0.album) }.count
    }
}
