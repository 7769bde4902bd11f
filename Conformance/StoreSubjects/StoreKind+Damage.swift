import ConformanceKit
import GranaryCore
import GranaryLMDB
import GranaryMemory
import GranarySQLite
import GranaryTool

extension StoreKind {
    /// Damages the store at a path, which no stack has open.
    func damage(_ damage: StoreDamage, _ path: String) throws {
        switch self {
        case .sqlite: try UncheckedSQL.run(damage.sql, onDatabase: path + "/gen-0001/db.sqlite")
        case .lmdb:
            let engine = try LMDBEngine(folder: path + "/gen-0001")
            defer { try? engine.close() }
            try damage.apply(to: engine)
        case .memory:
            guard let engine = MemoryStoreProvider.inMemory(named: path).engine else {
                throw GranaryError(.notAStore, "This process has no store in memory that is named \"\(path)\".")
            }
            try damage.apply(to: engine)
        }
    }
}

extension StoreDamage {
    /// Statements for the database of a SQLite store.
    ///
    /// While an index is not in SQLite's schema, SQLite does not write to the pages of the index. While an index is not
    /// unique there, SQLite does not look for equal values.
    fileprivate var sql: String {
        get throws {
            switch self {
            case .missingEntry:
                """
                CREATE TEMP TABLE kept AS SELECT * FROM Note WHERE slug = 'b';
                DELETE FROM Note WHERE slug = 'b';
                \(StoreDamage.withoutIndex("INSERT INTO Note SELECT * FROM temp.kept"))
                """
            case .missingRow: StoreDamage.withoutIndex("DELETE FROM Note WHERE slug = 'b'")
            case .danglingReference: "PRAGMA foreign_keys = OFF; DELETE FROM Shelf WHERE id = 2"
            case .equalUniqueValues:
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, 'CREATE UNIQUE INDEX', 'CREATE INDEX')
                    WHERE type = 'index' AND tbl_name = 'Counter';
                PRAGMA writable_schema = RESET;
                UPDATE Counter SET label = 'a' WHERE id = 2;
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, 'CREATE INDEX', 'CREATE UNIQUE INDEX')
                    WHERE type = 'index' AND tbl_name = 'Counter';
                PRAGMA writable_schema = RESET
                """
            case .wrongChecksum:
                throw GranaryError(.unsupported, "a SQLite store has row checksums only if it was made with them")
            case .keyCounterBehind: "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'Counter'"
            }
        }
    }

    private static func withoutIndex(_ statement: String) -> String {
        """
        CREATE TEMP TABLE noted AS SELECT * FROM sqlite_schema
            WHERE type = 'index' AND tbl_name = 'Note' AND sql IS NOT NULL;
        PRAGMA writable_schema = ON;
        DELETE FROM sqlite_schema WHERE name IN (SELECT name FROM temp.noted);
        PRAGMA writable_schema = RESET;
        \(statement);
        PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema SELECT * FROM temp.noted;
        PRAGMA writable_schema = RESET
        """
    }
}
