/// The cells of a row with some cells replaced, and the bytes of the replacements; they live until the next row.
final class ExternalCells {
    private var cells: UnsafeMutableBufferPointer<Cell>
    private var blocks: [UnsafeMutableRawBufferPointer]

    init() {
        cells = .allocate(capacity: 0)
        blocks = []
    }

    deinit {
        cells.deallocate()
        for block in blocks { block.deallocate() }
    }

    /// Begins with the cells of a row, of which up to `count` are replaced.
    func begin(_ row: borrowing Row, replacing count: Int) {
        if cells.count < row.count {
            cells.deallocate()
            cells = .allocate(capacity: row.count)
        }
        for position in 0..<row.count { cells.initializeElement(at: position, to: row[position]) }
        while blocks.count < count { blocks.append(.allocate(byteCount: 64, alignment: 1)) }
    }

    /// Room for the bytes of the cell at a position, the `number`th replaced cell. The caller fills it.
    func room(_ position: Int, number: Int, size: Int) -> UnsafeMutableRawBufferPointer {
        if blocks[number].count < size {
            blocks[number].deallocate()
            blocks[number] = .allocate(byteCount: size, alignment: 1)
        }
        let room = UnsafeMutableRawBufferPointer(rebasing: blocks[number][..<size])
        cells[position] = .bytes(UnsafeRawBufferPointer(room))
        return room
    }

    /// The row, lent until the next one begins.
    func row(_ count: Int) -> Row {
        // Every row has a key, so a cell exists.
        Row(cells: UnsafePointer(cells.baseAddress ?? .allocate(capacity: 1)), count: count)
    }
}
