import Foundation
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

private let schema = Schema(Singer.self, Track.self, Badge.self)
private let badge = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()

extension TemporaryFolder {
    fileprivate func stack(rowChecksums: Bool = false) throws -> Stack {
        let stack = try Stack(
            schema, store: .sqlite(atPath: store, options: .init(durability: .off, rowChecksums: rowChecksums)))
        try stack.blocking.write { (transaction) throws in
            try transaction.insert([Singer(1, "Ana", level: 3, rating: 4.5), Singer(2, "Bo"), Singer(3, "Cy")])
            try transaction.insert([
                Track(0, "Fire", Ref(1), second: Ref(2)), Track(0, "Rain", Ref(2)), Track(0, "Snow", Ref(2)),
            ])
            try transaction.insert(Badge(badge, 7, price: 12.5))
        }
        return stack
    }
}

private struct Undone: Error {}

@Suite struct RawSQLWritingTests {
    @Test(arguments: [false, true])
    func `a statement changes rows, and says how many`(rowChecksums: Bool) throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack(rowChecksums: rowChecksums)
        try stack.blocking.write { (transaction) throws in
            #expect(try transaction.execute("UPDATE Singer SET rating = 2.5 WHERE id <= \(2)") == 2)
            #expect(try transaction.execute("UPDATE Singer SET rating = 1 WHERE id = 99") == 0)
            #expect(
                try transaction.execute(
                    "INSERT INTO Singer (id, name, level) SELECT id + 10, upper(name), -128 FROM Singer") == 3)
            #expect(
                try transaction.execute(
                    """
                    INSERT INTO Singer (id, name) VALUES (1, 'Eve'), (30, 'Fay')
                    ON CONFLICT (id) DO UPDATE SET name = excluded.name, level = 9
                    """) == 2)
            #expect(try transaction.execute("UPDATE Badge SET level = -level") == 1)
            #expect(try transaction.execute("INSERT INTO Track (title, singer) VALUES ('Hail', 30)") == 1)
        }
        try stack.blocking.read { (snapshot) throws in
            #expect(snapshot.transactionNumber == 2)
            #expect(
                try snapshot.fetch(Singer.all) == [
                    Singer(1, "Eve", level: 9, rating: 2.5), Singer(2, "Bo", rating: 2.5), Singer(3, "Cy"),
                    Singer(11, "ANA", level: -128), Singer(12, "BO", level: -128), Singer(13, "CY", level: -128),
                    Singer(30, "Fay"),
                ])
            #expect(try snapshot.fetch(Badge.all) == [Badge(badge, -7, price: 12.5)])
            #expect(try snapshot.find(Track.self, 4) == Track(4, "Hail", Ref(30)))
        }
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
    }

    @Test(arguments: [false, true])
    func `a deletion follows the delete rules`(rowChecksums: Bool) throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack(rowChecksums: rowChecksums)
        try stack.blocking.write { (transaction) throws in
            #expect(try transaction.execute("DELETE FROM Singer WHERE name = \("Bo")") == 1)
            #expect(try transaction.fetch(Track.all) == [Track(1, "Fire", Ref(1))])
            try transaction.update(Track(1, "Fire", Ref(1), third: Ref(3)))
            let denied = failure { try transaction.execute("DELETE FROM Singer WHERE id = 3") }
            #expect(denied?.code == .deniedDeletion)
            #expect(denied?.entity == "Track")
            #expect(denied?.attributes == ["third"])
            #expect(try transaction.execute("INSERT OR REPLACE INTO Singer (id, name) VALUES (1, 'New')") == 1)
            #expect(try transaction.fetch(Track.all) == [])
        }
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
    }

    @Test(arguments: [false, true])
    func `what a record could not hold is refused and undone`(rowChecksums: Bool) throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack(rowChecksums: rowChecksums)
        let before = try stack.blocking.read { try $0.fetch(Singer.all) }
        let refused: [(SQL, GranaryError.Code, String?, [String])] = [
            ("UPDATE Singer SET level = \(300)", .range, "Singer", ["level"]),
            ("UPDATE Singer SET level = id * 100", .range, "Singer", ["level"]),
            ("INSERT INTO Singer (id, name, level) VALUES (8, 'X', 128)", .range, "Singer", ["level"]),
            ("UPDATE Badge SET level = 128", .range, "Badge", ["level"]),
            ("UPDATE Badge SET price = \([UInt8]([1, 2, 3]))", .typeMismatch, "Badge", ["price"]),
            ("UPDATE Badge SET price = 'NaN'", .typeMismatch, "Badge", []),
            ("INSERT INTO Badge (id, level) VALUES (x'00', 1)", .typeMismatch, "Badge", ["id"]),
            ("UPDATE Singer SET name = CAST(x'ff' AS TEXT) WHERE id = 1", .typeMismatch, "Singer", ["name"]),
            ("UPDATE Singer SET level = 'high'", .typeMismatch, "Singer", []),
            ("UPDATE Singer SET name = NULL", .required, "Singer", ["name"]),
            ("UPDATE Singer SET name = 'Bo' WHERE id = 1", .uniqueness, "Singer", ["name"]),
            ("INSERT INTO Singer (id, name) VALUES (1, 'X')", .uniqueness, "Singer", ["id"]),
            ("INSERT INTO Track (title, singer) VALUES ('X', 99)", .danglingReference, "Track", ["singer"]),
            ("UPDATE Track SET second = 99 WHERE id = 1", .danglingReference, "Track", ["second"]),
        ]
        try stack.blocking.write { (transaction) throws in
            for (sql, code, entity, attributes) in refused {
                let error = failure { try transaction.execute(sql) }
                #expect(error?.code == code, "\(sql.text): \(String(describing: error))")
                #expect(error?.entity == entity, "\(sql.text)")
                #expect(error?.attributes == attributes, "\(sql.text)")
            }
            #expect(try transaction.fetch(Singer.all) == before)
            #expect(try transaction.fetch(Badge.all) == [Badge(badge, 7, price: 12.5)])
        }
        #expect(try stack.blocking.read { $0.transactionNumber } == 1)
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
    }

    static let forbidden: [SQL] = [
        "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "ROLLBACK TO a",
        "ATTACH 'other.db' AS other", "DETACH main", "VACUUM", "VACUUM INTO 'copy.db'", "ANALYZE", "REINDEX",
        "PRAGMA foreign_keys = OFF", "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = ON",
        "PRAGMA defer_foreign_keys = ON", "PRAGMA user_version = 9", "PRAGMA wal_checkpoint", "PRAGMA optimize",
        "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "CREATE TABLE x AS SELECT 1", "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX i ON Singer (rating)", "CREATE TRIGGER t AFTER INSERT ON Singer BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE v USING fts5(a)", "DROP TABLE Singer", "DROP INDEX \"Singer.name unique\"",
        "ALTER TABLE Singer ADD COLUMN x", "ALTER TABLE Singer RENAME TO x", "DELETE FROM \"granary:meta\"",
        "UPDATE \"granary:commit\" SET \"number\" = 0", "INSERT INTO sqlite_sequence VALUES ('Track', 5)",
        "DELETE FROM sqlite_schema", "UPDATE Singer SET id = id + 1", "UPDATE Singer SET rowid = 7",
        "UPDATE Badge SET id = x'00'", "SELECT 1", "EXPLAIN SELECT 1", "DELETE FROM Singer; DELETE FROM Track",
        "DELETE FROM nothing", "",
    ]

    @Test(arguments: forbidden.indices)
    func `everything else is refused before it does anything`(_ index: Int) throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack(rowChecksums: true)
        try stack.blocking.write { (transaction) throws in
            let error = failure { try transaction.execute(RawSQLWritingTests.forbidden[index]) }
            #expect(error?.code == .invalidQuery, "\(RawSQLWritingTests.forbidden[index].text)")
            #expect(failure { try transaction.execute("UPDATE Singer SET \"granary:sum\" = 1") }?.code == .invalidQuery)
            try transaction.insert(Singer(9, "Zoe"))
        }
        #expect(try stack.blocking.read { try $0.count(Singer.all) } == 4)
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
        // The file is what it was: it opens.
        try Stack(schema, store: .sqlite(atPath: folder.store)).blocking.close()
    }

    @Test func `a statement ends cursors, joins savepoints and deferred references`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        try stack.blocking.write { (transaction) throws in
            let cursor = try Singer.all.cursor(in: transaction)
            #expect(try cursor.next()?.id == 1)
            #expect(try transaction.execute("UPDATE Singer SET level = 5 WHERE id = 1") == 1)
            #expect(failure { _ = try cursor.next() }?.code == .cursorInvalidated)
            do {
                try transaction.savepoint { () throws in
                    try transaction.execute("DELETE FROM Track")
                    try transaction.execute("INSERT INTO Singer (id, name, level) VALUES (50, 'X', 1)")
                    throw Undone()
                }
            } catch is Undone {}
            #expect(try transaction.count(Track.all) == 3)
            try transaction.deferringReferences { () throws in
                try transaction.execute("INSERT INTO Track (title, singer) VALUES ('Early', 70)")
                let dangling = failure { () throws in
                    _ = try transaction.deferringReferences { () throws in
                        try transaction.execute("INSERT INTO Track (title, singer) VALUES ('Never', 80)")
                    }
                }
                #expect(dangling?.code == .danglingReference)
                try transaction.insert(Singer(70, "Late"))
            }
            #expect(try transaction.fetch(Track.where { $0.title == "Early" }).map(\.singer) == [Ref(70)])
            #expect(try transaction.fetch(Track.where { $0.title == "Never" }).isEmpty)
        }
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
    }

    @Test func `a statement does not make a damaged row whole`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack(rowChecksums: true)
        try stack.blocking.close()
        _ = try shell(folder.database, "UPDATE Singer SET rating = 9 WHERE id = 2")
        let again = try Stack(schema, store: .sqlite(atPath: folder.store, options: .init(durability: .off)))
        let damaged = failure { try again.blocking.write { _ = try $0.execute("UPDATE Singer SET level = 1") } }
        #expect(damaged?.code == .corrupt)
        try again.blocking.write { (transaction) throws in
            #expect(try transaction.execute("UPDATE Singer SET level = 1 WHERE id = 1") == 1)
            #expect(try transaction.find(Singer.self, 1)?.level == 1)
        }
        try again.blocking.close()
    }

    @Test func `a statement that rolls back ends the transaction`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        let ended = failure { () throws in
            try stack.blocking.write { (transaction) throws in
                try transaction.insert(Singer(9, "Zoe"))
                let error = failure { () throws in
                    try transaction.execute("INSERT OR ROLLBACK INTO Singer (id, name) VALUES (1, 'X')")
                }
                #expect(error?.code == .uniqueness)
                try transaction.insert(Singer(10, "Yan"))
            }
        }
        #expect(ended != nil)
        #expect(try stack.blocking.read { try $0.count(Singer.all) } == 3)
        try stack.blocking.close()
    }
}
