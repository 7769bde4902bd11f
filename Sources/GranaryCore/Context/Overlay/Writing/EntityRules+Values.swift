extension EntityRules {
    /// Copies the cells of a row, in the form in which stores keep them.
    func cells(of row: borrowing Row) -> ContiguousArray<Cell> {
        var cells: ContiguousArray<Cell> = []
        cells.reserveCapacity(entity.attributes.count)
        for position in entity.attributes.indices {
            let cell = row[position]
            // The addition makes -0.0 what equals it.
            cells.append(cell.kind == .real ? .real(cell.realValue + 0.0) : cell)
        }
        return cells
    }

    /// The record with a row's cells.
    func record(_ cells: ContiguousArray<Cell>) -> StoredRow {
        cells.withUnsafeBufferPointer { cells in
            guard let first = cells.baseAddress else { return StoredRow([]) }
            return StoredRow(copying: first, count: cells.count)
        }
    }

    /// - Throws: `required`, `typeMismatch`, `range`, `limit`.
    func checkValues(_ row: StoredRow, _ limits: Capabilities.Limits) throws {
        for position in entity.attributes.indices { try checkValue(row[position], at: position, limits) }
    }

    func checkValue(_ cell: Cell, at position: Int, _ limits: Capabilities.Limits) throws {
        let attribute = entity.attributes[position]
        if cell.isNull {
            guard attribute.isOptional else { throw missing(position) }
            return
        }
        guard EntityRules.fits(cell, attribute.type) else { throw misfit(cell, position) }
        guard cell.rawBytes.count <= limits.valueSize else {
            throw GranaryError(
                .limit,
                "The value for \(entity.name).\(attribute.name) has \(cell.rawBytes.count) bytes; the store holds \(limits.valueSize).",
                entity: entity.name, attributes: [attribute.name])
        }
    }

    /// - Throws: `typeMismatch` if the cell is no key of the entity.
    func checkKey(_ cell: Cell) throws {
        let type = entity.attributes[keyPosition].type
        guard cell.kind == type.storage, type != .uuid || cell.rawBytes.count == 16 else {
            throw GranaryError.keyMisfit(entity, type)
        }
    }

    private static func fits(_ cell: Cell, _ type: AttributeType) -> Bool {
        guard cell.kind == type.storage else { return false }
        switch type {
        case .uuid: return cell.rawBytes.count == 16
        case .float: return Double(Float(cell.realValue)) == cell.realValue
        case .double, .date: return !cell.realValue.isNaN
        default: return type.integerRange?.contains(cell.integerValue) ?? true
        }
    }

    func missing(_ position: Int) -> GranaryError { .required(entity, position) }

    private func misfit(_ cell: Cell, _ position: Int) -> GranaryError { .misfit(cell.kind, entity, position) }
}
