// A context answers a request: `Artist.where { ... }.fetch(in: snapshot)`. The verbs are the same for every kind of
// output: records, records with loaded relationships, chosen values, groups.
extension Request {
    /// The results, in the request's order.
    ///
    /// ```swift
    /// let names = try Artist.sorted(by: \.name).select(\.name).fetch(in: snapshot)
    /// ```
    ///
    /// Cost: memory for all of them; use ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
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
        // Most results are as long as their limit.
        if let limit = untyped.limit { records.reserveCapacity(min(limit, 1_000)) }
        // A row points into its cursor. This is also true of the row that an error is about.
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

    /// The results, each converted: `Song.all.select(\.title).fetch(in: snapshot, as: Heading.init)`.
    public func fetch<T>(in context: ReadContext, as make: (Output) throws -> T) throws -> [T] {
        var values: [T] = []
        try forEach(in: context) { values.append(try make($0)) }
        return values
    }

    /// The chosen values, each row converted:
    /// `Song.all.select { ($0.title, $0.plays) }.fetch(in: snapshot, as: Summary.init)`.
    @_disfavoredOverload
    public func fetch<each Value, T>(
        in context: ReadContext, as make: (repeat each Value) throws -> T
    ) throws -> [T] where Output == (repeat each Value) {
        var values: [T] = []
        try forEach(in: context) { (row: (repeat each Value)) in values.append(try make(repeat each row)) }
        return values
    }

    /// Calls a closure with each result, one at a time, in constant memory; a request for groups needs memory for all
    /// groups.
    ///
    /// ```swift
    /// try Song.all.select { ($0.title, $0.plays) }.forEach(in: snapshot) { print($0) }
    /// ```
    public func forEach(in context: ReadContext, _ body: (Output) throws -> Void) throws {
        let cursor = try cursor(in: context)
        while let next = try cursor.next() { try body(next) }
    }

    /// The results one at a time, in constant memory; a request for groups needs memory for all groups.
    ///
    /// ```swift
    /// let songs = try Song.all.cursor(in: snapshot)
    /// while let song = try songs.next() { print(song.title) }
    /// ```
    public func cursor(in context: ReadContext) throws -> RequestCursor<Root, Output> {
        guard let grouping = untyped.grouping, case .values(let selection) = making else {
            return try RequestCursor(rows: try rows(in: context), making, in: context)
        }
        let groups = try groups(grouping, in: context)
        let values = try selection.values(of: groups.map(\.columns), untyped.entity)
        return RequestCursor(values, making, in: context)
    }

    /// The first result, or nil.
    ///
    /// ```swift
    /// let name = try Artist.sorted(by: \.rating, .descending).select(\.name).first(in: snapshot)
    /// ```
    public func first(in context: ReadContext) throws -> Output? {
        if let limit = untyped.givenLimit, limit <= 0 { return try fetch(in: context).first }
        return try limit(1).fetch(in: context).first
    }

    /// The last result, or nil.
    ///
    /// ```swift
    /// let longest = try Song.sorted(by: \.plays).last(in: snapshot)
    /// ```
    public func last(in context: ReadContext) throws -> Output? {
        guard untyped.givenLimit == nil, untyped.givenOffset == 0 else { return try fetch(in: context).last }
        return try reversed().first(in: context)
    }

    /// The number of results, after limit and offset: different values if the request is distinct, groups if it has
    /// groups.
    ///
    /// ```swift
    /// let played = try Song.where { $0.plays > 0 }.count(in: snapshot)
    /// ```
    public func count(in context: ReadContext) throws -> Int {
        if let grouping = untyped.grouping { return try groups(grouping, in: context).count }
        let request = try rows(in: context)
        guard request.isDistinct else { return try context.count(request.withoutColumns) }
        var count = 0
        let cursor = try context.rows(request)
        while try cursor.next() != nil { count += 1 }
        return count
    }

    /// Whether the request has any result.
    ///
    /// ```swift
    /// if try Song.where({ $0.artist == Ref(100) }).exists(in: snapshot) { print("has songs") }
    /// ```
    public func exists(in context: ReadContext) throws -> Bool {
        if let limit = untyped.givenLimit, limit <= 0 { return try count(in: context) > 0 }
        return try self.limit(1).count(in: context) > 0
    }

    /// How the store would answer: what is searched, with which index, what is sorted. For records with loaded
    /// relationships the plan says how the records are found; each relationship is one more search.
    ///
    /// ```swift
    /// print(try Song.where { $0.artist == Ref(100) }.explain(in: snapshot))  // search Song using artist (artist = ?)
    /// ```
    public func explain(in context: ReadContext) throws -> QueryPlan {
        let request = try rows(in: context)
        guard let grouping = untyped.grouping else { return try context.explain(request) }
        return try context.explain(
            try ResolvedGrouping(grouping, of: request, in: context.schema, ranking: untyped.condition).request)
    }

    /// The rows that the store is asked for; for a request with groups the rows that are grouped.
    ///
    /// - Throws: Also `schemaMismatch` if the schema has another entity than the record type declares, `closed`.
    func rows(in context: ReadContext) throws -> FetchRequest {
        try context.checked(self)
    }

    /// The groups, in their order.
    func groups(_ grouping: AnyGrouping, in context: ReadContext) throws -> [GroupRow] {
        let resolved = try ResolvedGrouping(
            grouping, of: try rows(in: context), in: context.schema, ranking: untyped.condition)
        return try GroupRows(resolved).read(try context.rows(resolved.request))
    }
}

extension ReadContext {
    /// A request, checked against the schema; for groups, the request for the rows that are grouped.
    package final func checked<Root, Output>(_ request: Request<Root, Output>) throws -> FetchRequest {
        if lastType != ObjectIdentifier(Root.self) || isEnded {
            if let record = Root._recordType { _ = try entity(of: record) } else { try checkOpen() }
        }
        return try FetchRequest(request.untyped, in: schema)
    }
}

extension FetchRequest {
    /// The same rows with all their stored columns.
    fileprivate var withoutColumns: FetchRequest {
        var request = self
        request.columns = nil
        return request
    }
}

// Records are read in the module of their type, by a direct call of their `init(row:)`.
extension Request where Root: Record, Output == Root {
    /// The records, in the request's order.
    ///
    /// ```swift
    /// let top = try Artist.where { $0.rating >= 4.5 }.sorted(by: \.name).limit(20).fetch(in: snapshot)
    /// ```
    ///
    /// Cost: memory for all of them; use ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
    @inlinable public func fetch(in context: ReadContext) throws -> [Root] {
        if let list, let listed = try listed(list, in: context) { return listed }
        let (entity, rows) = try context.open(self)
        var records: [Root] = []
        // Most results are as long as their limit.
        if let limit = untyped.limit { records.reserveCapacity(min(limit, 1_000)) }
        // A row points into its cursor. This is also true of the row that an error is about.
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
    ///
    /// ```swift
    /// let best = try Artist.sorted(by: \.rating, .descending).first(in: snapshot)
    /// ```
    @inlinable public func first(in context: ReadContext) throws -> Root? {
        if let limit = untyped.limit, limit <= 0 { return try fetch(in: context).first }
        return try limit(1).fetch(in: context).first
    }

    /// Calls a closure with each record, one at a time, in constant memory.
    ///
    /// ```swift
    /// try Artist.sorted(by: \.rating, .descending).forEach(in: snapshot) { print($0.id, $0.name) }
    /// ```
    @inlinable public func forEach(in context: ReadContext, _ body: (Root) throws -> Void) throws {
        let (entity, rows) = try context.open(self)
        // A row points into its cursor. This is also true of the row that an error is about.
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

// The same verbs on a context.
extension ReadContext {
    /// The results of a request, in its order. Cost: memory for all of them; use
    /// ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
    public final func fetch<Root, Output>(_ request: Request<Root, Output>) throws -> [Output] {
        try request.fetch(in: self)
    }

    /// The records of a request, in its order.
    ///
    /// ```swift
    /// let top = try snapshot.fetch(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name).limit(20))
    /// ```
    ///
    /// Cost: memory for all of them; use ``Request/forEach(in:_:)-(_,(Output)->Void)`` for one at a time.
    @inlinable public final func fetch<R: Record>(_ request: Query<R>) throws -> [R] { try request.fetch(in: self) }

    /// The first result of a request, or nil.
    public final func first<Root, Output>(_ request: Request<Root, Output>) throws -> Output? {
        try request.first(in: self)
    }

    /// The number of results of a request, after its limit and offset.
    ///
    /// ```swift
    /// let loved = try snapshot.count(Artist.where { $0.rating >= 4.5 })
    /// ```
    public final func count<Root, Output>(_ request: Request<Root, Output>) throws -> Int {
        try request.count(in: self)
    }

    /// The first record of a request, or nil.
    ///
    /// ```swift
    /// let best = try snapshot.first(Artist.sorted(by: \.rating, .descending))
    /// ```
    @inlinable public final func first<R: Record>(_ request: Query<R>) throws -> R? { try request.first(in: self) }

    /// The number of rows of a request without types.
    final func count(_ request: FetchRequest) throws -> Int {
        try checkOpen()
        guard let watch else { return try reader.count(reader.ranked(request)) }
        return try watch.timed(request) { try reader.count(reader.ranked(request)) }
    }

    @usableFromInline final func open<R: Record>(_ request: Query<R>) throws -> (Int, any RowCursor) {
        let entity = try entity(of: R.self)
        return (entity, try rows(try FetchRequest(request.untyped, in: schema)))
    }
}
