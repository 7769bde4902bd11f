import CSQLite
import GranaryStoreKit

// The table `granary:history` is made when the first entry is kept: most stores keep none.

extension SQLiteReader {
    final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        let session = try live()
        guard limit > 0, let number = Int64(exactly: number), try session.hasHistory() else { return [] }
        return try session.history(after: number, limit: limit) { _ = try self.live() }
    }
}

extension SQLiteWriter {
    func keepHistory(_ entry: HistoryEntry) throws {
        let session = try writing()
        guard let number = Int64(exactly: entry.number), !entry.time.isNaN else {
            throw GranaryError(.range, "The number or the time of an entry of the history is none.")
        }
        let values: [StoredValue] = [
            .integer(number), .real(entry.time), entry.author.map { .string($0) } ?? .null, .bytes(entry.changes),
        ]
        keepsHistory = true
        try atomically(session) {
            try session.connection.execute(SchemaSQL.historyCreation)
            do {
                _ = try session.run("INSERT INTO \"granary:history\" VALUES (?1, ?2, ?3, ?4)", binding: values)
            } catch let error as GranaryError where error.underlying?.code == granary_SQLITE_CONSTRAINT_PRIMARYKEY {
                throw GranaryError(.uniqueness, "The history has an entry with this number. Delete that first.")
            }
        }
    }

    func deleteHistory(through number: UInt64) throws {
        let session = try writing()
        guard try session.hasHistory() else { return }
        let number = Int64(clamping: number)
        do {
            try session.uncounted {
                _ = try session.run(
                    "DELETE FROM \"granary:history\" WHERE \"number\" <= ?1", binding: [.integer(number)])
            }
        } catch {
            throw note(error)
        }
    }
}

extension Session {
    /// Checked each time: the table disappears when the savepoint in which it was made is rolled back.
    func hasHistory() throws -> Bool {
        try !rows("SELECT 1 FROM sqlite_schema WHERE name = 'granary:history'").isEmpty
    }

    /// - Parameter proceed: Called before each entry; may throw to stop.
    func history(after number: Int64, limit: Int, _ proceed: () throws -> Void = {}) throws -> [HistoryEntry] {
        let sql = SQLText(
            """
            SELECT "number", "time", "author", "changes" FROM "granary:history" WHERE "number" > ?1 \
            ORDER BY "number" LIMIT ?2
            """, binding: [.integer(number), .integer(Int64(limit))], bounds)
        let lease = try lease(sql, nil)
        defer { giveBack(lease, isFinished: true) }
        var entries: [HistoryEntry] = []
        while let statement = lease.statement, try statement.step() {
            try proceed()
            entries.append(try HistoryEntry(statement))
        }
        return entries
    }
}

extension HistoryEntry {
    /// The entry in a statement's current row.
    fileprivate init(_ statement: Statement) throws {
        let (number, time, author) = (statement.cell(at: 0), statement.cell(at: 1), statement.cell(at: 2))
        let changes = statement.cell(at: 3)
        let name = author.kind == .text ? String(validating: author.rawBytes, as: UTF8.self) : nil
        guard number.kind == .integer, number.integerValue >= 0, time.kind == .real, changes.kind == .bytes,
            author.isNull || name != nil
        else {
            throw GranaryError.damagedHistory
        }
        self.init(
            number: UInt64(number.integerValue), time: time.realValue, author: name, changes: [UInt8](changes.rawBytes))
    }
}
