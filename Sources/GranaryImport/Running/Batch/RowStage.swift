import GranaryCore
import GranaryPlatform

/// The rows of one entity that wait for the end of a batch: cells, the bytes they point at, and which attributes the source
/// gave.
///
/// Cells and bytes are in memory that is used again for the next batch, so that a row costs no allocation.
final class RowStage {
    // Exclusivity is not checked as the program runs: what is marked so is used by this class alone, within calls that call
    // nothing else but the body of `withRow`, which the cells outlive.

    /// The number of attributes.
    let width: Int
    @exclusivity(unchecked) private(set) var count = 0
    // Allocated here, freed in deinit, never handed out but for the duration of a call.
    @exclusivity(unchecked) private var cells: UnsafeMutablePointer<Cell>
    @exclusivity(unchecked) private var capacity: Int
    /// A bit for each attribute, `words` words a row.
    @exclusivity(unchecked) private var given: [UInt64] = []
    private let words: Int
    private let wholeWord: UInt64
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawBufferPointer] = []
    /// The bytes used of the last block.
    @exclusivity(unchecked) private var used = 0
    private static let blockSize = 1 << 16

    init(width: Int) {
        self.width = width
        words = (width + 63) / 64
        wholeWord = width < 64 ? (1 << UInt64(width)) - 1 : .max
        capacity = 64
        cells = .allocate(capacity: max(1, width * capacity))
    }

    deinit {
        cells.deallocate()
        for block in blocks { block.deallocate() }
    }

    /// Adds a row of which nothing is given. Returns its number.
    func addRow() -> Int {
        if count == capacity { grow() }
        (cells + count * width).initialize(repeating: .null, count: width)
        for _ in 0..<words { given.append(0) }
        count += 1
        return count - 1
    }

    /// Adds a row that has the cells of a row of another stage of the same width, whose bytes outlive the batch.
    func addRow(of other: RowStage, _ row: Int) -> Int {
        if count == capacity { grow() }
        (cells + count * width).initialize(from: other.cells + row * width, count: width)
        for word in 0..<words { given.append(other.given[row * words + word]) }
        count += 1
        return count - 1
    }

    /// Takes the last row away.
    func removeLast() {
        count -= 1
        given.removeLast(words)
    }

    /// Takes all rows away. Keeps the memory of a batch of usual size.
    func removeAll() {
        count = 0
        given.removeAll(keepingCapacity: true)
        while blocks.count > 1 { blocks.removeLast().deallocate() }
        if let first = blocks.first, first.count > RowStage.blockSize { blocks.removeLast().deallocate() }
        used = 0
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: max(1, width * capacity * 2))
        // Cells are plain values: there is nothing to end where they were.
        larger.update(from: cells, count: width * capacity)
        cells.deallocate()
        cells = larger
        capacity *= 2
    }

    subscript(row: Int, position: Int) -> Cell { cells[row * width + position] }

    func isGiven(_ row: Int, _ position: Int) -> Bool {
        given[row * words + position >> 6] & (1 << UInt64(position & 63)) != 0
    }

    /// Gives an attribute a value, of which the bytes are copied.
    func give(_ cell: Cell, _ row: Int, _ position: Int) {
        set(cell, row, position)
        given[row * words + position >> 6] |= 1 << UInt64(position & 63)
    }

    func give(stored value: StoredValue, _ row: Int, _ position: Int) { value.withCell { give($0, row, position) } }

    /// Fills an attribute that the source did not give.
    func set(_ cell: Cell, _ row: Int, _ position: Int) {
        let copy: Cell =
            switch cell.kind {
            case .null, .integer, .real: cell
            case .text: .text(keep(cell.rawBytes))
            case .bytes: .bytes(keep(cell.rawBytes))
            }
        cells[row * width + position] = copy
    }

    /// Fills an attribute with a cell whose bytes outlive the batch.
    func setLent(_ cell: Cell, _ row: Int, _ position: Int) { cells[row * width + position] = cell }

    /// Gives an attribute a cell whose bytes outlive the batch.
    @inline(__always)
    func giveLent(_ cell: Cell, _ row: Int, _ position: Int) {
        cells[row * width + position] = cell
        given[row * words + position >> 6] |= 1 << UInt64(position & 63)
    }

    /// Whether a row is given every attribute.
    func isWhole(_ row: Int) -> Bool { words == 1 && given[row] == wholeWord }

    /// Whether what a row is given, but for one attribute, is what another row has.
    func gives(_ row: Int, nothingBeyond other: borrowing Row, except passedOver: Int?) -> Bool {
        for position in 0..<width where isGiven(row, position) && position != passedOver {
            guard areSame(cells[row * width + position], other[position]) else { return false }
        }
        return true
    }

    /// Whether what a row is given, another row is given too.
    func gives(_ row: Int, nothingBeyond other: Int) -> Bool {
        for position in 0..<width where isGiven(row, position) {
            guard isGiven(other, position), areSame(self[row, position], self[other, position]) else { return false }
        }
        return true
    }

    /// Makes a value one that was not given. A new record must not get it, so the cell is null.
    func takeBack(_ row: Int, _ position: Int) {
        cells[row * width + position] = .null
        given[row * words + position >> 6] &= ~(1 << UInt64(position & 63))
    }

    /// What one row is given, another is given too.
    func merge(_ row: Int, into other: Int) {
        for position in 0..<width where isGiven(row, position) {
            cells[other * width + position] = cells[row * width + position]
            given[other * words + position >> 6] |= 1 << UInt64(position & 63)
        }
    }

    /// Lends a row.
    func withRow<T>(_ row: Int, _ body: (borrowing Row) throws -> T) rethrows -> T {
        try body(Row(cells: UnsafePointer(cells + row * width), count: width))
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let room = blocks.last.map { $0.count - used } ?? 0
        if bytes.count > room || blocks.isEmpty {
            let size = max(RowStage.blockSize, bytes.count)
            blocks.append(.allocate(byteCount: size, alignment: 8))
            used = 0
        }
        let block = blocks[blocks.count - 1]
        let target = UnsafeMutableRawBufferPointer(rebasing: block[used..<(used + bytes.count)])
        target.copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(target)
    }
}
