/// Each combination of values that a request's columns have, once, in its order and then by the columns.
final class DistinctRows: RowCursor {
    private let request: FetchRequest
    private let columnCount: Int
    private let order: RowOrder
    private let found = ByteTable()
    /// The cells of all that was found, which point into ``found``. Made when the first row is asked for.
    private var cells: UnsafeMutablePointer<Cell>?
    private var numbers: [Int] = []
    private var place = 0

    init(_ reader: OverlayReader, _ request: FetchRequest) throws {
        self.request = request
        let columns = try reader.distinctColumns(of: request)
        columnCount = columns.count
        order = RowOrder(try reader.distinctTerms(of: request, columns))
        let scratch = CellBytes()
        let programs = try columns.map { try ExpressionProgram($0.expression, of: request.entity, in: reader) }
        let rows = try reader.unorderedRows(request)
        while let row = try rows.step() {
            scratch.clear()
            for program in programs { scratch.append(try program.value(row)) }
            _ = found.insert(scratch.bytes)
        }
    }

    deinit { cells?.deallocate() }

    /// How many there are, limit and offset included.
    var count: Int { request.cut(found.count) }

    func next() throws -> Row? {
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

extension OverlayReader {
    /// A request's columns, or every attribute in its place.
    func distinctColumns(of request: FetchRequest) throws -> [TypedExpression] {
        if let columns = request.columns { return columns }
        return try entity(at: request.entity).attributes.enumerated().map { position, attribute in
            TypedExpression(.attribute(position), attribute.type, isOptional: attribute.isOptional)
        }
    }

    /// The order of distinct rows: each of its terms is one of the columns.
    func distinctTerms(of request: FetchRequest, _ columns: [TypedExpression]) throws -> [RowOrder.Term] {
        var terms: [RowOrder.Term] = []
        for term in request.order {
            guard let column = columns.firstIndex(where: { $0.expression == term.value.expression }) else {
                throw GranaryError(
                    .invalidQuery, "Distinct rows are ordered by their own columns. Add the order's term to them.",
                    entity: try entity(at: request.entity).name)
            }
            terms.append(
                RowOrder.Term(position: column, isDescending: term.isDescending, nilsFirst: term.nilsFirst))
        }
        for column in columns.indices where !terms.contains(where: { $0.position == column }) {
            terms.append(RowOrder.Term(position: column, isDescending: false, nilsFirst: true))
        }
        return terms
    }
}
