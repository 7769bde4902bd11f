extension DynamicQuery {
    /// The records, in the query's order.
    public func fetch(in context: ReadContext) throws -> [DynamicRecord] { try context.fetch(self) }

    /// Calls a closure with each record, one at a time, in constant memory.
    public func forEach(in context: ReadContext, _ body: (DynamicRecord) throws -> Void) throws {
        let cursor = try cursor(in: context)
        while let record = try cursor.next() { try body(record) }
    }

    /// The records one at a time, in constant memory.
    public func cursor(in context: ReadContext) throws -> DynamicRecordCursor {
        let request = try FetchRequest(self, in: context.schema)
        return DynamicRecordCursor(rows: try context.rows(request), entity: context.schema.entities[request.entity])
    }

    /// The first record, or nil.
    public func first(in context: ReadContext) throws -> DynamicRecord? { try context.first(self) }

    /// The last record, or nil.
    public func last(in context: ReadContext) throws -> DynamicRecord? {
        guard limit == nil, offset == 0 else { return try fetch(in: context).last }
        var reversed = self
        reversed.order = order.reversed(key: try key(in: context.schema))
        return try reversed.first(in: context)
    }

    /// How many records there are, the query's limit and offset included.
    public func count(in context: ReadContext) throws -> Int { try context.count(self) }

    /// Whether there is any record.
    public func exists(in context: ReadContext) throws -> Bool { try first(in: context) != nil }

    /// The record with the least value, or nil; records with nil do not count. A limit and an offset of the query choose
    /// first, in its own order, among which records to look.
    public func first(minimumOf value: AnyExpression, in context: ReadContext) throws -> DynamicRecord? {
        try extreme(value, .ascending, key: try key(in: context.schema)).first(in: context)
    }

    /// The record with the greatest value, or nil; records with nil do not count. A limit and an offset of the query choose
    /// first, in its own order, among which records to look.
    public func first(maximumOf value: AnyExpression, in context: ReadContext) throws -> DynamicRecord? {
        try extreme(value, .descending, key: try key(in: context.schema)).first(in: context)
    }

    /// Records chosen at random, each as likely as any other, in no order.
    ///
    /// Cost: reads the keys of all of them, and the records chosen.
    public func sample(
        count: Int, using generator: inout some RandomNumberGenerator, in context: ReadContext
    ) throws -> [DynamicRecord] {
        try context.sampleKeys(try FetchRequest(self, in: context.schema), count: count, using: &generator)
            .compactMap { try context.find(entity, key: $0) }
    }

    /// Records chosen at random: as ``sample(count:using:in:)``.
    public func sample(count: Int, in context: ReadContext) throws -> [DynamicRecord] {
        var generator = SystemRandomNumberGenerator()
        return try sample(count: count, using: &generator, in: context)
    }

    /// How the store would answer.
    public func explain(in context: ReadContext) throws -> QueryPlan {
        try context.explain(try FetchRequest(self, in: context.schema))
    }

    private func key(in schema: Schema) throws -> String { schema.entities[try schema.position(ofEntity: entity)].key }

    /// The query whose first record is the one with the least or the greatest value.
    func extreme(_ value: AnyExpression, _ direction: SortDirection, key: String) -> DynamicQuery {
        var chosen = self
        if limit != nil || offset != 0 {
            let rows = AnySubquery(
                entity, column: .attribute(key), condition: condition, order: order, limit: limit, offset: offset)
            chosen = DynamicQuery(entity, where: .amongRows(.attribute(key), rows))
        }
        chosen = chosen.where(.relation(value, .notEqual, .value(.null)))
        chosen.order = [Ordering(value, direction)]
        return chosen
    }
}

// Chosen values.
extension DynamicQuery {
    /// Chosen values of the records, a row each.
    ///
    /// - Parameters:
    ///   - columns: names, paths or any expressions.
    ///   - isDistinct: Whether equal rows are left out.
    ///   - context: What is asked.
    public func values(
        _ columns: [AnyExpression], isDistinct: Bool = false, in context: ReadContext
    ) throws -> [[StoredValue]] {
        let request = try FetchRequest(self, selecting: columns, isDistinct: isDistinct, in: context.schema)
        var values: [[StoredValue]] = []
        let cursor = try context.rows(request)
        while let row = try cursor.next() { values.append(columns.indices.map { StoredValue(row[$0]) }) }
        return values
    }

    /// Chosen values of the records, each a dictionary with the names given.
    public func dictionaries(
        _ columns: [(name: String, value: AnyExpression)], in context: ReadContext
    ) throws -> [[String: StoredValue]] {
        let names = columns.map(\.name)
        return try values(columns.map(\.value), in: context).map { named($0, names) }
    }

    /// How many different rows of chosen values the records have, the query's limit and offset counting rows.
    public func count(distinct columns: [AnyExpression], in context: ReadContext) throws -> Int {
        try context.countRows(try FetchRequest(self, selecting: columns, isDistinct: true, in: context.schema))
    }

    /// How the store would answer for chosen values.
    public func explain(
        _ columns: [AnyExpression], isDistinct: Bool = false, in context: ReadContext
    ) throws -> QueryPlan {
        try context.explain(try FetchRequest(self, selecting: columns, isDistinct: isDistinct, in: context.schema))
    }

    private func named(_ row: [StoredValue], _ names: [String]) -> [String: StoredValue] {
        Dictionary(zip(names, row)) { first, _ in first }
    }
}

// Groups.
extension DynamicQuery {
    /// The groups of the records, a row a group.
    public func groups(_ grouping: AnyGrouping, in context: ReadContext) throws -> [[StoredValue]] {
        let resolved = try resolved(grouping, in: context.schema)
        return try GroupRows(resolved).read(try context.rows(resolved.request))
    }

    /// The groups of the records, each a dictionary: what the grouping selects, under these names in their order.
    ///
    /// - Throws: `invalidQuery` unless there are as many names as columns.
    public func dictionaries(
        _ grouping: AnyGrouping, named names: [String], in context: ReadContext
    ) throws -> [[String: StoredValue]] {
        guard names.count == grouping.columns.count else {
            throw GranaryError(
                .invalidQuery, "A grouping of \(grouping.columns.count) columns has \(names.count) names.",
                entity: entity)
        }
        return try groups(grouping, in: context).map { named($0, names) }
    }

    /// How the store would answer for groups.
    public func explain(_ grouping: AnyGrouping, in context: ReadContext) throws -> QueryPlan {
        try context.explain(try resolved(grouping, in: context.schema).request)
    }

    private func resolved(_ grouping: AnyGrouping, in schema: Schema) throws -> ResolvedGrouping {
        try ResolvedGrouping(grouping, of: try FetchRequest(self, in: schema), in: schema)
    }
}

/// The records of a query by names, one at a time.
///
/// A write in the same transaction ends it: the next step throws `cursorInvalidated`.
public final class DynamicRecordCursor {
    private let rows: any RowCursor
    private let entity: Entity

    init(rows: any RowCursor, entity: Entity) {
        self.rows = rows
        self.entity = entity
    }

    /// The next record, or nil at the end.
    public func next() throws -> DynamicRecord? {
        guard let row = try rows.next() else { return nil }
        return DynamicRecord(entity, row: row)
    }
}
