import GranaryStoreKit

// Rows are read in any order, and their columns, as bytes, are put into a set. At the end the set is sorted by the
// order's terms, each of which is one of the columns, and then by the columns in order.

/// Each combination of values of a request's columns, once.
final class DistinctStream: RowCursor {
    private let session: KeyValueSession
    private let request: FetchRequest
    private let columns: [TypedExpression]
    private let version: Int
    private let cells: CellBuffer
    private let found = ByteTable()
    private var sorted: ContiguousArray<RowSorter.Entry>?
    private var place = 0

    init(_ session: KeyValueSession, _ request: FetchRequest) throws {
        self.session = session
        self.request = request
        version = session.version
        columns = try request.columns ?? session.entity(at: request.entity).columns
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

    /// The number of combinations, after limit and offset.
    func count() throws -> Int {
        try gather()
        return request.cut(found.count)
    }

    /// The index that has the single requested column, if no row needs to be read.
    private func index() throws -> (Table, TableIndex)? {
        guard columns.count == 1, request.condition == nil, let position = columns[0].position else { return nil }
        let table = try session.base.table(request.entity)
        return table.index(beginningWith: position).map { (table, table.indexes[$0]) }
    }

    private var unordered: FetchRequest { FetchRequest(entity: request.entity, condition: request.condition) }

    private func gather() throws {
        let scratch = CellBytes()
        if let (table, index) = try index() {
            return try IndexRuns(session, table, index).forEach { cell, _ in
                scratch.clear()
                scratch.append(cell)
                _ = found.insert(scratch.bytes)
            }
        }
        let read = ColumnSet(columns, of: try session.base.table(request.entity))
        let stream = try session.unorderedStream(unordered, columns: read)
        let programs = try columns.map { try ExpressionProgram($0.expression, of: request.entity, in: session) }
        while try stream.step() {
            scratch.clear()
            for program in programs { scratch.append(try program.value(stream.position)) }
            _ = found.insert(scratch.bytes)
        }
    }

    private func sort() throws -> ContiguousArray<RowSorter.Entry> {
        try gather()
        let sorter = RowSorter(SortKey(try terms()), top: request.needed(beside: 0))
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

    /// How the rows are found and made distinct.
    func explain() throws -> QueryPlan {
        let entity = try session.entity(at: request.entity)
        var plan = try session.plan(unordered, isCount: true)
        // The rows are read, in any order.
        plan.isCount = false
        plan.isOrdered = true
        var steps = plan.steps(in: session.base)
        if let (_, index) = try index() {
            var scan = QueryPlan.Step(.scan, entity.name, index: index.name)
            scan.isIndexOnly = true
            steps = [scan]
        }
        let names = columns.map { $0.expression.name(entity) }
        var sort = QueryPlan.Step(
            .sort,
            terms: try terms().map { term in names[term.position] + (term.isDescending ? " desc" : "") })
        sort.limit = request.needed(beside: 0)
        return QueryPlan(steps + [QueryPlan.Step(.distinct, terms: names), sort])
    }

    private func terms() throws -> [SortKey.Term] {
        try request.distinctTerms(columns, session.entity(at: request.entity)).map { term in
            SortKey.Term(
                position: term.position, ValueKind(columns[term.position].type), isDescending: term.isDescending,
                nilsFirst: term.nilsFirst)
        }
    }
}
