// A query asked of a context, in the order of reading: `Artist.where { ... }.fetch(in: snapshot)`.
extension Query {
    public func fetch(in context: ReadContext) throws -> [Root] { try context.fetch(self) }
    public func first(in context: ReadContext) throws -> Root? { try context.first(self) }
    public func last(in context: ReadContext) throws -> Root? { try context.last(self) }
    public func count(in context: ReadContext) throws -> Int { try context.count(self) }
    public func exists(in context: ReadContext) throws -> Bool { try context.exists(self) }

    /// Sets chosen fields of the records in the store, without reading them. Returns how many there are.
    ///
    /// ```swift
    /// try Artist.where { $0.rating == nil }.updateAll(in: tx) { $0.set(\.rating, to: 0) }
    /// ```
    @discardableResult public func updateAll(
        in context: Context, _ changes: (inout Changes<Root>) throws -> Void
    ) throws -> Int {
        try context.updateAll(self, changes)
    }

    /// Deletes the records, following the delete rules. Returns how many there were.
    @discardableResult public func deleteAll(in context: Context) throws -> Int {
        try context.deleteAll(try FetchRequest(self, in: context.schema))
    }

    /// The first record of the query; if there is none, the one the closure makes, inserted.
    public func findOrCreate(in context: Context, _ make: () throws -> Root) throws -> Root {
        try context.findOrCreate(self, make)
    }
}
