/// Rows of another cursor as columns computed from them.
package final class ColumnRows: RowCursor {
    private let rows: any RowCursor
    private let programs: ContiguousArray<ExpressionProgram>
    private let cells: UnsafeMutablePointer<Cell>

    package init(
        _ rows: any RowCursor, _ columns: [TypedExpression], of entity: Int, in related: any RelatedRows
    ) throws {
        self.rows = rows
        programs = ContiguousArray(try columns.map { try ExpressionProgram($0.expression, of: entity, in: related) })
        cells = .allocate(capacity: max(1, columns.count))
        cells.initialize(repeating: .null, count: max(1, columns.count))
    }

    deinit { cells.deallocate() }

    package func next() throws -> Row? {
        guard let row = try rows.next() else { return nil }
        let source = row.cells
        for number in 0..<programs.count { cells[number] = try programs[number].value(source) }
        return Row(cells: cells, count: programs.count)
    }
}
