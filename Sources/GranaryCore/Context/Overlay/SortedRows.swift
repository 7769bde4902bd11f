// A row is copied with what the order computes of it behind its cells. With a limit, rows are gathered up to twice as many as
// are asked for, sorted and cut back, and from then on a row that is not before the last of them is dropped at once.

/// The rows of another cursor in an order, for an order that looks at changed entities.
final class SortedRows: RowCursor {
    private let source: MergedRows
    private let order: RowOrder
    private let width: Int
    private let offset: Int
    private let top: Int?
    private let scratch: UnsafeMutablePointer<Cell>
    private var rows: ContiguousArray<StoredRow> = []
    private var last: StoredRow?
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
        while let cells = try source.step() {
            scratch.update(from: cells, count: width)
            try order.compute(cells, into: scratch + width)
            if let last, !order.isBefore(scratch, scratch + width, last.cells, last.cells + width) { continue }
            rows.append(StoredRow(copying: scratch, count: width + order.computedCount))
            if let top, rows.count >= top.addingReportingOverflow(max(top, 512)).partialValue, rows.count > top {
                sort(top)
                last = rows.last
            }
        }
        sort(top ?? rows.count)
    }

    /// Sorts and keeps so many.
    private func sort(_ count: Int) {
        let (order, width) = (order, width)
        rows.sort { order.isBefore($0.cells, $0.cells + width, $1.cells, $1.cells + width) }
        if rows.count > count { rows.removeLast(rows.count - count) }
    }
}
