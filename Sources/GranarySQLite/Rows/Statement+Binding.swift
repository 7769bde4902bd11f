import CSQLite
import GranaryStoreKit

/// An address for values without bytes: SQLite treats a null pointer as NULL.
// Safe from any thread: never written, never freed.
nonisolated(unsafe) private let nothing = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

extension Statement {
    /// Binds a cell to a parameter, counted from 1, without copying: the bytes that it points at must stay valid until
    /// the statement has been stepped to its end, or the parameter is bound again.
    @inline(__always) func bind(_ cell: Cell, at parameter: Int32) throws {
        let code: Int32
        switch cell.kind {
        case .null: code = sqlite3_bind_null(handle, parameter)
        case .integer: code = sqlite3_bind_int64(handle, parameter, cell.integerValue)
        case .real: code = sqlite3_bind_double(handle, parameter, cell.realValue)
        case .text:
            let bytes = cell.rawBytes
            code = sqlite3_bind_text64(
                handle, parameter, (bytes.baseAddress ?? nothing).assumingMemoryBound(to: CChar.self),
                sqlite3_uint64(bytes.count), nil, UInt8(SQLITE_UTF8))
        case .bytes:
            let bytes = cell.rawBytes
            code = sqlite3_bind_blob64(
                handle, parameter, bytes.baseAddress ?? nothing, sqlite3_uint64(bytes.count), nil)
        }
        guard code == SQLITE_OK else { throw connection.failure(code) }
    }

    /// Binds a value to a parameter, copying it: for statements that outlive the call.
    func bind(copying value: StoredValue, at parameter: Int32) throws {
        try value.withCell { cell in
            let bytes = cell.rawBytes
            let code: Int32
            switch cell.kind {
            case .null, .integer, .real: return try bind(cell, at: parameter)
            case .text:
                code = granary_sqlite3_bind_text_copy(
                    handle, parameter, bytes.baseAddress ?? nothing, sqlite3_uint64(bytes.count))
            case .bytes:
                code = granary_sqlite3_bind_blob_copy(
                    handle, parameter, bytes.baseAddress ?? nothing, sqlite3_uint64(bytes.count))
            }
            guard code == SQLITE_OK else { throw connection.failure(code) }
        }
    }

    func bind(copying values: [StoredValue]) throws {
        for (index, value) in values.enumerated() { try bind(copying: value, at: Int32(index + 1)) }
    }

    /// Binds a row's cells to the parameters from the first on, without copying, and checks their kinds.
    @inline(__always) func bind(_ row: borrowing Row, of layout: EntityLayout) throws {
        guard row.count == layout.count else { throw GranaryError.cellCount(layout.entity, row.count) }
        for position in 0..<row.count {
            let cell = row[position]
            try layout.check(cell, at: position)
            try bind(cell, at: Int32(truncatingIfNeeded: position &+ 1))
        }
    }
}
