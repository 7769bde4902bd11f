extension OverlayReader {
    func aggregate(_ rows: FetchRequest, _ aggregation: Aggregation) throws -> any RowCursor {
        let rows = rows.rowsAlone
        if aggregation.countsRowsAlone {
            let count = StoredValue.integer(Int64(try count(rows)))
            return SingleRow(aggregation.aggregates.map { _ in count })
        }
        let groups = try GroupTable(aggregation, of: rows.entity, in: self)
        let cursor: any RowCursor = try rows.isCut ? wholeRows(rows) : unorderedRows(rows)
        while let row = try cursor.next() { try groups.add(row.cells) }
        return GroupCursor(groups)
    }
}

/// One row of values.
private final class SingleRow: RowCursor {
    private let row: StoredRow
    private var isAtEnd = false

    init(_ values: [StoredValue]) { row = StoredRow(values) }

    func next() throws -> Row? {
        if isAtEnd { return nil }
        isAtEnd = true
        return row.row
    }
}
