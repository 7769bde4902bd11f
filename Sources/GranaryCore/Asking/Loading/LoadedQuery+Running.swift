extension LoadedQuery {
    /// The records of the query, each with what is loaded with it.
    ///
    /// - Throws: `danglingReference` if a required reference with the delete rule `none` names no record.
    public func fetch(in context: ReadContext) throws -> [Output] {
        let batch = try RecordBatch<Root>(try FetchRequest(query, in: context.schema), in: context)
        return try related.joined(batch, in: context)
    }

    /// The first record of the query with what is loaded with it, or nil.
    public func first(in context: ReadContext) throws -> Output? {
        guard let record = try query.first(in: context) else { return nil }
        return try load([record], in: context).first
    }

    /// Records at hand, each with what the request loads: `Artist.all.with(\.albums).load(artists, in: snapshot)`.
    ///
    /// Only the relationships of the request count, not its condition. A to-one relationship is loaded for the
    /// reference that the given record has, also if that reference was changed in the store meanwhile.
    public func load(_ records: [Root], in context: ReadContext) throws -> [Output] {
        try related.joined(records, in: context)
    }
}
