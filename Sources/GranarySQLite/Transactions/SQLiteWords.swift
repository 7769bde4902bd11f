import CSQLite
import GranaryPlatform
import GranaryStoreKit

// The table `granary:words` is made when the first index of words is: most stores have none. A block begins with its
// checksum, 4 bytes, little-endian.

/// The blocks of the indexes of words in one transaction. Its statements end with the session.
class SQLiteWords: WordBlocks {
    fileprivate let reader: SQLiteReader
    private let cache: WordStatements

    init(_ reader: SQLiteReader, _ session: Session) {
        self.reader = reader
        cache = session.words
    }

    final func read(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        try running(.read, [key]) { statement in
            guard try statement.step() else { return false }
            try body(SQLiteWords.block(statement.cell(at: 0), key.withUnsafeBytes { hash64($0, seed: 0) }))
            return true
        }
    }

    final func readLast(atOrBefore key: [UInt8], _ body: (WordBlock) throws -> Void) throws -> Bool {
        try running(.readLast, [key]) { statement in
            guard try statement.step() else { return false }
            try body(SQLiteWords.block(of: statement))
            return true
        }
    }

    final func readEach(from key: [UInt8], _ body: (WordBlock) throws -> Bool) throws {
        try running(.readEach, [key]) { statement in
            while try statement.step() {
                _ = try reader.live()
                guard try body(SQLiteWords.block(of: statement)) else { return }
            }
        }
    }

    private static func block(of statement: Statement) throws -> WordBlock {
        let key = statement.cell(at: 0).rawBytes
        return WordBlock(key: key, value: try block(statement.cell(at: 1), hash64(key, seed: 0)))
    }

    /// A block without its checksum.
    private static func block(_ cell: Cell, _ seed: UInt64) throws -> UnsafeRawBufferPointer {
        let bytes = cell.rawBytes
        guard bytes.count >= 4 else { throw WordIndexError.corrupt("a block is too short") }
        let block = UnsafeRawBufferPointer(rebasing: bytes[4...])
        guard bytes.loadUnaligned(as: UInt32.self) == checksum(of: block, seed) else {
            throw WordIndexError.corrupt("a block has a wrong checksum")
        }
        return block
    }

    /// - Parameter seed: The hash of the block's key.
    fileprivate static func checksum(of block: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash64(block, seed: seed)).littleEndian
    }

    fileprivate func running<T>(
        _ query: WordStatements.Query, _ values: [[UInt8]], _ body: (Statement) throws -> T
    ) throws -> T {
        _ = try reader.live()
        let statement = try cache.take(query)
        defer { cache.giveBack(statement, query) }
        for (place, value) in values.enumerated() {
            try statement.bind(copying: .bytes(value), at: Int32(place + 1))
        }
        return try body(statement)
    }
}

/// The blocks in a transaction that changes them.
final class WritableSQLiteWords: SQLiteWords, WritableWordBlocks {
    private let writer: SQLiteWriter

    init(_ writer: SQLiteWriter, _ session: Session) throws {
        self.writer = writer
        super.init(writer, session)
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        let seed = key.withUnsafeBytes { hash64($0, seed: 0) }
        let sum = value.withUnsafeBytes { SQLiteWords.checksum(of: $0, seed) }
        try changing(.put, [key, withUnsafeBytes(of: sum) { Array($0) } + value])
    }

    func delete(_ key: [UInt8]) throws { try changing(.delete, [key]) }

    func deleteAll(prefix: [UInt8]) throws {
        guard let end = successorOfPrefix(prefix) else { return try changing(.deleteAll, []) }
        try changing(.deleteRange, [prefix, end])
    }

    /// Changes blocks. The store does not count this as a change of its records.
    private func changing(_ query: WordStatements.Query, _ values: [[UInt8]]) throws {
        let session = try writer.writing()
        do {
            try session.uncounted { try running(query, values) { try $0.run() } }
        } catch {
            throw writer.note(error)
        }
    }
}

/// The prepared statements of a session for the blocks of indexes of words.
final class WordStatements {
    enum Query: Int {
        case read, readLast, readEach, put, delete, deleteRange, deleteAll

        fileprivate var sql: String {
            switch self {
            case .read: "SELECT \"block\" FROM \"granary:words\" WHERE \"key\" = ?1"
            case .readLast:
                "SELECT \"key\", \"block\" FROM \"granary:words\" WHERE \"key\" <= ?1 ORDER BY \"key\" DESC LIMIT 1"
            case .readEach:
                "SELECT \"key\", \"block\" FROM \"granary:words\" WHERE \"key\" >= ?1 ORDER BY \"key\""
            case .put: "INSERT OR REPLACE INTO \"granary:words\" VALUES (?1, ?2)"
            case .delete: "DELETE FROM \"granary:words\" WHERE \"key\" = ?1"
            case .deleteRange: "DELETE FROM \"granary:words\" WHERE \"key\" >= ?1 AND \"key\" < ?2"
            case .deleteAll: "DELETE FROM \"granary:words\""
            }
        }
    }

    private let connection: Connection
    /// Statements that are not in use, by query.
    private var free: [Query: [Statement]] = [:]

    init(_ connection: Connection) { self.connection = connection }

    /// A statement for one use: blocks may be read while others are.
    func take(_ query: Query) throws -> Statement {
        if let statement = free[query]?.popLast() { return statement }
        return try Statement(connection, query.sql)
    }

    func giveBack(_ statement: Statement, _ query: Query) {
        statement.reset()
        free[query, default: []].append(statement)
    }

    func finalizeAll() {
        for statement in free.values.joined() { statement.finalize() }
        free = [:]
    }
}

extension SQLiteReader: WordKeeping {
    func wordBlocks() throws -> (any WordBlocks)? {
        let session = try live()
        return try session.hasWords() ? SQLiteWords(self, session) : nil
    }
}

extension SQLiteWriter: WordWriting {
    func writableWordBlocks() throws -> any WritableWordBlocks {
        let session = try writing()
        do {
            if try !session.hasWords() { try session.connection.execute(SchemaSQL.words.sql) }
        } catch {
            throw note(error)
        }
        return try WritableSQLiteWords(self, session)
    }
}

extension Session {
    /// Checked each time: the table disappears when the transaction in which it was made is rolled back.
    fileprivate func hasWords() throws -> Bool {
        try !rows("SELECT 1 FROM sqlite_schema WHERE name = 'granary:words'").isEmpty
    }
}
