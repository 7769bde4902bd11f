import Foundation
import GranaryMemory
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

private let schema = Schema(Singer.self, Track.self, Badge.self)
private let badge = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()

extension TemporaryFolder {
    /// A stack with two singers, three tracks and a badge.
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

@Suite struct RawSQLTextTests {
    @Test func `values become parameters, names are quoted, raw text is text`() {
        let name = "x'; DROP TABLE Singer; --"
        let part: SQL = "level = \(Int8(3))"
        let sql: SQL = """
            SELECT \(column: \Singer.Fields.name) FROM \(table: Singer.self) WHERE name = \(name) AND id IN \([1, 2]) \
            AND \(part) AND data = \([UInt8]([1, 2])) AND rating = \(Double?.none) \(raw: "LIMIT 1")
            """
        #expect(
            sql.text
                == #"SELECT "name" FROM "Singer" WHERE name = ? AND id IN (?, ?) AND level = ? AND data = ? AND rating = ? LIMIT 1"#
        )
        #expect(sql.values == [.string(name), 1, 2, 3, .bytes([1, 2]), nil])
        let empty: SQL = "id IN \([Int]())"
        #expect(empty.text == "id IN ()")
    }
}

@Suite struct RawSQLReadingTests {
    @Test func `decimals are shown as text, and are made of text and integers`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        try stack.blocking.write { (transaction) throws in
            let other = try #require(UUID(uuidString: "10112233-4455-6677-8899-AABBCCDDEEFF"))
            try transaction.insert(Badge(other, 8, price: -0.05))
        }
        try stack.blocking.read { (snapshot) throws in
            let texts = try snapshot.rows("SELECT granary_text(price) AS price FROM Badge ORDER BY Badge.price")
                .map { try $0.value("price", as: String.self) }
            #expect(texts == ["-0.05", "12.5"])
            let count = try snapshot.value(
                "SELECT count(*) FROM Badge WHERE price = granary_decimal('12.50')", as: Int.self)
            #expect(count == 1)
            let integer = try snapshot.value("SELECT granary_text(granary_decimal(1200))", as: String.self)
            #expect(integer == "1200")
            #expect(try snapshot.value("SELECT granary_text(NULL)", as: String.self) == nil)
            for wrong in [
                "granary_text('12.5')", "granary_text(x'00')", "granary_decimal('a')", "granary_decimal(1.5)",
            ] {
                #expect(throws: GranaryError.self) { try snapshot.value("SELECT \(raw: wrong)", as: String.self) }
            }
        }
    }

    @Test func `records are made of columns by name, in any order`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        try stack.blocking.read { (snapshot) throws in
            let found = try snapshot.fetch(
                Singer.self, "SELECT rating, 1 AS more, name, level, id FROM Singer WHERE id < \(3) ORDER BY id DESC")
            #expect(found == [Singer(2, "Bo"), Singer(1, "Ana", level: 3, rating: 4.5)])
            #expect(try snapshot.fetch(Badge.self, "SELECT * FROM Badge") == [Badge(badge, 7, price: 12.5)])
            let missing = failure { _ = try snapshot.fetch(Singer.self, "SELECT id, name, level FROM Singer") }
            #expect(missing?.code == .invalidQuery)
            #expect(missing?.entity == "Singer")
            #expect(missing?.attributes == ["rating"])
            let twice = failure { () throws in
                _ = try snapshot.fetch(
                    Singer.self, "SELECT * FROM Singer JOIN Track ON Track.singer = Singer.id")
            }
            #expect(twice?.code == .invalidQuery)
            #expect(twice?.attributes == ["id"])
            let wrong = failure { () throws in
                _ = try snapshot.fetch(Singer.self, "SELECT id, name, 300 AS level, rating FROM Singer")
            }
            #expect(wrong?.code == .range)
            #expect(wrong?.attributes == ["level"])
            let absent = failure { () throws in
                _ = try snapshot.fetch(Singer.self, "SELECT id, NULL AS name, level, rating FROM Singer")
            }
            #expect(absent?.code == .required)
        }
        try stack.blocking.close()
    }

    @Test func `rows have values by name and by position`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        try stack.blocking.write { (transaction) throws in
            try transaction.insert(Singer(4, "Dee"))
            let rows = try transaction.rows(
                """
                SELECT s.name, count(t.id) AS tracks, avg(s.rating) AS rating FROM Singer s
                LEFT JOIN Track t ON t.singer = s.id GROUP BY s.id HAVING s.id <> \(3) ORDER BY s.id
                """)
            #expect(rows.map(\.values) == [["Ana", 1, 4.5], ["Bo", 2, nil], ["Dee", 0, nil]])
            #expect(rows.first?.columns == ["name", "tracks", "rating"])
            let row = try #require(rows.first)
            #expect(try row.value("name", as: String.self) == "Ana")
            #expect(try row.value(at: 1, as: Int.self) == 1)
            #expect(try rows[1].value("rating", as: Double?.self) == nil)
            #expect(failure { _ = try rows[1].value("rating", as: Double.self) }?.code == .typeMismatch)
            #expect(failure { _ = try row.value("name", as: Int.self) }?.code == .typeMismatch)
            #expect(failure { _ = try row.value("nothing", as: Int.self) }?.code == .invalidQuery)
            #expect(failure { _ = try row.value(at: 3, as: Int.self) }?.code == .invalidQuery)
            #expect(try transaction.value("SELECT count(*) FROM Singer", as: Int.self) == 4)
            #expect(try transaction.value("SELECT max(rating) FROM Singer WHERE id = 2", as: Double.self) == nil)
            #expect(try transaction.value("SELECT id FROM Singer WHERE id = 9", as: Int.self) == nil)
            #expect(failure { _ = try transaction.value("SELECT 1, 2", as: Int.self) }?.code == .invalidQuery)
        }
        try stack.blocking.close()
    }

    @Test func `a value cannot change what a statement does`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        let hostile = [
            "'; DELETE FROM Singer; --", "Ana' OR '1'='1", "\" OR 1=1 --", "?1", ":name", "a\0b",
            "); DROP TABLE Singer",
        ]
        try stack.blocking.write { (transaction) throws in
            for text in hostile {
                #expect(try transaction.fetch(Singer.self, "SELECT * FROM Singer WHERE name = \(text)").isEmpty)
                #expect(try transaction.execute("UPDATE Singer SET rating = 1 WHERE name = \(text)") == 0)
                #expect(try transaction.execute("UPDATE Singer SET name = \(text) WHERE id = 3") == 1)
                #expect(try transaction.find(Singer.self, 3)?.name == text)
                #expect(try transaction.value("SELECT id FROM Singer WHERE name IN \([text])", as: Int.self) == 3)
            }
            #expect(try transaction.count(Singer.all) == 3)
            // Inside quotes a place for a value is none.
            let quoted = failure { _ = try transaction.rows("SELECT * FROM Singer WHERE name = '\(hostile[0])'") }
            #expect(quoted?.code == .invalidQuery)
            #expect(failure { _ = try transaction.rows("SELECT \(raw: "?")") }?.code == .invalidQuery)
        }
        try stack.blocking.close()
    }

    @Test func `a statement that is none has SQLite's message`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        try stack.blocking.read { (snapshot) throws in
            let wrong = failure { _ = try snapshot.rows("SELEC 1") }
            #expect(wrong?.code == .invalidQuery)
            #expect(wrong?.message.contains(#"near "SELEC": syntax error"#) == true)
            #expect(failure { _ = try snapshot.rows("SELECT nothing FROM Singer") }?.code == .invalidQuery)
            #expect(failure { _ = try snapshot.rows(#"SELECT "nothing" FROM Singer"#) }?.code == .invalidQuery)
            #expect(failure { _ = try snapshot.rows("") }?.code == .invalidQuery)
            #expect(failure { _ = try snapshot.rows("-- nothing") }?.code == .invalidQuery)
            #expect(failure { _ = try snapshot.rows("SELECT 1; SELECT 2") }?.code == .invalidQuery)
            #expect(failure { _ = try snapshot.rows("SELECT 1; ; /* */ SELECT") }?.code == .invalidQuery)
            #expect(
                failure { _ = try snapshot.rows("SELECT 1\(raw: "\0"); DELETE FROM Singer") }?.code == .invalidQuery)
            #expect(failure { _ = try snapshot.rows("SELECT \(Double.nan)") }?.code == .range)
            #expect(failure { _ = try snapshot.rows("SELECT abs(\(Int64.min))") }?.code == .invalidQuery)
            #expect(try snapshot.rows("SELECT 1; -- the end\n ; /* really */").map(\.values) == [[1]])
        }
        try stack.blocking.close()
    }

    @Test func `a read writes nothing`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        for write: SQL in [
            "DELETE FROM Singer", "INSERT INTO Singer (id, name) VALUES (9, 'X') RETURNING id",
            "WITH x AS (SELECT 1) UPDATE Singer SET rating = 1", "PRAGMA user_version = 5", "VACUUM",
        ] {
            #expect(failure { _ = try stack.blocking.read { _ = try $0.rows(write) } }?.code == .invalidQuery)
            #expect(failure { _ = try stack.blocking.write { _ = try $0.rows(write) } }?.code == .invalidQuery)
        }
        #expect(try stack.blocking.read { $0.transactionNumber } == 1)
        #expect(try stack.blocking.read { try $0.value("PRAGMA user_version", as: Int.self) } == 1)
        #expect(try stack.blocking.read { try $0.rows("PRAGMA table_info(Singer)").count } == 4)
        try stack.blocking.close()
    }

    @Test func `a cancelled read stops within a statement`() throws {
        let folder = try TemporaryFolder()
        let stack = try folder.stack()
        try stack.blocking.close()
        let store = try folder.open(schema)
        let flag = CancellationFlag()
        let reader = try #require(try store.beginRead(flag) as? SQLiteReader)
        var rows = 0
        let stopped = failure { () throws in
            try reader.forEachRaw(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", columns: { _ in }
            ) { _ in
                rows += 1
                if rows == 5 { flag.set() }
            }
        }
        #expect(stopped?.code == .cancelled)
        #expect(rows == 5)
        reader.end()
        try store.close()
    }

    @Test func `another store takes no SQL`() throws {
        let stack = try Stack(schema, store: .inMemory)
        #expect(!stack.capabilities.has(.rawSQL))
        try stack.blocking.write { (transaction) throws in
            try transaction.insert(Singer(1, "Ana"))
            #expect(failure { try transaction.execute("DELETE FROM Singer") }?.code == .unsupported)
            #expect(failure { _ = try transaction.fetch(Singer.self, "SELECT * FROM Singer") }?.code == .unsupported)
        }
        try stack.blocking.read { (snapshot) throws in
            let refused = failure { _ = try snapshot.rows("SELECT 1") }
            #expect(refused?.code == .unsupported)
            #expect(refused?.message.contains("rawSQL") == true)
            #expect(failure { _ = try snapshot.value("SELECT 1", as: Int.self) }?.code == .unsupported)
            #expect(try snapshot.count(Singer.all) == 1)
        }
        try stack.blocking.close()
    }
}
