/// A row that owns its values and is never changed: kept by contexts, and by stores in memory.
///
/// One allocation for each row, for the cells and the bytes that they point at.
// @unchecked: the memory is written only in init, before any other code has the row, and freed in deinit.
public final class StoredRow: @unchecked Sendable {
    /// The number of cells.
    public let count: Int
    /// The cells. Valid while the row lives.
    package let cells: UnsafePointer<Cell>
    private let block: UnsafeMutableRawPointer

    /// Copies cells and the bytes that they point at.
    package init(copying source: UnsafePointer<Cell>, count: Int) {
        self.count = count
        var room = count * MemoryLayout<Cell>.stride
        for position in 0..<count { room += source[position].rawBytes.count }
        block = .allocate(byteCount: max(room, 1), alignment: MemoryLayout<Cell>.alignment)
        let copies = block.bindMemory(to: Cell.self, capacity: count)
        var place = block + count * MemoryLayout<Cell>.stride
        for position in 0..<count {
            let cell = source[position]
            let bytes = cell.rawBytes
            if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
            let kept = UnsafeRawBufferPointer(start: place, count: bytes.count)
            let copy: Cell =
                switch cell.kind {
                case .null, .integer, .real: cell
                case .text: .text(kept)
                case .bytes: .bytes(kept)
                }
            (copies + position).initialize(to: copy)
            place += bytes.count
        }
        cells = UnsafePointer(copies)
    }

    /// A copy of a row.
    public convenience init(_ row: borrowing Row) { self.init(copying: row.cells, count: row.count) }

    public convenience init(_ values: [StoredValue]) {
        let held = HeldCells(values)
        self.init(held)
    }

    private convenience init(_ held: HeldCells) {
        // Every row has a key, so there is at least one cell.
        var none = Cell.null
        let copy = held.withCells { cells in
            withUnsafePointer(to: &none) { StoredRow(copying: cells.baseAddress ?? $0, count: cells.count) }
        }
        self.init(copying: copy.cells, count: copy.count)
    }

    deinit { block.deallocate() }

    /// The cell at a position, lent while the row lives; null beyond the end.
    public subscript(position: Int) -> Cell { position >= 0 && position < count ? cells[position] : .null }

    /// The value at a position, copied.
    public func value(at position: Int) -> StoredValue { StoredValue(self[position]) }

    /// All values, copied.
    public var values: [StoredValue] { (0..<count).map(value(at:)) }

    /// The row in the form that stores lend. It must not be used after this object is gone: code that holds the object
    /// only in a local variable should use ``withRow(_:)``.
    package var row: Row { Row(cells: cells, count: count) }

    /// Lends the row, and keeps this object alive during the call.
    public func withRow<T>(_ body: (borrowing Row) throws -> T) rethrows -> T {
        try withExtendedLifetime(self) { try body(row) }
    }

    /// This row with other values at some positions.
    package func setting(_ values: [Assignment]) -> StoredRow {
        var all = self.values
        for value in values where all.indices.contains(value.position) { all[value.position] = value.value }
        return StoredRow(all)
    }

    /// The positions at which the two rows differ.
    package func difference(from other: StoredRow) -> AttributeSet {
        var found = AttributeSet()
        for position in 0..<max(count, other.count) where !areSame(self[position], other[position]) {
            found.insert(position)
        }
        return found
    }

    package func isSame(as other: StoredRow) -> Bool {
        count == other.count && (0..<count).allSatisfy { areSame(cells[$0], other.cells[$0]) }
    }
}
