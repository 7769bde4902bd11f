/// The table that every subject on SQLite but Granary itself uses, and its settings; both are those of Granary's store.
enum SQLiteTrackTable {
    static let schema = """
        CREATE TABLE IF NOT EXISTS Track (
            id INTEGER PRIMARY KEY,
            title TEXT NOT NULL,
            artist TEXT NOT NULL,
            comment TEXT NOT NULL,
            length REAL NOT NULL,
            rating REAL,
            plays INTEGER NOT NULL,
            isFavourite INTEGER NOT NULL,
            added REAL NOT NULL,
            cover BLOB NOT NULL,
            composer TEXT
        ) STRICT;
        CREATE INDEX IF NOT EXISTS Track_artist ON Track (artist);
        """
    static let writing = "PRAGMA synchronous = FULL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY"
    static let reading = "PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY"

    static let insert = "INSERT INTO Track VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    private static let columns =
        "id, title, artist, comment, length, rating, plays, isFavourite, added, cover, composer"
    static let all = "SELECT \(columns) FROM Track ORDER BY id"
    static let byKey = "SELECT \(columns) FROM Track WHERE id = ?"
    static let selection = """
        SELECT \(columns) FROM Track WHERE artist >= ? AND artist < ? AND plays >= ? ORDER BY length, id LIMIT ?
        """
}
