extension EntityRules {
    /// Copies the cells of a row, in the form in which stores keep them.
    ///
    /// - Throws: `typeMismatch` if the row does not have one cell for each attribute.
    package func cells(of row: borrowing Row) throws -> ContiguousArray<Cell> {
        guard row.count == entity.attributes.count else { throw GranaryError.cellCount(entity, row.count) }
        var cells: ContiguousArray<Cell> = []
        cells.reserveCapacity(entity.attributes.count)
        for position in entity.attributes.indices {
            let cell = row[position]
            // The addition turns -0.0 into 0.0, which equals it.
            cells.append(cell.kind == .real ? .real(cell.realValue + 0.0) : cell)
        }
        return cells
    }

    /// The record with a row's cells.
    package func record(_ cells: ContiguousArray<Cell>) -> StoredRow {
        cells.withUnsafeBufferPointer { cells in
            guard let first = cells.baseAddress else { return StoredRow([]) }
            return StoredRow(copying: first, count: cells.count)
        }
    }

    /// - Throws: `required`, `typeMismatch`, `range`, `limit`.
    package func checkValues(_ row: StoredRow, _ limits: Capabilities.Limits) throws {
        for position in entity.attributes.indices { try checkValue(row[position], at: position, limits) }
    }

    /// - Throws: What ``Entity/check(_:)`` throws, `limit`.
    package func check(_ assignments: [Assignment], _ limits: Capabilities.Limits) throws {
        try entity.check(assignments)
        for assignment in assignments where assignment.operation == .set {
            try assignment.value.withCell { try checkValue($0, at: assignment.position, limits) }
        }
    }

    private func checkValue(_ cell: Cell, at position: Int, _ limits: Capabilities.Limits) throws {
        guard values[position].holds(cell) else { throw GranaryError.refused(cell, entity, position) }
        let size = cell.isNull ? 0 : cell.rawBytes.count
        guard size <= limits.valueSize else {
            throw GranaryError.tooLarge(entity, position, size, limit: limits.valueSize)
        }
    }

    /// - Throws: `required`, `typeMismatch` if the cell is not a key of the entity.
    package func checkKey(_ cell: Cell) throws {
        if cell.isNull { throw GranaryError.refused(cell, entity, keyPosition) }
        guard values[keyPosition].holds(cell) else { throw GranaryError.keyMisfit(entity) }
    }
}
