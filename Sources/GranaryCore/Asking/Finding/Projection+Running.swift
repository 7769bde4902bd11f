// Chosen values asked of a context, in the order of reading:
// `Song.where { $0.plays > 100 }.select { ($0.title, $0.plays) }.fetch(in: snapshot)`.
extension Projection {
    /// The chosen values of the query's records, in its order: a value a record, or a tuple of several.
    public func fetch(in context: ReadContext) throws -> [Output] {
        var values: [Output] = []
        try forEach(in: context) { values.append($0) }
        return values
    }

    /// The chosen values made into something else: `Song.select(\.title).fetch(in: snapshot, as: Heading.init)`.
    public func fetch<T>(in context: ReadContext, as make: (Output) throws -> T) throws -> [T] {
        var values: [T] = []
        try forEach(in: context) { values.append(try make($0)) }
        return values
    }

    /// The chosen values made into something else:
    /// `Song.select { ($0.title, $0.plays) }.fetch(in: snapshot, as: Summary.init)`.
    public func fetch<each Value, T>(
        in context: ReadContext, as make: (repeat each Value) throws -> T
    ) throws -> [T] where Output == (repeat each Value) {
        var values: [T] = []
        try forEach(in: context) { (row: (repeat each Value)) in values.append(try make(repeat each row)) }
        return values
    }

    /// The chosen values of the first record, or nil.
    public func first(in context: ReadContext) throws -> Output? {
        if let limit = query.limit, limit <= 0 { return try fetch(in: context).first }
        return try limit(1).fetch(in: context).first
    }

    /// Calls a closure with each tuple, one at a time, in constant memory.
    public func forEach(in context: ReadContext, _ body: (Output) throws -> Void) throws {
        let request = try FetchRequest(self, in: context.schema)
        let cursor = try context.rows(request)
        let entity = context.schema.entities[request.entity].name
        while let row = try cursor.next() {
            try body(try selection.value(of: row, entity))
        }
    }

    /// How many tuples there are: of a distinct projection, how many different ones.
    public func count(in context: ReadContext) throws -> Int {
        guard isDistinct else { return try query.count(in: context) }
        return try context.countRows(try FetchRequest(self, in: context.schema))
    }

    /// How the store would answer.
    public func explain(in context: ReadContext) throws -> QueryPlan {
        try context.explain(try FetchRequest(self, in: context.schema))
    }
}

extension ReadContext {
    /// How many rows a request gives, one after the other.
    func countRows(_ request: FetchRequest) throws -> Int {
        var count = 0
        let cursor = try rows(request)
        while try cursor.next() != nil { count += 1 }
        return count
    }
}

extension GroupedQuery {
    /// The groups, a value or a tuple a group.
    public func fetch(in context: ReadContext) throws -> [Output] {
        try selection.values(of: DynamicQuery(query).groups(untyped, in: context), Root.entityName)
    }

    /// The groups made into something else.
    public func fetch<T>(in context: ReadContext, as make: (Output) throws -> T) throws -> [T] {
        try fetch(in: context).map(make)
    }

    /// The groups made into something else: `grouped.fetch(in: snapshot, as: Summary.init)`.
    public func fetch<each Value, T>(
        in context: ReadContext, as make: (repeat each Value) throws -> T
    ) throws -> [T] where Output == (repeat each Value) {
        try fetch(in: context).map { (row: (repeat each Value)) in try make(repeat each row) }
    }

    /// How the store would answer.
    public func explain(in context: ReadContext) throws -> QueryPlan {
        try DynamicQuery(query).explain(untyped, in: context)
    }
}
