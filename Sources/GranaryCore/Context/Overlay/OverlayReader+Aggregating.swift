extension OverlayReader {
    package func aggregate(_ request: AggregateRequest) throws -> any RowCursor {
        guard looksAtChanges(request) else { return try below.aggregate(request) }
        if request.countsRowsAlone {
            let count = StoredValue.integer(Int64(try count(request.rows)))
            return SingleRow(request.aggregates.map { _ in count })
        }
        let groups = try GroupTable(request, in: self)
        let rows: any RowCursor = try request.rows.isCut ? wholeRows(request.rows) : unorderedRows(request.rows)
        while let row = try rows.next() { try groups.add(row.cells) }
        return GroupCursor(groups)
    }

    func looksAtChanges(_ request: AggregateRequest) -> Bool {
        if pending.isEmpty { return false }
        return isChanged(request.rows.entity) || request.looks(at: isChanged)
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

extension FetchRequest {
    /// Whether not all rows are taken of which the condition holds.
    var isCut: Bool { limit != nil || offset > 0 }
}

extension AggregateRequest {
    /// Whether nothing but the number of all rows together is asked for.
    var countsRowsAlone: Bool { groups.isEmpty && aggregates.allSatisfy(\.countsRows) }
}
