// A row is copied together with the values that the order computes for it. With a limit, a row that does not come
// before the last of the kept rows is dropped at once.

/// The added rows in a request's order, with its limit and offset applied. All rows must be added before the first one
/// is requested.
package final class SortedRows: RowCursor {
    private let order: RowOrder
    private let width: Int
    private let offset: Int
    private let scratch: UnsafeMutablePointer<Cell>
    /// Nil once the rows are sorted, and if no rows are needed.
    private var first: FirstElements<StoredRow>?
    private var rows: ContiguousArray<StoredRow> = []
    private var place = 0

    package init(_ request: FetchRequest, in related: any RelatedRows) throws {
        order = try RowOrder(of: request, in: related)
        width = try related.entity(at: request.entity).attributes.count
        offset = request.offset
        let top = request.needed(beside: 0)
        if top != 0 { first = FirstElements(limit: top ?? Int.max) }
        scratch = .allocate(capacity: width + order.computedCount)
        scratch.initialize(repeating: .null, count: width + order.computedCount)
    }

    deinit { scratch.deallocate() }

    /// Adds a copy of a row.
    package func add(_ cells: UnsafePointer<Cell>) throws {
        scratch.update(from: cells, count: width)
        try order.compute(cells, into: scratch + width)
        if let last = first?.last, !isBefore(scratch, last.cells) { return }
        keep(StoredRow(copying: scratch, count: width + order.computedCount))
    }

    /// Adds a row. It is copied only if the order computes values for it.
    package func add(_ row: StoredRow) throws {
        guard order.computedCount == 0 else { return try add(row.cells) }
        if let last = first?.last, !isBefore(row.cells, last.cells) { return }
        keep(row)
    }

    private func keep(_ row: StoredRow) { first?.add(row) { isBefore($0.cells, $1.cells) } }

    @inline(__always) private func isBefore(_ left: UnsafePointer<Cell>, _ right: UnsafePointer<Cell>) -> Bool {
        order.isBefore(left, left + width, right, right + width)
    }

    package func next() throws -> Row? {
        if let first {
            rows = first.sorted { isBefore($0.cells, $1.cells) }
            self.first = nil
            place = offset
        }
        guard place < rows.count else { return nil }
        defer { place += 1 }
        return Row(cells: rows[place].cells, count: width)
    }
}
