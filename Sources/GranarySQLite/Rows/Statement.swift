import CSQLite
import GranaryStoreKit

/// A prepared statement and the buffer for its rows. For the thread that uses its connection.
// `isActive` and `isListed` are read and set as a whole, so accesses never overlap.
final class Statement {
    let handle: OpaquePointer
    let connection: Connection
    let sql: String
    /// The layout of the statement's rows if they are those of an entity.
    let layout: EntityLayout?
    /// One cell for each attribute, and one more for the checksum.
    let cells: UnsafeMutablePointer<Cell>
    /// For each attribute the allowed kinds of cell, one bit each.
    private let kinds: UnsafeMutablePointer<UInt8>
    let attributeCount: Int
    private var isFinalized = false
    /// Whether it has been stepped and not reset since.
    @exclusivity(unchecked) private(set) var isActive = false
    /// Whether it is in the session's list of statements to reset.
    @exclusivity(unchecked) var isListed = false
    /// Whether the session keeps it for the next query with its text.
    var isKept = false
    /// Whether a ``Lease`` holds it.
    var isLent = false
    /// The request that it was written for, if it serves every request of that shape.
    var shape: RequestShape?
    /// When it was last used, in the session's count.
    var lastUse = 0

    init(_ connection: Connection, _ sql: String, layout: EntityLayout? = nil) throws {
        var prepared: OpaquePointer?
        // SQLite reads up to the NUL at the end of the C string: names and texts of this library contain no NUL.
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.failure(code) }
        handle = prepared
        self.connection = connection
        self.sql = sql
        self.layout = layout
        attributeCount = layout?.count ?? 0
        cells = .allocate(capacity: attributeCount + 1)
        cells.initialize(repeating: .null, count: attributeCount + 1)
        kinds = .allocate(capacity: attributeCount + 1)
        kinds.initialize(repeating: 0, count: attributeCount + 1)
        if let layout {
            for (position, mask) in layout.kinds.enumerated() { kinds[position] = mask }
        }
    }

    deinit {
        finalize()
        cells.deallocate()
        kinds.deallocate()
    }

    /// Releases SQLite's statement. It may be called again.
    func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        isActive = false
        sqlite3_finalize(handle)
    }

    /// How often SQLite has compiled it again because of a change in the database's schema.
    var recompilations: Int32 { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

    /// Makes the statement ready to be bound and stepped from the start.
    func reset() {
        guard isActive else { return }
        isActive = false
        // The result is that of the last step, which has been handled already.
        sqlite3_reset(handle)
    }

    /// Steps. Returns whether there is a row.
    func step() throws -> Bool {
        isActive = true
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failed(code)
    }

    /// Resets after a failed step.
    ///
    /// - Returns: The error to throw.
    func failed(_ code: Int32) -> GranaryError {
        let failure = connection.failure(code)
        reset()
        return failure
    }

    /// Everything needed to step the statement and read its rows. From now on it counts as stepped.
    func beginRows() -> StatementRows {
        isActive = true
        return rows
    }

    private var rows: StatementRows { StatementRows(handle: handle, cells: cells, kinds: kinds, count: attributeCount) }

    /// Steps to the end and resets.
    func run() throws {
        while try step() {}
        reset()
    }

    /// All rows, for statements with few; then resets.
    func values() throws -> [[StoredValue]] {
        var rows: [[StoredValue]] = []
        defer { reset() }
        while try step() {
            rows.append((0..<sqlite3_column_count(handle)).map { StoredValue(cell(at: $0)) })
        }
        return rows
    }

    /// A column of the current row; text and bytes live until the next step or reset.
    ///
    /// It reads the column's value, which is looked up once: each `sqlite3_column_` function would take the
    /// connection's mutex and look the column up again. That value may be used only by the thread that uses the
    /// connection.
    @inline(__always) func cell(at column: Int32) -> Cell { Cell(handle, column) }

    /// Reads the current row into ``cells``.
    ///
    /// - Throws: `corrupt` if a value is of a kind that its attribute does not allow, or the checksum differs.
    func loadRow() throws {
        let loaded = rows.load()
        guard loaded == attributeCount else { throw mismatch(loaded) }
        try verifyChecksum()
    }

    /// Compares the row in ``cells`` with its checksum, if it has one.
    func verifyChecksum() throws {
        guard let layout, layout.hasChecksum else { return }
        let stored = cell(at: Int32(truncatingIfNeeded: attributeCount))
        guard stored.kind == .integer, layout.isIntact(cells, stored.integerValue) else {
            throw GranaryError.damagedRow(layout.entity)
        }
    }

    @inline(never) func mismatch(_ position: Int) -> GranaryError {
        guard let layout else { return GranaryError(.corrupt, "A row is not of the stored form.") }
        let attribute = layout.entity.attributes[position]
        return GranaryError(
            .corrupt,
            "\(layout.entity.path(of: attribute.name)) does not hold \(attribute.type) in a row. Restore it from a backup.",
            about: layout.entity, [attribute.name])
    }
}

/// Everything needed to read the rows of a statement, as plain values, so that reading a row retains nothing.
///
/// The owner of this value must hold the statement, which owns the memory behind the pointers.
struct StatementRows {
    let handle: OpaquePointer
    let cells: UnsafeMutablePointer<Cell>
    /// For each attribute the allowed kinds of cell, one bit each.
    let kinds: UnsafeMutablePointer<UInt8>
    let count: Int

    /// Reads the current row into ``cells``.
    ///
    /// - Returns: The number of leading cells with valid values; less than ``count`` if a value is invalid.
    @inline(__always) func load() -> Int {
        for position in 0..<count {
            let cell = Cell(handle, Int32(truncatingIfNeeded: position))
            guard kinds[position] & (1 << cell.kind.rawValue) != 0 else { return position }
            cells[position] = cell
        }
        return count
    }
}

extension Cell {
    /// A column of a statement's current row; null if the column does not exist.
    @inline(__always) init(_ statement: OpaquePointer, _ column: Int32) {
        guard let value = sqlite3_column_value(statement, column) else {
            self = .null
            return
        }
        self.init(value)
    }

    /// The contents of an SQLite value; text and bytes live as long as the value.
    @inline(__always) init(_ value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            // As a blob: the bytes are the same, and need no trailing NUL.
            let start = sqlite3_value_blob(value)
            let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
            self = .text(UnsafeRawBufferPointer(start: start, count: count))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(value)
            let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
            self = .bytes(UnsafeRawBufferPointer(start: start, count: count))
        default: self = .null
        }
    }
}
