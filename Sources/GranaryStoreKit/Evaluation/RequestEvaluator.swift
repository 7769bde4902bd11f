/// Answers requests from the rows of a ``RowSource``: conditions, related records, order, limit, columns, distinct
/// rows, aggregates and groups, as every store does.
///
/// ```swift
/// func rows(_ request: FetchRequest) throws -> any RowCursor { try RequestEvaluator(self).rows(request) }
/// ```
///
/// A store that finds the rows of some requests itself checks them with a ``RowCondition`` and returns them with a
/// ``StoredRowCursor``. It makes its plans with ``plan(_:reading:isFiltered:isOrdered:)``.
///
/// Cost: every request looks at all rows that the source gives for its condition, and keeps the rows it needs until the
/// cursor is gone. The records of a to-many relationship are gathered once for each request.
public struct RequestEvaluator {
    let source: any RowSource

    public init(_ source: any RowSource) { self.source = source }

    /// The rows of a request. They are read when the first one is requested.
    ///
    /// - Throws: `unknownEntity`, `invalidQuery`; the cursor also throws what ``RowCursor/next()`` does, `cancelled`,
    ///   and what arithmetic throws.
    public func rows(_ request: FetchRequest) throws -> any RowCursor {
        try source.check()
        let related = SourceRelatedRows(source)
        guard let aggregation = request.aggregation else {
            if request.isDistinct {
                let distinct = try DistinctRows(request, in: related)
                return SourceCursor(source, distinct) { try related.forEachRow(request) { try distinct.add($0.cells) } }
            }
            let sorted = try SortedRows(request, in: related)
            let rows = try request.columns.map { try ColumnRows(sorted, $0, of: request.entity, in: related) }
            return SourceCursor(source, rows ?? sorted) { try related.forEachRow(request) { try sorted.add($0) } }
        }
        let groups = try GroupTable(aggregation, of: request.entity, in: related)
        let cut = request.isCut ? try SortedRows(request, in: related) : nil
        return SourceCursor(source, GroupCursor(groups)) {
            guard let cut else { return try related.forEachRow(request) { try groups.add($0.cells) } }
            try related.forEachRow(request) { try cut.add($0) }
            while let row = try cut.next() { try groups.add(row.cells) }
        }
    }

    /// The number of rows of a request, after limit and offset.
    public func count(_ request: FetchRequest) throws -> Int {
        try source.check()
        let related = SourceRelatedRows(source)
        if request.isDistinct {
            let distinct = try DistinctRows(request, in: related)
            try related.forEachRow(request) { try distinct.add($0.cells) }
            return distinct.count
        }
        var count = 0
        try related.forEachRow(request) { _ in count += 1 }
        return request.cut(count)
    }
}

/// The rows of another cursor, which is filled when the first row is requested.
private final class SourceCursor: RowCursor {
    private let source: any RowSource
    private let version: Int
    private let rows: any RowCursor
    private var fill: (() throws -> Void)?

    init(_ source: any RowSource, _ rows: any RowCursor, fill: @escaping () throws -> Void) {
        self.source = source
        self.rows = rows
        self.fill = fill
        version = source.version
    }

    func next() throws -> Row? {
        try source.check()
        guard source.version == version else { throw GranaryError.cursorInvalidated }
        if let fill {
            try fill()
            self.fill = nil
        }
        return try rows.next()
    }
}

/// Gives a query access to other rows of a source than the current one.
final class SourceRelatedRows: RelatedRows {
    private let source: any RowSource
    /// The number of rows that were looked at.
    private var count: UInt8 = 0

    init(_ source: any RowSource) { self.source = source }

    func entity(at position: Int) throws -> Entity { try source.rules.entity(at: position) }

    /// Calls `body` with each row for which a request's condition holds.
    func forEachRow(_ request: FetchRequest, _ body: (StoredRow) throws -> Void) throws {
        let condition = try request.condition.map { try ConditionProgram($0, of: request.entity, in: self) }
        try source.forEachRow(of: request.entity, where: request.condition) { row in
            count &+= 1
            if count == 0 { try source.check() }
            if try condition?.holds(row.cells) ?? true { try body(row) }
        }
    }

    func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws {
        let rows = try RequestEvaluator(source).rows(request)
        while let row = try rows.next() { try body(row[0]) }
    }

    func lookup(of entity: Int) throws -> any RowLookup { SourceLookup(source, entity) }

    func referrers(of entity: Int, by position: Int) throws -> any ReferringRows {
        SourceReferrers(entity, position, self)
    }
}

private final class SourceLookup: RowLookup {
    private let source: any RowSource
    private let entity: Int
    private var found: StoredRow?

    init(_ source: any RowSource, _ entity: Int) {
        self.source = source
        self.entity = entity
    }

    func cells(of key: Cell) throws -> UnsafePointer<Cell>? {
        found = key.isNull ? nil : try source.row(StoredValue(key), of: entity)
        return found?.cells
    }
}

/// The rows of an entity by the key that an attribute refers to, gathered when the first key is requested.
private final class SourceReferrers: ReferringRows {
    private let entity: Int
    private let position: Int
    private let related: SourceRelatedRows
    private var gathered: [StoredValue: [StoredRow]]?
    private var rows: [StoredRow] = []
    private var place = 0

    init(_ entity: Int, _ position: Int, _ related: SourceRelatedRows) {
        self.entity = entity
        self.position = position
        self.related = related
    }

    func begin(_ key: Cell) throws {
        place = 0
        rows = key.isNull ? [] : try (gathered ?? gather())[StoredValue(key)] ?? []
    }

    private func gather() throws -> [StoredValue: [StoredRow]] {
        var all: [StoredValue: [StoredRow]] = [:]
        try related.forEachRow(FetchRequest(entity: entity)) { row in
            if !row[position].isNull { all[row.value(at: position), default: []].append(row) }
        }
        gathered = all
        return all
    }

    func skip() throws -> Bool { try next() != nil }

    func next() throws -> UnsafePointer<Cell>? {
        guard place < rows.count else { return nil }
        place += 1
        return rows[place - 1].cells
    }
}
