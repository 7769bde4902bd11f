import GranaryStoreKit

/// The row of a statement with computed columns. They have no type in SQLite: each is converted to that of the request.
final class SQLiteColumns {
    let count: Int
    private let kinds: [Cell.Kind]
    private let cells: UnsafeMutablePointer<Cell>
    let layout: EntityLayout

    init(_ types: [AttributeType], _ layout: EntityLayout) {
        kinds = types.map(\.storage)
        count = types.count
        self.layout = layout
        cells = .allocate(capacity: max(1, types.count))
        cells.initialize(repeating: .null, count: max(1, types.count))
    }

    deinit { cells.deallocate() }

    /// The statement's current row, lent until its next step.
    ///
    /// - Throws: `corrupt` if a column holds a value that does not fit its type.
    func row(of statement: Statement) throws -> Row {
        for (index, kind) in kinds.enumerated() {
            let cell = statement.cell(at: Int32(truncatingIfNeeded: index))
            switch (cell.kind, kind) {
            case (.null, _): cells[index] = .null
            case (.integer, .real): cells[index] = .real(Double(cell.integerValue))
            case (let found, let wanted) where found == wanted: cells[index] = cell
            default:
                throw GranaryError(
                    .corrupt,
                    "A value of \(layout.entity.path) is not of its attribute's type. Restore it from a backup.",
                    about: layout.entity)
            }
        }
        return Row(cells: UnsafePointer(cells), count: count)
    }
}

extension Aggregation {
    /// The types of the values in a row.
    var columnTypes: [AttributeType] {
        groups.map(\.type)
            + aggregates.map { aggregate in
                guard let type = aggregate.value?.type else { return .int64 }
                return aggregate.function.resultType(of: type) ?? type
            }
    }
}
