/// The rows of a batch, in memory that is used again for the next one.
///
/// Rows are lent where they lie: an array would copy them, with all that they refer to, to look at one of their properties.
/// They do not move when others are added.
final class StagedRows: RandomAccessCollection {
    // Exclusivity is not checked as the program runs: the rows belong to one thread, and no access to these lasts.
    @exclusivity(unchecked) private(set) var endIndex = 0
    // Allocated here, freed in deinit, never handed out. The first `endIndex` rows are initialized.
    @exclusivity(unchecked) private var blocks: [UnsafeMutablePointer<StagedRow>] = []
    private static let blockSize = 512

    var startIndex: Int { 0 }

    deinit {
        removeAll()
        for block in blocks { block.deallocate() }
    }

    subscript(row: Int) -> StagedRow {
        @inline(__always) _read { yield place(row).pointee }
        @inline(__always) _modify { yield &place(row).pointee }
    }

    @inline(__always) private func place(_ row: Int) -> UnsafeMutablePointer<StagedRow> {
        precondition(row >= 0 && row < endIndex)
        return blocks[row / StagedRows.blockSize] + row % StagedRows.blockSize
    }

    func append(_ row: consuming StagedRow) {
        if endIndex == blocks.count * StagedRows.blockSize { blocks.append(.allocate(capacity: StagedRows.blockSize)) }
        endIndex += 1
        place(endIndex - 1).initialize(to: row)
    }

    func removeLast() {
        place(endIndex - 1).deinitialize(count: 1)
        endIndex -= 1
    }

    /// Takes all rows away. Keeps the memory of a batch of usual size.
    func removeAll() {
        for start in stride(from: 0, to: endIndex, by: StagedRows.blockSize) {
            place(start).deinitialize(count: Swift.min(StagedRows.blockSize, endIndex - start))
        }
        endIndex = 0
        while blocks.count > 1 { blocks.removeLast().deallocate() }
    }
}
