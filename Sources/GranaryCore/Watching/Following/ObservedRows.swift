/// The rows of an observed query while they are read, with a fingerprint of them and of their loaded related records.
final class ObservedRows {
    private let request: FetchRequest
    private let context: ReadContext
    private let seeds: RowDigest.Seeds
    private let ownCount: Int?
    private var digest: RowDigest
    /// The keys of the rows, if a ``RowFilter`` needs them.
    private(set) var keys: KeyHashes?

    init(
        _ request: FetchRequest, in context: ReadContext, _ seeds: RowDigest.Seeds, ownCount: Int?, keepsKeys: Bool
    ) {
        self.request = request
        self.context = context
        self.seeds = seeds
        self.ownCount = ownCount
        digest = RowDigest(seeds)
        keys = keepsKeys ? KeyHashes() : nil
    }

    var fingerprint: RowDigest.Fingerprint { digest.fingerprint }

    /// Goes through the rows, each with a hash.
    func forEach(_ body: (borrowing Row, UInt64) throws -> Void) throws {
        let keyPosition = context.schema.entities[request.entity].keyPosition
        let bytes = CellBytes()
        let cursor = try context.rows(request)
        // A row points into its cursor. This is also true of the row that an error is about.
        defer { withExtendedLifetime(cursor) {} }
        while let row = try cursor.next() {
            var hash = digest.add(row)
            if let ownCount { hash = digest.hash(row, first: ownCount) }
            keys?.insert(row[keyPosition], bytes)
            do {
                try body(row, hash)
            } catch {
                throw context.explain(error, request.entity, row)
            }
        }
    }

    /// The records of the rows, each with its loaded related records.
    func records<R: Fetchable, Output>(_ related: LoadedRelationships<R, Output>) throws -> [Output] {
        try records(related) { _, _ in }.records
    }

    /// The records of the rows, each with its loaded related records; their keys and hashes; and the records alone.
    func keyedRecords<R: Fetchable, Output>(
        _ related: LoadedRelationships<R, Output>, _ look: (borrowing Row) -> Void = { _ in }
    ) throws -> (records: [Output], rows: KeyedRows, alone: [R]) {
        let keyPosition = context.schema.entities[request.entity].keyPosition
        var rows = KeyedRows()
        let (records, batch) = try records(related) { row, hash in
            rows.keys.append(StoredValue(row[keyPosition]))
            rows.hashes.append(hash)
            look(row)
        }
        rows.related = batch.hashes?.related ?? []
        return (records, rows, batch.records)
    }

    /// Adds the loaded related records to the fingerprint.
    private func records<R: Fetchable, Output>(
        _ related: LoadedRelationships<R, Output>, _ look: (borrowing Row, UInt64) -> Void
    ) throws -> (records: [Output], batch: RecordBatch<R>) {
        var batch = RecordBatch<R>(
            of: request.entity, isWhole: request.isWhole, in: context.schema,
            hashes: related.isEmpty ? nil : LoadedHashes(seeds))
        let entity = context.schema.entities[request.entity]
        try forEach { row, hash in
            try R._append(row, entity, to: &batch.records)
            if batch.hashes != nil { batch.keep(row, hash) }
            look(row, hash)
        }
        let records = try related.joined(batch, in: context)
        for hash in batch.hashes?.related ?? [] { digest.add([.integer(Int64(bitPattern: hash))]) }
        return (records, batch)
    }
}
