import CSQLiteRaw
import GranaryFormats

/// A release as its line has it: what `JSONDecoder` makes, and what is inserted through C.
struct NestedRelease: Codable {
    struct Named: Codable {
        var id: Int64
        var name: String
    }

    struct Song: Codable {
        var id: Int64
        var title: String
        var seconds: Int
    }

    var id: Int64
    var title: String
    var label: Named
    var genre: Named
    var songs: [Song]

    /// Each label has about 50 releases, each genre many, and each release five songs.
    init(number: Int) {
        id = Int64(number)
        title = "Release \(number)"
        label = Named(id: Int64(number / 50 + 1), name: "Label \(number / 50 + 1)")
        genre = Named(id: Int64(number % 40 + 1), name: "Genre \(number % 40 + 1)")
        songs = (0..<5).map { place in
            Song(
                id: Int64(number * 5 + place), title: "Song \(place) of \(number)",
                seconds: 60 + (number + place) % 300)
        }
    }

    /// From what `JSONSerialization` makes of a line.
    init?(_ object: [String: Any]) {
        func named(_ key: String) -> Named? {
            guard let value = object[key] as? [String: Any], let id = value["id"] as? Int64,
                let name = value["name"] as? String
            else { return nil }
            return Named(id: id, name: name)
        }
        guard let id = object["id"] as? Int64, let title = object["title"] as? String, let label = named("label"),
            let genre = named("genre"), let list = object["songs"] as? [[String: Any]]
        else { return nil }
        (self.id, self.title, self.label, self.genre) = (id, title, label, genre)
        songs = []
        for song in list {
            guard let id = song["id"] as? Int64, let title = song["title"] as? String,
                let seconds = song["seconds"] as? Int
            else { return nil }
            songs.append(Song(id: id, title: title, seconds: seconds))
        }
    }

    static func write(_ releases: [NestedRelease], _ path: String) throws {
        var writer = JSONWriter(try FileSink(path), layout: .lines)
        for release in releases {
            try writer.beginObject()
            try writer.key("id")
            try writer.integer(release.id)
            try writer.key("title")
            try writer.string(release.title)
            for (name, value) in [("label", release.label), ("genre", release.genre)] {
                try writer.key(name)
                try writer.beginObject()
                try writer.key("id")
                try writer.integer(value.id)
                try writer.key("name")
                try writer.string(value.name)
                try writer.endObject()
            }
            try writer.key("songs")
            try writer.beginArray()
            for song in release.songs {
                try writer.beginObject()
                try writer.key("id")
                try writer.integer(song.id)
                try writer.key("title")
                try writer.string(song.title)
                try writer.key("seconds")
                try writer.integer(Int64(song.seconds))
                try writer.endObject()
            }
            try writer.endArray()
            try writer.endObject()
        }
        try writer.finish()
    }
}

/// The tables of releases that every subject on SQLite but Granary uses.
enum SQLiteReleaseTables {
    static let schema = """
        CREATE TABLE IF NOT EXISTS Label (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS Genre (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS Release (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, label INTEGER NOT NULL REFERENCES Label,
            genre INTEGER NOT NULL REFERENCES Genre) STRICT;
        CREATE TABLE IF NOT EXISTS ReleasedSong (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, seconds INTEGER NOT NULL,
            release INTEGER NOT NULL REFERENCES Release) STRICT;
        CREATE INDEX IF NOT EXISTS Release_label ON Release (label);
        CREATE INDEX IF NOT EXISTS Release_genre ON Release (genre);
        CREATE INDEX IF NOT EXISTS ReleasedSong_release ON ReleasedSong (release);
        """
    static let label = "INSERT INTO Label VALUES (?, ?) ON CONFLICT DO UPDATE SET name = excluded.name"
    static let genre = "INSERT INTO Genre VALUES (?, ?) ON CONFLICT DO UPDATE SET name = excluded.name"
    static let release = """
        INSERT INTO Release VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET title = excluded.title, label = excluded.label,
            genre = excluded.genre
        """
    static let song = """
        INSERT INTO ReleasedSong VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET title = excluded.title,
            seconds = excluded.seconds, release = excluded.release
        """
    static let sums = "SELECT count(*), sum(seconds) FROM ReleasedSong"
}

/// The statements that insert releases through C.
final class RawReleaseInsertion {
    private let connection: RawSQLiteConnection
    private let label: OpaquePointer
    private let genre: OpaquePointer
    private let release: OpaquePointer
    private let song: OpaquePointer

    init(_ connection: RawSQLiteConnection) throws {
        self.connection = connection
        label = try connection.prepare(SQLiteReleaseTables.label)
        genre = try connection.prepare(SQLiteReleaseTables.genre)
        release = try connection.prepare(SQLiteReleaseTables.release)
        song = try connection.prepare(SQLiteReleaseTables.song)
    }

    func insert(_ value: NestedRelease) throws {
        try run(label, value.label.id, value.label.name, [])
        try run(genre, value.genre.id, value.genre.name, [])
        try run(release, value.id, value.title, [value.label.id, value.genre.id])
        for each in value.songs { try run(song, each.id, each.title, [Int64(each.seconds), value.id]) }
    }

    private func run(_ statement: OpaquePointer, _ key: Int64, _ text: String, _ numbers: [Int64]) throws {
        var text = text
        sqlite3_bind_int64(statement, 1, key)
        for (index, number) in numbers.enumerated() { sqlite3_bind_int64(statement, Int32(index + 3), number) }
        let code = text.withUTF8 { text in
            Track.bind(text, statement, 2)
            let code = sqlite3_step(statement)
            sqlite3_reset(statement)
            return code
        }
        try connection.check(code, SQLITE_DONE)
    }

    func end() { for statement in [label, genre, release, song] { sqlite3_finalize(statement) } }
}
