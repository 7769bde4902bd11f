/// The distinct combinations of values of a request's columns in the added rows, in the request's order and then by the
/// columns. All rows must be added before the first one is requested.
package final class DistinctRows: RowCursor {
    private let request: FetchRequest
    private let columnCount: Int
    private let order: RowOrder
    private let programs: ContiguousArray<ExpressionProgram>
    private let found = ByteTable()
    private let scratch = CellBytes()
    /// The cells of all combinations, which point into ``found``. Made when the first row is requested.
    private var cells: UnsafeMutablePointer<Cell>?
    private var numbers: [Int] = []
    private var place = 0

    package init(_ request: FetchRequest, in related: any RelatedRows) throws {
        self.request = request
        let entity = try related.entity(at: request.entity)
        let columns = request.columns ?? entity.columns
        columnCount = columns.count
        order = RowOrder(try request.distinctTerms(columns, entity))
        programs = ContiguousArray(
            try columns.map { try ExpressionProgram($0.expression, of: request.entity, in: related) })
    }

    /// Adds the columns of a row.
    package func add(_ cells: UnsafePointer<Cell>) throws {
        scratch.clear()
        for number in 0..<programs.count { scratch.append(try programs[number].value(cells)) }
        _ = found.insert(scratch.bytes)
    }

    deinit { cells?.deallocate() }

    /// The number of combinations, after limit and offset.
    package var count: Int { request.cut(found.count) }

    package func next() throws -> Row? {
        let cells = cells ?? sort()
        guard place < numbers.count else { return nil }
        defer { place += 1 }
        return Row(cells: cells + numbers[place] * columnCount, count: columnCount)
    }

    private func sort() -> UnsafeMutablePointer<Cell> {
        let width = columnCount
        let cells = UnsafeMutablePointer<Cell>.allocate(capacity: max(1, found.count * width))
        cells.initialize(repeating: .null, count: max(1, found.count * width))
        for number in 0..<found.count { CellBytes.read(found[number], into: cells + number * width, count: width) }
        let order = order
        numbers = (0..<found.count).sorted {
            let (left, right) = (cells + $0 * width, cells + $1 * width)
            return order.isBefore(left, left, right, right)
        }
        if let needed = request.needed(beside: 0) { numbers = Array(numbers.prefix(needed)) }
        place = min(request.offset, numbers.count)
        self.cells = cells
        return cells
    }
}

extension Entity {
    /// The columns of the request; by default every attribute at its position.
    package var columns: [TypedExpression] {
        attributes.enumerated().map { position, attribute in
            TypedExpression(.attribute(position), attribute.type, isOptional: attribute.isOptional)
        }
    }
}

extension FetchRequest {
    /// The order of distinct rows. Each of its terms must be one of the columns.
    package func distinctTerms(_ columns: [TypedExpression], _ entity: Entity) throws -> [RowOrder.Term] {
        var terms: [RowOrder.Term] = []
        for term in order {
            guard let column = columns.firstIndex(where: { $0.expression == term.value.expression }) else {
                throw GranaryError(
                    .invalidQuery, "Distinct rows are ordered by their own columns. Add the order's term to them.",
                    entity: entity.name)
            }
            terms.append(
                RowOrder.Term(position: column, isDescending: term.isDescending, nilsFirst: term.nilsFirst))
        }
        for column in columns.indices where !terms.contains(where: { $0.position == column }) {
            terms.append(RowOrder.Term(position: column, isDescending: false, nilsFirst: true))
        }
        return terms
    }

    /// The number of rows that is enough if up to `count` of them are dropped; nil for all rows.
    package func needed(beside count: Int) -> Int? {
        guard let limit else { return nil }
        let (rows, isOver) = limit.addingReportingOverflow(offset)
        let (sum, isFar) = rows.addingReportingOverflow(count)
        return isOver || isFar ? nil : sum
    }

    /// How many of `count` rows remain after offset and limit.
    public func cut(_ count: Int) -> Int { max(0, min(count - offset, limit ?? Int.max)) }
}
