import Granary
import GranarySQLite

func askInSQL(_ snapshot: Snapshot, _ name: String) throws -> [String] {
    // Records: the columns are found by name, whatever else there is.
    let songs = try snapshot.fetch(
        Song.self,
        """
        SELECT Song.* FROM Song JOIN Artist ON Song.artist = Artist.id
        WHERE Artist.name = \(name) AND Song.plays IN \([3, 9]) ORDER BY length(title) DESC, Song.id
        """)

    // Rows: values by the names of columns, and by position.
    let rows = try snapshot.rows(
        """
        SELECT title, sum(plays) OVER (ORDER BY id) AS running FROM \(table: Song.self)
        WHERE \(column: \Song.Fields.plays) > \(0) ORDER BY id
        """)
    let running = try rows.map { "\(try $0.value("title", as: String.self)) \(try $0.value(at: 1, as: Int.self))" }

    // One value, or nil.
    let best = try snapshot.value("SELECT max(rating) FROM Artist", as: Double.self)
    return songs.map(\.title) + running + [best.map { "\($0)" } ?? "none"]
}

func writeInSQL(_ tx: Transaction, _ least: Int) throws -> Int {
    let recent: SQL = "plays < \(least)"
    return try tx.execute("UPDATE Song SET plays = plays + 1 WHERE \(recent) AND title <> \("Kiss")")
}
