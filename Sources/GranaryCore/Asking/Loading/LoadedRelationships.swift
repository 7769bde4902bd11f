/// The relationships that are loaded with the records of a request, and how a record's output is made with them.
struct LoadedRelationships<R: Fetchable, Output: Sendable>: Sendable {
    private enum Loader {
        case none(one: @Sendable (R) throws -> Output, all: @Sendable ([R]) throws -> [Output])
        case some(_ joined: @Sendable (RecordBatch<R>, ReadContext) throws -> [Output])
    }

    private let loader: Loader
    /// The paths of the loaded relationships, by names.
    let paths: [String]

    /// Loads nothing. `one` and `all` may make another value of the records.
    init(
        one: @escaping @Sendable (R) throws -> Output, all: @escaping @Sendable ([R]) throws -> [Output]
    ) {
        loader = .none(one: one, all: all)
        paths = []
    }

    init(paths: [String], _ joined: @escaping @Sendable (RecordBatch<R>, ReadContext) throws -> [Output]) {
        loader = .some(joined)
        self.paths = paths
    }

    // The values that the closures of `with` return are passed on, and not the closures: Swift 6.3.1 releases a closure
    // that was made from a key path too often.

    /// Gives records, each in a tuple with what is loaded with it.
    init<each L: Loading>(_ loadings: repeat each L) where R: Record, Output == (R, repeat (each L).Loaded) {
        let all = (repeat each loadings)
        var paths: [String] = []
        repeat paths.append(contentsOf: (each loadings).paths)
        self.init(paths: paths) { batch, context in try batch.joined(repeat each all, in: context) }
    }

    /// Each record of a batch with what is loaded for it.
    func joined(_ batch: RecordBatch<R>, in context: ReadContext) throws -> [Output] {
        switch loader {
        case .none(_, let all): try all(batch.records)
        case .some(let joined): try joined(batch, context)
        }
    }

    /// Makes the output of one record; nil if something is loaded, because records are then gathered in batches.
    var one: (@Sendable (R) throws -> Output)? {
        switch loader {
        case .none(let one, _): one
        case .some: nil
        }
    }

    /// Makes the outputs of records; nil if something is loaded with them.
    var all: (@Sendable ([R]) throws -> [Output])? {
        switch loader {
        case .none(_, let all): all
        case .some: nil
        }
    }

    /// Whether nothing is loaded.
    var isEmpty: Bool { one != nil }

    /// What loading reads, or nil if nothing is loaded. It is found by loading for an empty batch: the requests do not
    /// depend on the records.
    func readSet(of entity: Int, in schema: Schema, _ types: RecordTypes) throws -> ReadSet? {
        if isEmpty { return nil }
        let reader = ReadSetRecorder(schema)
        let batch = RecordBatch<R>(of: entity, isWhole: false, in: schema)
        _ = try joined(batch, in: Snapshot(reader, ContextSetting(schema, types)))
        return reader.readSet
    }
}

extension LoadedRelationships {
    /// The paths when this is loaded with the records of a relationship.
    func paths(below relationship: String) -> [String] {
        paths.isEmpty ? [relationship] : paths.map { "\(relationship).\($0)" }
    }
}

extension LoadedRelationships where R: Record {
    /// The given records, each with what is loaded for it.
    func joined(_ records: [R], in context: ReadContext) throws -> [Output] {
        switch loader {
        case .none(_, let all): try all(records)
        case .some(let joined): try joined(try RecordBatch(records, in: context), context)
        }
    }
}

/// A reader of an empty store that notes which requests it gets.
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
