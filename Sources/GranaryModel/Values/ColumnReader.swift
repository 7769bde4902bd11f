/// The columns of a row, one after the other.
package struct ColumnReader: ~Copyable {
    private let cells: UnsafePointer<Cell>
    private let count: Int
    private let entity: String
    /// The number of columns that have been read.
    private(set) var position = 0

    /// Valid as long as the row is lent.
    init(_ row: borrowing Row, _ entity: String) {
        cells = row.cells
        count = row.count
        self.entity = entity
    }

    mutating func nextStored() -> StoredValue {
        defer { position += 1 }
        return position < count ? StoredValue(cells[position]) : .null
    }

    mutating func next<Value: AttributeValue>(_ type: Value.Type) throws -> Value {
        let cell = position < count ? cells[position] : .null
        position += 1
        do {
            return try Value.decode(chosen: cell)
        } catch var error as GranaryError {
            error.entity = entity
            if error.code == .typeMismatch { error.message = "Column \(position) of the row: \(error.message)" }
            throw error
        }
    }
}

extension AttributeValue {
    /// The value of a cell whose type may differ from the requested one because of a query, and not because of damage.
    @inline(__always) static func decode(chosen cell: Cell) throws -> Self {
        do {
            // Floats are computed as doubles; the result is read as the nearest Float.
            if case .float = attributeType, cell.kind == .real {
                return try decode(.real(Double(Float(cell.realValue))))
            }
            return try decode(cell)
        } catch let error as GranaryError where error.code == .corrupt {
            let (kind, advice) = cell.isNull ? ("nil", ", as an optional") : ("\(cell.kind)", "")
            throw GranaryError(
                .typeMismatch,
                "The value is \(kind), which is not read as \(Self.self). Ask for the attribute's own type\(advice).")
        }
    }
}
