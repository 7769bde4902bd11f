import CSQLiteRaw
import GranaryCore

extension RawSQLiteCatalogue {
    func answer(_ question: Question) throws -> Answer {
        switch question {
        case .songsOfGenre(let genre): .songs(try songs(SQLiteCatalogueTables.ofGenre, text: genre))
        case .songsScored(let scores):
            .songs(try songs(SQLiteCatalogueTables.scored, [scores.lowerBound, scores.upperBound]))
        case .best(let limit): .songs(try songs(SQLiteCatalogueTables.best, [limit]))
        case .longest(let limit): .songs(try songs(SQLiteCatalogueTables.longest, [limit]))
        case .allPages(let size): .songs(try inOneRead { try allPages(size: size) })
        case .page(let score, let size): .songs(try inOneRead { try page(afterScore: score, size: size) })
        case .countScored(let scores):
            .number(try number(SQLiteCatalogueTables.count, [scores.lowerBound, scores.upperBound]))
        case .groupsByGenre: .groups(try groups(SQLiteCatalogueTables.byGenre))
        case .groupsByMood: .groups(try groups(SQLiteCatalogueTables.byMood))
        case .songsOfArtist(let name): .songs(try songs(SQLiteCatalogueTables.ofArtist, text: name))
        case .songsOfCountry(let country): .songs(try songs(SQLiteCatalogueTables.ofCountry, text: country))
        case .artistsWithScored(let scores):
            .artists(try artists(SQLiteCatalogueTables.withScored, [scores.lowerBound, scores.upperBound]))
        case .artistsPlayedMoreThan(let plays): .artists(try artists(SQLiteCatalogueTables.played, [plays]))
        case .bestOfEachArtist: .songs(try songs(SQLiteCatalogueTables.bestOfEachArtist, []))
        case .artistsWithSongs: .artistsWithSongs(try inOneRead { try artistsWithSongs() })
        }
    }

    private func bound(_ sql: String, _ numbers: [Int]) throws -> OpaquePointer {
        let statement = try statement(sql)
        for (index, number) in numbers.enumerated() { sqlite3_bind_int64(statement, Int32(index + 1), Int64(number)) }
        return statement
    }

    private func songs(_ statement: OpaquePointer) throws -> [Song] {
        var songs: [Song] = []
        try rows(statement) { songs.append(Song(statement: $0)) }
        return songs
    }

    private func songs(_ sql: String, _ numbers: [Int]) throws -> [Song] { try songs(try bound(sql, numbers)) }

    private func songs(_ sql: String, text: String) throws -> [Song] {
        let statement = try statement(sql)
        RawSQLiteCatalogue.bind(text, statement, 1)
        return try songs(statement)
    }

    private func artists(_ sql: String, _ numbers: [Int]) throws -> [Artist] {
        var artists: [Artist] = []
        try rows(try bound(sql, numbers)) { artists.append(Artist(statement: $0)) }
        return artists
    }

    private func number(_ sql: String, _ numbers: [Int]) throws -> Int {
        var number = 0
        try rows(try bound(sql, numbers)) { number = Int(sqlite3_column_int64($0, 0)) }
        return number
    }

    private func groups(_ sql: String) throws -> [(name: String, count: Int, plays: Int)] {
        var groups: [(name: String, count: Int, plays: Int)] = []
        try rows(try statement(sql)) {
            groups.append((text($0, 0), Int(sqlite3_column_int64($0, 1)), Int(sqlite3_column_int64($0, 2))))
        }
        return groups
    }

    private func allPages(size: Int) throws -> [Song] {
        var all: [Song] = []
        var page = try songs(SQLiteCatalogueTables.firstPage, [size])
        while let last = page.last {
            all += page
            page = try songs(SQLiteCatalogueTables.nextPage, [last.score, Int(last.id), size])
        }
        return all
    }

    private func page(afterScore score: Int, size: Int) throws -> [Song] {
        guard let place = try songs(SQLiteCatalogueTables.firstScored, [score]).first else { return [] }
        return try songs(SQLiteCatalogueTables.nextPage, [place.score, Int(place.id), size])
    }

    /// Two statements in the order of the artists, merged.
    private func artistsWithSongs() throws -> [(Artist, [Song])] {
        var results: [(Artist, [Song])] = []
        try rows(try statement(SQLiteCatalogueTables.artists)) { results.append((Artist(statement: $0), [])) }
        var index = 0
        try rows(try statement(SQLiteCatalogueTables.songsByArtist)) {
            let song = Song(statement: $0)
            while results[index].0.id != song.artist.key { index += 1 }
            results[index].1.append(song)
        }
        return results
    }
}

extension Song {
    fileprivate init(statement: OpaquePointer) {
        id = sqlite3_column_int64(statement, 0)
        title = text(statement, 1)
        artist = Ref(sqlite3_column_int64(statement, 2))
        genre = text(statement, 3)
        mood = text(statement, 4)
        plays = Int(sqlite3_column_int64(statement, 5))
        length = sqlite3_column_double(statement, 6)
        score = Int(sqlite3_column_int64(statement, 7))
    }
}

extension Artist {
    fileprivate init(statement: OpaquePointer) {
        id = sqlite3_column_int64(statement, 0)
        name = text(statement, 1)
        country = text(statement, 2)
    }
}

private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    let utf8 = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: utf8, count: count), as: UTF8.self)
}
