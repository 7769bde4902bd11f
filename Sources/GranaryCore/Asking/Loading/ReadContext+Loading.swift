extension ReadContext {
    /// The records of a query, each with what is loaded with it.
    ///
    /// - Throws: `danglingReference` if a required reference with the delete rule `none` names no record.
    public func fetch<R: Record, Output>(_ loaded: LoadedQuery<R, Output>) throws -> [Output] {
        let batch = try RecordBatch<R>(try FetchRequest(loaded.query, in: schema), in: self)
        return try loaded.related.joined(batch, in: self)
    }

    /// The first record of a query with what is loaded with it, or nil.
    public func first<R: Record, Output>(_ loaded: LoadedQuery<R, Output>) throws -> Output? {
        guard let record = try first(loaded.query) else { return nil }
        return try load([record], as: loaded).first
    }

    /// Records at hand, each with what a request loads: `snapshot.load(artists, as: Artist.all.with(\.albums))`.
    ///
    /// Only the relationships of the request count, not its condition. A to-one relationship is loaded for the
    /// reference that the given record has, also if that reference was changed in the store meanwhile.
    public func load<R: Record, Output>(_ records: [R], as loaded: LoadedQuery<R, Output>) throws -> [Output] {
        try loaded.related.joined(records, in: self)
    }
}

extension LoadedQuery {
    /// The records, each with what is loaded with it.
    public func fetch(in context: ReadContext) throws -> [Output] { try context.fetch(self) }

    /// The records, each with what is loaded with it, in the main context of the default stack; see ``Stack/default``.
    @MainActor public func fetch() throws -> [Output] { try Stack.reading { try $0.fetch(self) } }
}
