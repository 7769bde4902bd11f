import GranaryPlatform
import GranaryStoreKit
import Testing

@testable import GranarySQLite

struct StatementTraceTests {
    private final class Seen: Sendable {
        private let lock = Lock()
        // Read and written only while `lock` is held.
        nonisolated(unsafe) private var all: [StoreStatement] = []

        var statements: [StoreStatement] { lock.withLock { all } }
        func add(_ statement: StoreStatement) { lock.withLock { all.append(statement) } }
    }

    @Test func `a connection reports its statements with their rows and placeholders, until it is no longer followed`()
        throws
    {
        let connection = try Connection(path: ":memory:", purpose: .building, options: SQLiteOptions())
        defer { connection.close() }
        let seen = Seen()
        try connection.execute("CREATE TABLE t (a TEXT)")
        connection.follow { seen.add($0) }
        let insert = try Statement(connection, "INSERT INTO t VALUES (?1)")
        for text in ["secret", "other"] {
            try insert.bind(copying: .string(text), at: 1)
            try insert.run()
        }
        #expect(try connection.values("SELECT a FROM t").count == 2)
        #expect(seen.statements.map(\.text) == Array(repeating: insert.sql, count: 2) + ["SELECT a FROM t"])
        #expect(seen.statements.map(\.rows) == [0, 0, 2])
        #expect(seen.statements.allSatisfy { $0.duration >= .zero })
        connection.stopFollowing()
        #expect(connection.trace == nil)
        try connection.execute("DELETE FROM t")
        #expect(seen.statements.count == 3)
        insert.finalize()
    }
}
