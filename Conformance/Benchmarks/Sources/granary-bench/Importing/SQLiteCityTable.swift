import CSQLiteRaw

/// The table of cities that every subject on SQLite but Granary uses.
enum SQLiteCityTable {
    static let schema = """
        CREATE TABLE IF NOT EXISTS City (
            geonameid INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            countrycode TEXT NOT NULL,
            population INTEGER NOT NULL,
            timezone TEXT NOT NULL,
            admin1code TEXT NOT NULL
        ) STRICT;
        """
    static let upsert = """
        INSERT INTO City VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name,
            latitude = excluded.latitude, longitude = excluded.longitude, countrycode = excluded.countrycode,
            population = excluded.population, timezone = excluded.timezone, admin1code = excluded.admin1code
        """
    static let sums = "SELECT count(*), sum(population) FROM City"

    static func content(_ connection: RawSQLiteConnection, _ sums: String) throws -> ImportedContent {
        let statement = try connection.prepare(sums)
        defer { sqlite3_finalize(statement) }
        try connection.check(sqlite3_step(statement), SQLITE_ROW)
        return ImportedContent(
            count: Int(sqlite3_column_int64(statement, 0)), sum: Int(sqlite3_column_int64(statement, 1)))
    }
}

extension ImportedCity {
    /// From what `JSONSerialization` makes of a line.
    init?(_ object: [String: Any]) {
        guard let geonameid = object["geonameid"] as? Int64, let name = object["name"] as? String,
            let latitude = object["latitude"] as? Double, let longitude = object["longitude"] as? Double,
            let countrycode = object["countrycode"] as? String, let population = object["population"] as? Int,
            let timezone = object["timezone"] as? String, let admin1code = object["admin1code"] as? String
        else { return nil }
        self.init(
            geonameid: geonameid, name: name, latitude: latitude, longitude: longitude, countrycode: countrycode,
            population: population, timezone: timezone, admin1code: admin1code)
    }

    /// Runs a statement with the values bound where they lie; nothing is copied.
    func insert(_ statement: OpaquePointer) -> Int32 {
        var (name, countrycode, timezone, admin1code) = (name, countrycode, timezone, admin1code)
        sqlite3_bind_int64(statement, 1, geonameid)
        sqlite3_bind_double(statement, 3, latitude)
        sqlite3_bind_double(statement, 4, longitude)
        sqlite3_bind_int64(statement, 6, Int64(population))
        return name.withUTF8 { name in
            countrycode.withUTF8 { countrycode in
                timezone.withUTF8 { timezone in
                    admin1code.withUTF8 { admin1code in
                        Track.bind(name, statement, 2)
                        Track.bind(countrycode, statement, 5)
                        Track.bind(timezone, statement, 7)
                        Track.bind(admin1code, statement, 8)
                        let code = sqlite3_step(statement)
                        sqlite3_reset(statement)
                        return code
                    }
                }
            }
        }
    }
}
