/// The tables and statements of the C twin.
enum SQLiteCatalogueTables {
    static let schema = """
        CREATE TABLE IF NOT EXISTS Artist (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            country TEXT NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS Artist_name ON Artist (name);
        CREATE TABLE IF NOT EXISTS Song (
            id INTEGER PRIMARY KEY,
            title TEXT NOT NULL,
            artist INTEGER NOT NULL REFERENCES Artist ON DELETE CASCADE,
            genre TEXT NOT NULL,
            mood TEXT NOT NULL,
            plays INTEGER NOT NULL,
            length REAL NOT NULL,
            score INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS Song_artist ON Song (artist);
        CREATE INDEX IF NOT EXISTS Song_genre ON Song (genre);
        CREATE INDEX IF NOT EXISTS Song_score ON Song (score);
        """
    static let insertArtist = "INSERT INTO Artist VALUES (?, ?, ?)"
    static let insertSong = "INSERT INTO Song VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    static let deleteArtists = "DELETE FROM Artist WHERE id <= ?"

    private static let song = "s.id, s.title, s.artist, s.genre, s.mood, s.plays, s.length, s.score"
    private static let artist = "a.id, a.name, a.country"
    static let ofGenre = "SELECT \(song) FROM Song s WHERE genre = ? ORDER BY id"
    static let scored = "SELECT \(song) FROM Song s WHERE score >= ? AND score < ? ORDER BY id"
    static let best = "SELECT \(song) FROM Song s ORDER BY score DESC, id DESC LIMIT ?"
    static let longest = "SELECT \(song) FROM Song s ORDER BY length DESC, id DESC LIMIT ?"
    static let firstPage = "SELECT \(song) FROM Song s ORDER BY score, id LIMIT ?"
    static let firstScored = "SELECT \(song) FROM Song s WHERE score >= ? ORDER BY score, id LIMIT 1"
    static let nextPage = "SELECT \(song) FROM Song s WHERE (score, id) > (?, ?) ORDER BY score, id LIMIT ?"
    static let count = "SELECT count(*) FROM Song WHERE score >= ? AND score < ?"
    static let byGenre = "SELECT genre, count(*), sum(plays) FROM Song GROUP BY genre ORDER BY genre"
    static let byMood = "SELECT mood, count(*), sum(plays) FROM Song GROUP BY mood ORDER BY mood"
    // As a join the second would be answered by scanning the songs, five times more slowly.
    static let ofArtist = """
        SELECT \(song) FROM Song s WHERE artist IN (SELECT id FROM Artist WHERE name = ?) ORDER BY id
        """
    static let ofCountry = """
        SELECT \(song) FROM Song s WHERE artist IN (SELECT id FROM Artist WHERE country = ?) ORDER BY id
        """
    static let withScored = """
        SELECT \(artist) FROM Artist a WHERE id IN (SELECT artist FROM Song WHERE score >= ? AND score < ?) ORDER BY id
        """
    static let played = """
        SELECT \(artist) FROM Artist a WHERE id IN (SELECT artist FROM Song WHERE plays > ?) ORDER BY id
        """
    // As a subquery for each song it would read all songs of the artist again.
    static let bestOfEachArtist = """
        SELECT \(song) FROM Song s JOIN (SELECT artist AS a, max(score) AS best FROM Song GROUP BY artist)
        ON a = s.artist AND best = s.score ORDER BY s.id
        """
    static let artists = "SELECT \(artist) FROM Artist a ORDER BY id"
    static let songsByArtist = "SELECT \(song) FROM Song s ORDER BY artist, id"
}
