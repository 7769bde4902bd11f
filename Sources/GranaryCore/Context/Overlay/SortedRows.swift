// A row is copied with what the order computes of it behind its cells. With a limit, a row that does not come before the last
// of those that there are is dropped at once.

/// The rows of another cursor in an order, for an order that looks at changed entities.
final class SortedRows: RowCursor {
    private let source: MergedRows
    private let order: RowOrder
    private let width: Int
    private let offset: Int
    private let top: Int?
    private let scratch: UnsafeMutablePointer<Cell>
    private var rows: ContiguousArray<StoredRow> = []
    private var isGathered = false
    private var place = 0

    init(_ reader: OverlayReader, _ request: FetchRequest, _ source: MergedRows) throws {
        self.source = source
        order = try RowOrder(of: request, in: reader)
        width = try reader.entity(at: request.entity).attributes.count
        offset = request.offset
        top = request.needed(beside: 0)
        scratch = .allocate(capacity: width + order.computedCount)
        scratch.initialize(repeating: .null, count: width + order.computedCount)
    }

    deinit { scratch.deallocate() }

    func next() throws -> Row? {
        if !isGathered { try gather() }
        guard place < rows.count else { return nil }
        defer { place += 1 }
        return Row(cells: rows[place].cells, count: width)
    }

    private func gather() throws {
        isGathered = true
        place = offset
        if top == 0 { return }
        let isBefore = { [order, width] (left: StoredRow, right: StoredRow) in
            order.isBefore(left.cells, left.cells + width, right.cells, right.cells + width)
        }
        var first = FirstElements<StoredRow>(limit: top ?? Int.max)
        while let cells = try source.step() {
            scratch.update(from: cells, count: width)
            try order.compute(cells, into: scratch + width)
            if let last = first.last, !order.isBefore(scratch, scratch + width, last.cells, last.cells + width) {
                continue
            }
            first.add(StoredRow(copying: scratch, count: width + order.computedCount), isBefore)
        }
        rows = first.sorted(isBefore)
    }
}
