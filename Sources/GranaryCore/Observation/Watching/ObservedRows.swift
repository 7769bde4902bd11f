/// The rows of an observed query as they are read, with a fingerprint of them and of what is loaded with them.
final class ObservedRows {
    private let request: FetchRequest
    private let session: StoreSession
    private let seeds: RowDigest.Seeds
    private let ownCount: Int?
    private var digest: RowDigest
    /// The keys of the rows, where a ``RowFilter`` wants them.
    private(set) var keys: KeyHashes?

    init(
        _ request: FetchRequest, in session: StoreSession, _ seeds: RowDigest.Seeds, ownCount: Int?, keepsKeys: Bool
    ) {
        self.request = request
        self.session = session
        self.seeds = seeds
        self.ownCount = ownCount
        digest = RowDigest(seeds)
        keys = keepsKeys ? KeyHashes() : nil
    }

    var fingerprint: RowDigest.Fingerprint { digest.fingerprint }

    /// Goes through the rows, each with a hash.
    func forEach(_ body: (borrowing Row, UInt64) throws -> Void) throws {
        let keyPosition = session.schema.entities[request.entity].keyPosition
        let bytes = CellBytes()
        let cursor = try session.rows(request)
        // A row points into its cursor: also the one that an error is about.
        defer { withExtendedLifetime(cursor) {} }
        while let row = try cursor.next() {
            var hash = digest.add(row)
            if let ownCount { hash = digest.hash(row, first: ownCount) }
            keys?.insert(row[keyPosition], bytes)
            do {
                try body(row, hash)
            } catch {
                throw session.explain(error, request.entity, row)
            }
        }
    }

    /// An empty batch for the rows' records, which notes what is loaded with each.
    func batch<R: Record>(of type: R.Type, _ entity: Int, isWhole: Bool) -> RecordBatch<R> {
        RecordBatch(of: entity, isWhole: isWhole, in: session.schema, hashes: LoadedHashes(seeds))
    }

    /// Where what is loaded with the rows is read.
    var context: Snapshot { Snapshot(session) }

    /// Takes what was loaded with a batch into the fingerprint.
    func addRelated<R>(of batch: RecordBatch<R>) {
        for hash in batch.hashes?.related ?? [] { digest.add([.integer(Int64(bitPattern: hash))]) }
    }
}
