// A query asked of a context, in the order of reading: `Artist.where { ... }.fetch(in: snapshot)`.
extension Query {
    /// The records, in the query's order. Cost: memory for all of them; use ``forEach(in:_:)`` for one at a time.
    @inlinable public func fetch(in context: ReadContext) throws -> [Root] { try context.fetch(self) }

    /// The records one at a time, in constant memory.
    @inlinable public func cursor(in context: ReadContext) throws -> RecordCursor<Root> {
        let (entity, rows) = try context.open(self)
        return RecordCursor(rows: rows, context: context, entity: entity)
    }

    /// Calls a closure with each record, one at a time, in constant memory.
    @inlinable public func forEach(in context: ReadContext, _ body: (Root) throws -> Void) throws {
        let (entity, rows) = try context.open(self)
        // A row points into its cursor: also the one that an error is about.
        defer { withExtendedLifetime(rows) {} }
        while let row = try rows.next() {
            let record: Root
            do {
                record = try Root(row: row)
            } catch {
                throw context.explain(error, entity, row)
            }
            try body(record)
        }
    }

    /// The first record, or nil.
    @inlinable public func first(in context: ReadContext) throws -> Root? { try context.first(self) }

    /// The last record, or nil.
    public func last(in context: ReadContext) throws -> Root? {
        guard limit == nil, offset == 0 else { return try fetch(in: context).last }
        return try reversed().first(in: context)
    }

    /// How many records there are, the query's limit and offset included.
    public func count(in context: ReadContext) throws -> Int { try context.count(self) }

    /// Whether there is any record.
    public func exists(in context: ReadContext) throws -> Bool {
        if let limit, limit <= 0 { return limit == 0 ? false : try count(in: context) > 0 }
        return try self.limit(1).count(in: context) > 0
    }

    /// The record with the least value of a field, or nil; records with nil do not count. A limit and an offset of the
    /// query choose first, in its own order, among which records to look.
    public func first<Value: QueryExpression>(
        minimumOf value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Root? where Value.Root == Root {
        try extreme(value, .ascending).first(in: context)
    }

    /// The record with the greatest value of a field, or nil; records with nil do not count. A limit and an offset of the
    /// query choose first, in its own order, among which records to look.
    public func first<Value: QueryExpression>(
        maximumOf value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Root? where Value.Root == Root {
        try extreme(value, .descending).first(in: context)
    }

    private func extreme<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, _ direction: SortDirection
    ) -> Query where Value.Root == Root {
        let found = DynamicQuery(self).extreme(value(Root.fields).untyped, direction, key: Root.entity.key)
        var query = Query()
        (query.condition, query.order) = (found.condition, found.order)
        return query
    }

    /// Records chosen at random, in no order. Each record of the query is equally likely.
    ///
    /// Cost: reads the keys of all records of the query, and the chosen records.
    public func sample(
        count: Int, using generator: inout some RandomNumberGenerator, in context: ReadContext
    ) throws -> [Root] {
        try context.sampleKeys(try FetchRequest(self, in: context.schema), count: count, using: &generator)
            .compactMap { try context.find(Root.self, try $0.withCell { try Root.Key.decode($0) }) }
    }

    /// Records chosen at random, in no order: as ``sample(count:using:in:)``.
    public func sample(count: Int, in context: ReadContext) throws -> [Root] {
        var generator = SystemRandomNumberGenerator()
        return try sample(count: count, using: &generator, in: context)
    }

    /// How the store would answer: what is searched, with which index, what is sorted.
    public func explain(in context: ReadContext) throws -> QueryPlan {
        _ = try context.entity(of: Root.self)
        return try context.explain(try FetchRequest(self, in: context.schema))
    }
}

// What changes the records of a query.
extension Query {
    /// Sets chosen fields of every record, or adds to them, in the store, without reading the records.
    ///
    /// ```swift
    /// try Artist.where { $0.rating == nil }.updateAll(in: tx) { $0.set(\.rating, to: 0) }
    /// try Song.where { $0.id == key }.updateAll(in: tx) { $0.add(\.plays, 1) }
    /// ```
    ///
    /// Uniqueness holds at the end of the call: several records may exchange or shift unique values.
    ///
    /// - Returns: How many records matched.
    /// - Throws: What ``Context/update(_:)-(R)`` throws; `invalidQuery` if the key is set; what ``Changes/add(_:_:)`` says. All
    ///   or nothing.
    @discardableResult public func updateAll(
        in context: Context, _ changes: (inout Changes<Root>) throws -> Void
    ) throws -> Int {
        let entity = context.schema.entities[try context.entity(of: Root.self)]
        var collected = Changes<Root>()
        try changes(&collected)
        let request = try FetchRequest(self, in: context.schema)
        let assignments = try collected.values.map { name, operation, value in
            let attribute = try entity.position(ofAttribute: name)
            guard name != entity.key else {
                throw Context.keyNeverChanges(entity)
            }
            switch value {
            case .success(let value): return Assignment(position: attribute, value: value, operation: operation)
            case .failure(let error): throw error.about(entity, name)
            }
        }
        return try context.updateAll(request, setting: assignments)
    }

    /// Deletes every record, in the store, following the delete rules. All or nothing. Returns how many there were.
    @discardableResult public func deleteAll(in context: Context) throws -> Int {
        _ = try context.entity(of: Root.self)
        return try context.deleteAll(try FetchRequest(self, in: context.schema))
    }

    /// The first record; if there is none, the one the closure makes, inserted. When two callers may both create is said with
    /// ``Context/findOrCreate(_:_:_:)``.
    public func findOrCreate(in context: Context, _ make: () throws -> Root) throws -> Root {
        if let found = try first(in: context) { return found }
        return try context.insert(try make())
    }
}
