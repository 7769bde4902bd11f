import Foundation
import Granary
import GranarySQLite

@Record struct Artist {
    @Key var id: Int64
    @Index var name: String
    var rating: Double?
    var born: Date?
    var genre: Ref<Genre>?
    static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
}

@Record struct Song {
    @Key(.assigned) var id: Int64 = 0
    var title: String
    var plays = 0
    var artist: Ref<Artist>
}

@Record struct Genre {
    @Key(.assigned) var id: Int64 = 0
    @Unique var name: String
}

func tour(_ url: URL) async throws {
    // Or .lmdb(at: url) with `import GranaryLMDB`, or .inMemory with `import GranaryMemory`. An attribute, an index or a record
    // type that is new since the store was opened last is added to it; what would lose anything is refused, with a plan.
    let stack = try await Stack(Schema(Artist.self, Song.self, Genre.self), store: .sqlite(at: url))

    // One writer at a time, on a thread of its own: commits when the closure returns, rolls back when it throws.
    try await stack.write { tx in
        let rock = try Genre.findOrCreate(where: { $0.name == "Rock" }, in: tx)
        try tx.insert(Artist(id: 100, name: "Jimi Hendrix", rating: 4.7, genre: Ref(rock)))
        try tx.insert([Artist(id: 101, name: "Nina Simone"), Artist(id: 102, name: "Prince", rating: 4.5)])
        try tx.insert([
            Song(title: "Fire", plays: 9, artist: Ref(100)), Song(title: "Kiss", plays: 5, artist: Ref(102)),
        ])
        try Artist.where { $0.rating == nil }.updateAll(in: tx) { $0.set(\.rating, to: 4) }
    }

    // Any number of readers at once, each with one consistent state.
    let top = try await stack.read { snapshot in
        try snapshot.fetch(Artist.where { $0.rating >= 4.5 && $0.name != "Prince" }.sorted(by: \.name).limit(20))
    }
    print(top.map(\.name))

    // Relationships are asked, loaded and summed up in the store; `explain` says with which index.
    try await stack.read { snapshot in
        let loud = Artist.where { $0.genre.name == "Rock" && $0.songs.contains { $0.plays > 5 } }
        for (artist, songs) in try snapshot.fetch(loud.with { $0.songs }) { print(artist.name, songs.map(\.title)) }
        let plays = Song.all.grouped(by: { $0.artist.name }).select { ($0.artist.name, $0.plays.sum) }
        for (name, total) in try plays.sorted(by: { $0.plays.sum }).fetch(in: snapshot) { print(name, total) }
        print(try Song.where { $0.artist == Ref(100) }.explain(in: snapshot))  // search Song using artist (artist = ?)
    }

    // Changes that wait until they are saved, or dropped: every query of the context sees them.
    let edit = try stack.makeContext(named: "editor")
    try edit.update(Artist.self, 101) { $0.rating = 5 }
    print(try edit.fetch(Artist.where { $0.rating == 5 }).map(\.name))  // ["Nina Simone"]
    try await edit.save()

    // The value at once, and again after each commit that changes it.
    for try await count in stack.observeCount(Artist.where { $0.rating >= 4.5 }) {
        print(count)  // 3
        break
    }

    // JSON and CSV find their records by key, or by a unique attribute, or become new ones; what is nested is connected.
    let songs: ImportValue = [
        ["id": 2, "plays": "10", "artist": ["id": 103, "name": "Miles Davis", "genre": ["name": "Jazz"]]]
    ]
    let report = try await stack.import(songs, as: Song.self)  // or the URL of a file, of a folder
    print(report.inserted, report.updated)  // 2 1, with the artist and the genre

    // One record at a time, in constant memory.
    try await stack.read { snapshot in
        try Artist.sorted(by: \.rating, .descending).forEach(in: snapshot) { print($0.id, $0.name) }
    }

    // Each failure has a code to match on, and names the entity and the attributes.
    do {
        _ = try await stack.write { try $0.insert(Genre(name: "Rock")) }
    } catch let error as GranaryError where error.code == .uniqueness {
        print(error.entity ?? "", error.attributes)  // Genre ["name"]
    }
    try await stack.close()
}
