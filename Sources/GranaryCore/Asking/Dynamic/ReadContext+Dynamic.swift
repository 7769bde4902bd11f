extension ReadContext {
    /// The records of a query by names.
    public func fetch(_ query: DynamicQuery) throws -> [DynamicRecord] {
        var records: [DynamicRecord] = []
        try forEach(query) { records.append($0) }
        return records
    }

    /// Calls a closure with each record, one at a time, in constant memory.
    public func forEach(_ query: DynamicQuery, _ body: (DynamicRecord) throws -> Void) throws {
        let cursor = try cursor(query)
        while let record = try cursor.next() { try body(record) }
    }

    /// The records of a query by names, one at a time, in constant memory.
    public func cursor(_ query: DynamicQuery) throws -> DynamicRecordCursor {
        let request = try FetchRequest(query, in: schema)
        return DynamicRecordCursor(rows: try rows(request), entity: schema.entities[request.entity])
    }

    /// The record of an entity with a key, or nil.
    public func find<Key: RecordKey>(_ entity: String, _ key: Key) throws -> DynamicRecord? {
        try find(entity, key: try StoredValue(encoding: key))
    }

    /// The record of an entity with a key in its stored form, or nil.
    public func find(_ entity: String, key: StoredValue) throws -> DynamicRecord? {
        let position = try schema.position(ofEntity: entity)
        let described = schema.entities[position]
        // A value of another type is for the query to bring to the key's, or to refuse.
        guard (try? described.attributes[described.keyPosition].check(key, in: described)) != nil else {
            return try fetch(DynamicQuery(entity, where: .compare(described.key, .equal, key))).first
        }
        try checkOpen()
        return try key.withCell { key in
            guard let row = try reader.find(key, in: position) else { return nil }
            return DynamicRecord(described, row: row)
        }
    }

    /// The records of an entity with these keys in their stored form, in the order of the keys; those that do not exist are
    /// left out.
    public func find(_ entity: String, keys: some Sequence<StoredValue>) throws -> [DynamicRecord] {
        try keys.compactMap { try find(entity, key: $0) }
    }

    /// The records of an entity with these keys, in the order of the keys; those that do not exist are left out.
    public func find<Key: RecordKey>(_ entity: String, _ keys: some Sequence<Key>) throws -> [DynamicRecord] {
        try find(entity, keys: try keys.map { try StoredValue(encoding: $0) })
    }

    /// Whether an entity has a record with a key in its stored form.
    public func exists(_ entity: String, key: StoredValue) throws -> Bool { try find(entity, key: key) != nil }

    /// Whether an entity has a record with a key.
    public func exists<Key: RecordKey>(_ entity: String, _ key: Key) throws -> Bool {
        try exists(entity, key: try StoredValue(encoding: key))
    }

    public func first(_ query: DynamicQuery) throws -> DynamicRecord? {
        try fetch(query.limit.map { $0 <= 0 ? query : query.limit(1) } ?? query.limit(1)).first
    }

    /// How many records a query names, its limit and offset included.
    public func count(_ query: DynamicQuery) throws -> Int {
        var request = try FetchRequest(query, in: schema)
        if !request.isCut { request.order = [] }
        return try rows(request.aggregated([.init(.count, nil)])).firstRow { Int($0[0].integerValue) } ?? 0
    }

    public func exists(_ query: DynamicQuery) throws -> Bool { try first(query) != nil }

    /// Chosen values of a query's records, a row each.
    ///
    /// - Parameters:
    ///   - query: Which records.
    ///   - columns: names, paths or any expressions.
    ///   - isDistinct: Whether equal rows are left out.
    public func values(
        _ query: DynamicQuery, _ columns: [AnyExpression], isDistinct: Bool = false
    ) throws -> [[StoredValue]] {
        let request = try FetchRequest(query, selecting: columns, isDistinct: isDistinct, in: schema)
        var values: [[StoredValue]] = []
        let cursor = try rows(request)
        while let row = try cursor.next() { values.append(columns.indices.map { StoredValue(row[$0]) }) }
        return values
    }

    /// Chosen values of a query's records, each a dictionary with the names given.
    public func dictionaries(
        _ query: DynamicQuery, _ columns: [(name: String, value: AnyExpression)]
    ) throws -> [[String: StoredValue]] {
        let names = columns.map(\.name)
        return try values(query, columns.map(\.value)).map { named($0, names) }
    }

    /// How many different rows of chosen values a query's records have, its limit and offset counting rows.
    public func count(_ query: DynamicQuery, distinct columns: [AnyExpression]) throws -> Int {
        try countRows(try FetchRequest(query, selecting: columns, isDistinct: true, in: schema))
    }

    /// How the store would answer.
    public func explain(_ query: DynamicQuery) throws -> QueryPlan { try explain(try FetchRequest(query, in: schema)) }

    /// How the store would answer for chosen values.
    public func explain(
        _ query: DynamicQuery, _ columns: [AnyExpression], isDistinct: Bool = false
    ) throws -> QueryPlan {
        try explain(try FetchRequest(query, selecting: columns, isDistinct: isDistinct, in: schema))
    }

    func named(_ row: [StoredValue], _ names: [String]) -> [String: StoredValue] {
        Dictionary(zip(names, row)) { first, _ in first }
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
