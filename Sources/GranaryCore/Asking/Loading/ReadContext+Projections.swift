extension ReadContext {
    /// The chosen values of a query's records, in its order: a value a record, or a tuple of several.
    public func fetch<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws -> [Output] {
        var values: [Output] = []
        try forEach(projection) { values.append($0) }
        return values
    }

    /// The chosen values made into something else: `fetch(Song.select(\.title), as: Heading.init)`.
    public func fetch<R: Record, Output, T>(
        _ projection: Projection<R, Output>, as make: (Output) throws -> T
    ) throws -> [T] {
        var values: [T] = []
        try forEach(projection) { values.append(try make($0)) }
        return values
    }

    /// The chosen values made into something else: `fetch(Song.select { ($0.title, $0.plays) }, as: Summary.init)`.
    public func fetch<R: Record, each Value, T>(
        _ projection: Projection<R, (repeat each Value)>, as make: (repeat each Value) throws -> T
    ) throws -> [T] {
        var values: [T] = []
        try forEach(projection) { (row: (repeat each Value)) in values.append(try make(repeat each row)) }
        return values
    }

    /// The chosen values of the first record, or nil.
    public func first<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws -> Output? {
        var projection = projection
        let limit = projection.query.limit
        if let limit, limit <= 0 { return try fetch(projection).first }
        projection.query.limit = 1
        return try fetch(projection).first
    }

    /// Calls a closure with each tuple, one at a time, in constant memory.
    public func forEach<R: Record, Output>(
        _ projection: Projection<R, Output>, _ body: (Output) throws -> Void
    ) throws {
        let request = try FetchRequest(projection, in: schema)
        let cursor = try rows(request)
        let entity = schema.entities[request.entity].name
        while let row = try cursor.next() {
            try body(try projection.selection.value(of: row, entity))
        }
    }

    /// How many tuples a projection gives: of a distinct one, how many different ones.
    public func count<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws -> Int {
        guard projection.isDistinct else { return try count(projection.query) }
        return try countRows(try FetchRequest(projection, in: schema))
    }

    /// How many rows a request gives, one after the other.
    func countRows(_ request: FetchRequest) throws -> Int {
        var count = 0
        let cursor = try rows(request)
        while try cursor.next() != nil { count += 1 }
        return count
    }

    /// How the store would answer.
    public func explain<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws -> QueryPlan {
        try explain(try FetchRequest(projection, in: schema))
    }
}
