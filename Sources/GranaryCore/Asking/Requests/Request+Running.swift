// A request asked of a context, in the order of reading: `Artist.where { ... }.fetch(in: snapshot)`. The same verbs for
// whatever it gives: records, records with what is loaded with them, chosen values, groups.
extension Request {
    /// What the request gives, in its order. Cost: memory for all of it; use ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
    public func fetch(in context: ReadContext) throws -> [Output] {
        switch making {
        case .records(let related):
            if let all = related.all {
                if let list, let listed = try list.records(Query<Root>(records: untyped), in: context) {
                    return try all(listed)
                }
                return try all(try records(in: context))
            }
            return try related.joined(try RecordBatch(try rows(in: context), in: context), in: context)
        case .values:
            var values: [Output] = []
            try forEach(in: context) { values.append($0) }
            return values
        }
    }

    private func records(in context: ReadContext) throws -> [Root] {
        let request = try rows(in: context)
        let entity = context.schema.entities[request.entity]
        let rows = try context.rows(request)
        var records: [Root] = []
        // Most answers are as long as their limit.
        if let limit = untyped.limit { records.reserveCapacity(min(limit, 1_000)) }
        // A row points into its cursor: also the one that an error is about.
        defer { withExtendedLifetime(rows) {} }
        while let row = try rows.next() {
            do {
                try Root._append(row, entity, to: &records)
            } catch {
                throw context.explain(error, request.entity, row)
            }
        }
        return records
    }

    /// What the request gives, made into something else: `Song.all.select(\.title).fetch(in: snapshot, as: Heading.init)`.
    public func fetch<T>(in context: ReadContext, as make: (Output) throws -> T) throws -> [T] {
        var values: [T] = []
        try forEach(in: context) { values.append(try make($0)) }
        return values
    }

    /// The chosen values made into something else:
    /// `Song.all.select { ($0.title, $0.plays) }.fetch(in: snapshot, as: Summary.init)`.
    @_disfavoredOverload
    public func fetch<each Value, T>(
        in context: ReadContext, as make: (repeat each Value) throws -> T
    ) throws -> [T] where Output == (repeat each Value) {
        var values: [T] = []
        try forEach(in: context) { (row: (repeat each Value)) in values.append(try make(repeat each row)) }
        return values
    }

    /// Calls a closure with each, one at a time, in constant memory; with memory for all groups where there are groups.
    public func forEach(in context: ReadContext, _ body: (Output) throws -> Void) throws {
        let cursor = try cursor(in: context)
        while let next = try cursor.next() { try body(next) }
    }

    /// One at a time, in constant memory; with memory for all groups where there are groups.
    public func cursor(in context: ReadContext) throws -> RequestCursor<Root, Output> {
        guard let grouping = untyped.grouping, case .values(let selection) = making else {
            return try RequestCursor(rows: try rows(in: context), making, in: context)
        }
        let groups = try groups(grouping, in: context)
        let values = try selection.values(of: groups.map(\.columns), untyped.entity)
        return RequestCursor(values, making, in: context)
    }

    /// The first, or nil.
    public func first(in context: ReadContext) throws -> Output? {
        if let limit = untyped.givenLimit, limit <= 0 { return try fetch(in: context).first }
        return try limit(1).fetch(in: context).first
    }

    /// The last, or nil.
    public func last(in context: ReadContext) throws -> Output? {
        guard untyped.givenLimit == nil, untyped.givenOffset == 0 else { return try fetch(in: context).last }
        return try reversed().first(in: context)
    }

    /// How many there are, limit and offset included: of distinct values how many different ones, of groups how many groups.
    public func count(in context: ReadContext) throws -> Int {
        if let grouping = untyped.grouping { return try groups(grouping, in: context).count }
        let request = try rows(in: context)
        guard request.isDistinct else { return try context.reader.count(request.withoutColumns) }
        var count = 0
        let cursor = try context.rows(request)
        while try cursor.next() != nil { count += 1 }
        return count
    }

    /// Whether there is any.
    public func exists(in context: ReadContext) throws -> Bool {
        if let limit = untyped.givenLimit, limit <= 0 { return try count(in: context) > 0 }
        return try self.limit(1).count(in: context) > 0
    }

    /// How the store would answer: what is searched, with which index, what is sorted. Of records with what is loaded with them
    /// it is how the records are found; each relationship is one search more.
    public func explain(in context: ReadContext) throws -> QueryPlan {
        let request = try rows(in: context)
        guard let grouping = untyped.grouping else { return try context.explain(request) }
        return try context.explain(try ResolvedGrouping(grouping, of: request, in: context.schema).request)
    }

    /// The rows that are asked for; of groups those that are grouped.
    ///
    /// - Throws: Also `schemaMismatch` if the schema has another entity than the record type declares, `closed`.
    func rows(in context: ReadContext) throws -> FetchRequest {
        try context.checked(self)
    }

    /// The groups, in their order.
    func groups(_ grouping: AnyGrouping, in context: ReadContext) throws -> [GroupRow] {
        let resolved = try ResolvedGrouping(grouping, of: try rows(in: context), in: context.schema)
        return try GroupRows(resolved).read(try context.rows(resolved.request))
    }
}

extension ReadContext {
    /// A request, checked against the schema; of groups, for the rows that are grouped.
    package final func checked<Root, Output>(_ request: Request<Root, Output>) throws -> FetchRequest {
        if lastType != ObjectIdentifier(Root.self) || isEnded {
            if let record = Root._recordType { _ = try entity(of: record) } else { try checkOpen() }
        }
        return try FetchRequest(request.untyped, in: schema)
    }
}

extension FetchRequest {
    /// The same rows as they are in the store.
    fileprivate var withoutColumns: FetchRequest {
        var request = self
        request.columns = nil
        return request
    }
}

// Records are read in the module of their type, by a direct call of their `init(row:)`.
extension Request where Root: Record, Output == Root {
    /// The records, in the request's order. Cost: memory for all of them; use ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
    @inlinable public func fetch(in context: ReadContext) throws -> [Root] {
        if let list, let listed = try listed(list, in: context) { return listed }
        let (entity, rows) = try context.open(self)
        var records: [Root] = []
        // Most answers are as long as their limit.
        if let limit = untyped.limit { records.reserveCapacity(min(limit, 1_000)) }
        // A row points into its cursor: also the one that an error is about.
        defer { withExtendedLifetime(rows) {} }
        while let row = try rows.next() {
            do {
                records.append(try Root(row: row))
            } catch {
                throw context.explain(error, entity, row)
            }
        }
        return records
    }

    /// The first record, or nil.
    @inlinable public func first(in context: ReadContext) throws -> Root? {
        if let limit = untyped.limit, limit <= 0 { return try fetch(in: context).first }
        return try limit(1).fetch(in: context).first
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
}

extension Request where Root: Record, Output == Root {
    @usableFromInline func listed(_ list: RequestedList, in context: ReadContext) throws -> [Root]? {
        try list.records(self, in: context)
    }
}

// The verbs that a context has, too.
extension ReadContext {
    /// What a request gives, in its order. Cost: memory for all of it; use ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
    public final func fetch<Root, Output>(_ request: Request<Root, Output>) throws -> [Output] {
        try request.fetch(in: self)
    }

    /// The records of a request, in its order. Cost: memory for all of them; use ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
    @inlinable public final func fetch<R: Record>(_ request: Query<R>) throws -> [R] { try request.fetch(in: self) }

    /// The first that a request gives, or nil.
    public final func first<Root, Output>(_ request: Request<Root, Output>) throws -> Output? {
        try request.first(in: self)
    }

    /// How many a request gives, its limit and offset included.
    public final func count<Root, Output>(_ request: Request<Root, Output>) throws -> Int {
        try request.count(in: self)
    }

    /// The first record of a request, or nil.
    @inlinable public final func first<R: Record>(_ request: Query<R>) throws -> R? { try request.first(in: self) }

    @usableFromInline final func open<R: Record>(_ request: Query<R>) throws -> (Int, any RowCursor) {
        let entity = try entity(of: R.self)
        return (entity, try reader.rows(try FetchRequest(request.untyped, in: schema)))
    }
}
