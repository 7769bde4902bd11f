/// The relationships that are loaded with the records of a request, and what is made of each record with them.
struct LoadedRelationships<R: Record, Output: Sendable>: Sendable {
    private enum Loader {
        case none(_ alone: @Sendable ([R]) -> [Output])
        case some(_ joined: @Sendable (RecordBatch<R>, ReadContext) throws -> [Output])
    }

    private let loader: Loader

    /// Records alone.
    init() where Output == R { loader = .none { $0 } }

    // What the closures of `with` give is handed on, not the closures: Swift 6.3.1 releases one that was made of a key path
    // too often.

    /// Records, each in a tuple with what is loaded with it.
    init<each L: Loading>(_ loadings: repeat each L) where Output == (R, repeat (each L).Loaded) {
        let all = (repeat each loadings)
        loader = .some { batch, context in try batch.joined(repeat each all, in: context) }
    }

    /// Each record of a batch with what is loaded for it.
    func joined(_ batch: RecordBatch<R>, in context: ReadContext) throws -> [Output] {
        switch loader {
        case .none(let alone): alone(batch.records)
        case .some(let joined): try joined(batch, context)
        }
    }

    /// Each record at hand with what is loaded for it.
    func joined(_ records: [R], in context: ReadContext) throws -> [Output] {
        switch loader {
        case .none(let alone): alone(records)
        case .some(let joined): try joined(try RecordBatch(records, in: context), context)
        }
    }

    /// Whether nothing is loaded.
    var isEmpty: Bool {
        switch loader {
        case .none: true
        case .some: false
        }
    }

    /// What loading looks at, found by loading for no records: what is asked for does not depend on them. nil if nothing is
    /// loaded.
    func readSet(in schema: Schema, _ types: RecordTypes) throws -> ReadSet? {
        if isEmpty { return nil }
        let reader = ReadSetRecorder(schema)
        let batch = RecordBatch<R>(of: try types.position(of: R.self, in: schema), isWhole: false, in: schema)
        _ = try joined(batch, in: Snapshot(reader, schema: schema, types: types))
        return reader.readSet
    }
}

/// A reader of an empty store, which notes what is asked of it.
private final class ReadSetRecorder: StoreReader {
    private(set) var readSet = ReadSet()
    let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    var transactionNumber: UInt64 { 0 }

    func find(_ key: Cell, in entity: Int) -> Row? {
        readSet.add(FetchRequest(entity: entity))
        return nil
    }

    func rows(_ request: FetchRequest) -> any RowCursor {
        readSet.add(request)
        return NoRows()
    }

    func count(_ request: FetchRequest) -> Int {
        readSet.add(request)
        return 0
    }

    func lastAssignedKey(of entity: Int) -> Int64 { 0 }
    func end() {}
}

private final class NoRows: RowCursor {
    func next() -> Row? { nil }
}
