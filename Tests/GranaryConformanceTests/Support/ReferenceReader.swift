import ConformanceKit
import ConformanceModels
import GranaryCore

class ReferenceReader: StoreReader {
    var state: ReferenceState
    /// In the order of their numbers.
    var history: [HistoryEntry]
    let transactionNumber: UInt64
    private let cancellation: CancellationFlag
    private let lent = LentRow()
    private(set) var isEnded = false
    /// Grows with each write, so that cursors notice.
    var writes = 0

    init(_ committed: ReferenceContents.Committed, _ cancellation: CancellationFlag = CancellationFlag()) {
        state = committed.state
        history = committed.history
        transactionNumber = committed.number
        self.cancellation = cancellation
    }

    func check() throws {
        if isEnded { throw GranaryError(.closed, "The transaction has ended. Begin another.") }
        try cancellation.check()
    }

    var schema: Schema { state.schema }

    func find(_ key: Cell, in entity: Int) throws -> Row? {
        try check()
        return state.row(StoredValue(key), in: entity).map { lent.lend($0) }
    }

    func matching(_ request: FetchRequest) throws -> [[StoredValue]] {
        try check()
        do {
            return try ResolvedEvaluator(state: state, cancellation: cancellation).rows(request)
        } catch let error as GranaryError where error.entity == nil && [.overflow, .range].contains(error.code) {
            throw error.about(schema.entities[request.entity])
        }
    }

    func rows(_ request: FetchRequest) throws -> any RowCursor { ReferenceCursor(try matching(request), of: self) }
    func lastAssignedKey(of entity: Int) throws -> Int64 {
        try check()
        return state.schema.entities[entity].keyGeneration == .assigned ? state.largestKey[entity] : 0
    }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try check()
        return Array(history.filter { $0.number > number }.prefix(max(0, limit)))
    }
    func end() { isEnded = true }
}

final class ReferenceCursor: RowCursor {
    private let rows: [[StoredValue]]
    private let reader: ReferenceReader
    private let writes: Int
    private let lent = LentRow()
    private var position = 0

    init(_ rows: [[StoredValue]], of reader: ReferenceReader) {
        self.rows = rows
        self.reader = reader
        writes = reader.writes
    }

    func next() throws -> Row? {
        try reader.check()
        if reader.writes != writes { throw GranaryError.cursorInvalidated }
        guard position < rows.count else { return nil }
        position += 1
        return lent.lend(rows[position - 1])
    }
}

/// The memory of one row, used again for the next.
final class LentRow {
    private var cells: UnsafeMutablePointer<Cell>?
    private var blocks: [UnsafeMutableRawPointer] = []

    func lend(_ row: [StoredValue]) -> Row {
        free()
        let cells = UnsafeMutablePointer<Cell>.allocate(capacity: max(row.count, 1))
        for (position, value) in row.enumerated() {
            let cell: Cell
            switch value {
            case .null: cell = .null
            case .integer(let value): cell = .integer(value)
            case .real(let value): cell = .real(value)
            case .text(let bytes): cell = .text(copy(bytes))
            case .bytes(let bytes): cell = .bytes(copy(bytes))
            }
            (cells + position).initialize(to: cell)
        }
        self.cells = cells
        return Row(cells: UnsafePointer(cells), count: row.count)
    }

    private func copy(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        block.copyBytes(from: bytes)
        if let start = block.baseAddress { blocks.append(start) }
        return UnsafeRawBufferPointer(start: block.baseAddress, count: bytes.count)
    }

    private func free() {
        for block in blocks { block.deallocate() }
        blocks = []
        cells?.deallocate()
        cells = nil
    }

    deinit { free() }
}
