import GranaryCore

// Rows are read in any order; their columns, as bytes, go into a set. What is in it is sorted at the end: by the order's
// terms, each of which is one of the columns, then by the columns in their order.

/// Each combination of values that a request's columns have, once.
final class DistinctStream: RowCursor {
    private let session: Session
    private let request: FetchRequest
    private let columns: [TypedExpression]
    private let version: Int
    private let cells: CellBuffer
    private let found = ByteTable()
    private var sorted: ContiguousArray<RowSorter.Entry>?
    private var place = 0

    init(_ session: Session, _ request: FetchRequest) throws {
        self.session = session
        self.request = request
        version = session.version
        columns = try request.columns ?? session.store.table(request.entity).columns
        cells = CellBuffer(max(1, columns.count))
    }

    func next() throws -> Row? {
        try session.checkCursor(version)
        let entries = try sorted ?? sort()
        if place < request.offset { place = min(request.offset, entries.count) }
        guard place < entries.count else { return nil }
        CellBytes.read(entries[place].row, into: cells.base, count: columns.count)
        place += 1
        return Row(cells: cells.base, count: columns.count)
    }

    /// How many there are, limit and offset included.
    func count() throws -> Int {
        try gather()
        return max(0, min(found.count - request.offset, request.limit ?? Int.max))
    }

    private func gather() throws {
        if columns.count == 1, request.condition == nil, let position = columns[0].position {
            let table = try session.store.table(request.entity)
            if let index = table.index(beginningWith: position) {
                let scratch = CellBytes()
                return try IndexRuns(session, table, table.indexes[index]).forEach { cell, _ in
                    scratch.clear()
                    scratch.append(cell)
                    _ = found.insert(scratch.bytes)
                }
            }
        }
        let stream = try session.unorderedStream(FetchRequest(entity: request.entity, condition: request.condition))
        let programs = try columns.map { try ExpressionProgram($0.expression, of: request.entity, in: session) }
        let scratch = CellBytes()
        while try stream.step() {
            scratch.clear()
            for program in programs { scratch.append(try program.value(stream.position)) }
            _ = found.insert(scratch.bytes)
        }
    }

    private func sort() throws -> ContiguousArray<RowSorter.Entry> {
        try gather()
        let needed = request.limit.flatMap { limit in
            let (sum, overflow) = limit.addingReportingOverflow(request.offset)
            return overflow ? nil : sum
        }
        let sorter = RowSorter(SortKey(try terms()), top: needed)
        for number in 0..<found.count {
            if number & 63 == 0, let cancellation = session.cancellation { try cancellation.check() }
            let bytes = found[number]
            CellBytes.read(bytes, into: cells.base, count: columns.count)
            try sorter.add(cells.base, key: bytes, row: bytes)
        }
        let entries = sorter.finish()
        sorted = entries
        return entries
    }

    private func terms() throws -> [SortKey.Term] {
        var terms: [SortKey.Term] = []
        for term in request.order {
            guard let column = columns.firstIndex(where: { $0.expression == term.value.expression }) else {
                throw GranaryError(
                    .invalidQuery, "Distinct rows are ordered by their own columns. Add the order's term to them.",
                    entity: try session.entity(at: request.entity).name)
            }
            terms.append(
                SortKey.Term(
                    position: column, FieldKind(columns[column].type), isDescending: term.isDescending,
                    nilsFirst: term.nilsFirst))
        }
        for (number, column) in columns.enumerated() where !terms.contains(where: { $0.position == number }) {
            terms.append(SortKey.Term(position: number, FieldKind(column.type), isDescending: false, nilsFirst: true))
        }
        return terms
    }
}

extension Table {
    /// Every attribute in its place.
    var columns: [TypedExpression] {
        entity.attributes.enumerated().map { position, attribute in
            TypedExpression(.attribute(position), attribute.type, isOptional: attribute.isOptional)
        }
    }
}
