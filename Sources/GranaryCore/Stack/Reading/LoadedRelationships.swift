/// The relationships that are loaded with the records of a query.
struct LoadedRelationships<R: Record, each L: Loading>: Sendable {
    private let loadings: (repeat each L)

    init(_ loadings: repeat each L) { self.loadings = (repeat each loadings) }

    /// Each record of a batch with what is loaded for it.
    func joined(_ batch: RecordBatch<R>, in context: any ReadContext) throws -> [(R, repeat (each L).Loaded)] {
        try batch.joined(repeat each loadings, in: context)
    }

    /// Whether nothing is loaded.
    var isEmpty: Bool {
        for _ in repeat each loadings { return false }
        return true
    }

    /// What loading looks at, found by loading for no records: what is asked for does not depend on them. nil if nothing is
    /// loaded.
    func footprint(in schema: Schema, _ types: RecordTypes) throws -> Footprint? {
        if isEmpty { return nil }
        let reader = FootprintReader()
        let batch = RecordBatch<R>(of: try types.position(of: R.self, in: schema), isWhole: false, in: schema)
        _ = try joined(batch, in: Snapshot(StoreSession(reader: reader, schema: schema, types: types)))
        return reader.footprint
    }
}

/// A reader of an empty store, which notes what is asked of it.
private final class FootprintReader: StoreReader {
    private(set) var footprint = Footprint()

    var transactionNumber: UInt64 { 0 }

    func find(_ key: Cell, in entity: Int) -> Row? {
        footprint.add(FetchRequest(entity: entity))
        return nil
    }

    func rows(_ request: FetchRequest) -> any RowCursor {
        footprint.add(request)
        return NoRows()
    }

    func count(_ request: FetchRequest) -> Int {
        footprint.add(request)
        return 0
    }

    func aggregate(_ request: AggregateRequest) -> any RowCursor {
        footprint.add(Footprint(request))
        return NoRows()
    }

    func explain(_ request: FetchRequest) -> QueryPlan { QueryPlan([]) }
    func explain(_ request: AggregateRequest) -> QueryPlan { QueryPlan([]) }
    func lastAssignedKey(of entity: Int) -> Int64 { 0 }
    func history(after number: UInt64, limit: Int) -> [HistoryEntry] { [] }
    func end() {}
}

private final class NoRows: RowCursor {
    func next() -> Row? { nil }
}
