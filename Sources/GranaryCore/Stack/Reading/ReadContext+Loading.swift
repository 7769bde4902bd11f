extension ReadContext {
    /// The records of a query, each with what it is related to. See ``Loading``.
    ///
    /// - Throws: `danglingReference` if a required reference with the delete rule `none` names no record.
    public func fetch<R: Record, each L: Loading>(
        _ query: Query<R>, with related: repeat (R.Fields) -> each L
    ) throws -> [(R, repeat (each L).Loaded)] {
        try fetch(query, loading: repeat (each related)(R.fields))
    }

    /// The first record of a query with what it is related to, or nil. See ``Loading``.
    public func first<R: Record, each L: Loading>(
        _ query: Query<R>, with related: repeat (R.Fields) -> each L
    ) throws -> (R, repeat (each L).Loaded)? {
        guard let record = try first(query) else { return nil }
        return try load([record], loading: repeat (each related)(R.fields)).first
    }

    /// The record with a key with what it is related to, or nil. See ``Loading``.
    public func find<R: Record, each L: Loading>(
        _ type: R.Type, _ key: R.Key, with related: repeat (R.Fields) -> each L
    ) throws -> (R, repeat (each L).Loaded)? {
        guard let record = try find(type, key) else { return nil }
        return try load([record], loading: repeat (each related)(R.fields)).first
    }

    /// The first records of a query, or those after a place, each with what it is related to. See ``Loading`` and
    /// ``page(_:after:size:)``.
    public func page<R: Record, each L: Loading>(
        _ query: Query<R>, after position: PagePosition? = nil, size: Int, with related: repeat (R.Fields) -> each L
    ) throws -> Page<(R, repeat (each L).Loaded)> {
        try load(try page(query, after: position, size: size), loading: repeat (each related)(R.fields))
    }

    /// The records before a place, each with what it is related to. See ``Loading`` and ``page(_:before:size:)``.
    public func page<R: Record, each L: Loading>(
        _ query: Query<R>, before position: PagePosition, size: Int, with related: repeat (R.Fields) -> each L
    ) throws -> Page<(R, repeat (each L).Loaded)> {
        try load(try page(query, before: position, size: size), loading: repeat (each related)(R.fields))
    }

    /// Records at hand, each with what it is related to. See ``Loading``.
    ///
    /// A to-one relationship leads where the record at hand says, also if it was changed there in the meantime.
    public func load<R: Record, each L: Loading>(
        _ records: [R], with related: repeat (R.Fields) -> each L
    ) throws -> [(R, repeat (each L).Loaded)] {
        try load(records, loading: repeat (each related)(R.fields))
    }

    // What the closures give is handed on, not the closures: Swift 6.3.1 releases one that was made of a key path too often.

    func fetch<R: Record, each L: Loading>(
        _ query: Query<R>, loading related: repeat each L
    ) throws -> [(R, repeat (each L).Loaded)] {
        let batch = try RecordBatch<R>(try FetchRequest(query, in: schema), in: self)
        return try batch.joined(repeat each related, in: self)
    }

    private func load<R: Record, each L: Loading>(
        _ records: [R], loading related: repeat each L
    ) throws -> [(R, repeat (each L).Loaded)] {
        try RecordBatch(records, in: self).joined(repeat each related, in: self)
    }

    private func load<R: Record, each L: Loading>(
        _ page: Page<R>, loading related: repeat each L
    ) throws -> Page<(R, repeat (each L).Loaded)> {
        Page(
            records: try load(page.records, loading: repeat each related), start: page.start, end: page.end,
            hasMore: page.hasMore)
    }
}
