import GranaryStoreKit

/// The rows of another stream as columns computed from them.
final class ColumnStream: RowCursor {
    private let stream: RowStream
    private let programs: ContiguousArray<ExpressionProgram>
    private let cells: CellBuffer

    init(_ stream: RowStream, _ columns: [TypedExpression], of entity: Int, in session: KeyValueSession) throws {
        self.stream = stream
        programs = ContiguousArray(
            try columns.map { try ExpressionProgram($0.expression, of: entity, in: session) })
        cells = CellBuffer(max(1, columns.count))
    }

    func next() throws -> Row? {
        guard try stream.step() else { return nil }
        for number in 0..<programs.count { cells.base[number] = try programs[number].value(stream.position) }
        return Row(cells: cells.base, count: programs.count)
    }
}
