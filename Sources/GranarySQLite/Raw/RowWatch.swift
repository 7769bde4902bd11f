import GranaryStoreKit

// SQLite checks less than an attribute requires: a column of integers accepts any integer, one of text accepts any
// bytes, and SQLite does not know checksums. So the rows written by a caller's statement are checked afterwards.
// Temporary triggers record which rows those are. They also see foreign-key actions and replaced rows, and are removed
// before the statement's savepoint ends. Creating them costs some dozens of microseconds; statements that need none
// cost nothing.
//
// The tables are not made unique: within a trigger the conflict clause of the firing statement would apply.

/// The rows of some entities that one statement inserts or updates.
struct RowWatch {
    private let session: Session
    private let entities: [EntityLayout]

    private static let changed = "\"granary:changed\""

    init(_ entities: [EntityLayout], _ session: Session) {
        self.entities = entities
        self.session = session
    }

    func begin() throws {
        guard !entities.isEmpty else { return }
        try run(
            """
            CREATE TEMP TABLE IF NOT EXISTS \(RowWatch.changed) ("entity" INTEGER, "key"); \
            CREATE INDEX IF NOT EXISTS temp."granary:changed.key" ON "granary:changed" ("entity", "key"); \
            DELETE FROM temp.\(RowWatch.changed)
            """)
        for layout in entities {
            let (table, key) = (layout.sql.table, layout.sql.key)
            if layout.hasChecksum {
                try run(
                    """
                    CREATE TEMP TABLE IF NOT EXISTS \(old(layout)) (\(layout.sql.columns)); \
                    DELETE FROM temp.\(old(layout))
                    """)
            }
            let note = "INSERT INTO \(RowWatch.changed) VALUES (\(layout.index), NEW.\(key))"
            let keep = layout.hasChecksum ? keepOld(layout) : ""
            try run(
                """
                CREATE TEMP TRIGGER \(trigger("insert", layout)) AFTER INSERT ON main.\(table) BEGIN \(note); END; \
                CREATE TEMP TRIGGER \(trigger("update", layout)) AFTER UPDATE ON main.\(table) BEGIN \(keep)\(note); END
                """)
        }
    }

    /// Removes the triggers.
    func end() throws {
        for layout in entities {
            try run("DROP TRIGGER temp.\(trigger("insert", layout)); DROP TRIGGER temp.\(trigger("update", layout))")
        }
    }

    /// A statement over the attributes of the written rows that still exist.
    func written(_ layout: EntityLayout) throws -> Statement {
        let columns = layout.sql.names.map { "t.\($0)" }.joined(separator: ", ")
        return try Statement(
            session.connection,
            """
            SELECT \(columns) FROM (SELECT DISTINCT "key" FROM temp.\(RowWatch.changed) WHERE "entity" = \(layout.index)) \
            AS c CROSS JOIN \(layout.sql.table) AS t ON t.\(layout.sql.key) = c."key"
            """)
    }

    /// A statement over the rows as they were before they were updated: a new checksum over an unchecked row would make
    /// its damage permanent.
    func replaced(_ layout: EntityLayout) throws -> Statement {
        try Statement(
            session.connection, "SELECT \(layout.sql.columns) FROM temp.\(old(layout))", layout: layout)
    }

    /// Keeps a row only as it was before the statement: rows that the statement itself wrote have no checksum yet.
    private func keepOld(_ layout: EntityLayout) -> String {
        let columns = layout.sql.names.map { "OLD.\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO \(old(layout)) SELECT \(columns), OLD.\(EntitySQL.checksum) WHERE NOT EXISTS \
            (SELECT 1 FROM \(RowWatch.changed) WHERE "entity" = \(layout.index) AND "key" = OLD.\(layout.sql.key)); 
            """
    }

    private func old(_ layout: EntityLayout) -> String { EntitySQL.quoted("granary:old:\(layout.name)") }

    private func trigger(_ event: String, _ layout: EntityLayout) -> String {
        EntitySQL.quoted("granary:\(event):\(layout.name)")
    }

    private func run(_ sql: String) throws { try session.uncounted { try session.connection.execute(sql) } }
}
