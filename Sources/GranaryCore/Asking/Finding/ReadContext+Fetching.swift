// The verbs that a context has for every kind of request. All others are the request's own, and take the context.
extension ReadContext {
    /// The chosen values of a query's records.
    public func fetch<R: Record, Output>(_ projection: Projection<R, Output>) throws -> [Output] {
        try projection.fetch(in: self)
    }

    /// The groups of a query.
    public func fetch<R: Record, Output>(_ grouped: GroupedQuery<R, Output>) throws -> [Output] {
        try grouped.fetch(in: self)
    }

    /// The records of a query, each with what is loaded with it.
    public func fetch<R: Record, Output>(_ loaded: LoadedQuery<R, Output>) throws -> [Output] {
        try loaded.fetch(in: self)
    }

    /// The chosen values of a query's first record, or nil.
    public func first<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Output? {
        try projection.first(in: self)
    }

    /// The first record of a query with what is loaded with it, or nil.
    public func first<R: Record, Output>(_ loaded: LoadedQuery<R, Output>) throws -> Output? {
        try loaded.first(in: self)
    }

    /// How many tuples a projection gives: of a distinct one, how many different ones.
    public func count<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Int {
        try projection.count(in: self)
    }
}
