/// The records of a query, and what has become of them since the last value.
public struct QueryChange<R: Record>: Sendable {
    /// In the query's order.
    public let records: [R]
    /// From the records of the last value, or from none.
    public let difference: ListDifference
    /// The keys of what ``difference`` calls deletions, one each.
    public let deletedKeys: [R.Key]

    /// The records that were not there before, or did not meet the condition.
    public var inserted: [R] { difference.insertions.map { records[$0] } }
    /// The records with other values than before.
    public var updated: [R] { difference.updates.map { records[$0.to] } }
}

extension Stack {
    /// The records of a query, now and whenever they change, each time with the difference: what came, what went, what has
    /// moved, what has other values. The first value is all insertions.
    ///
    /// ```swift
    /// for try await change in stack.observeChanges(Song.sorted(by: \.title)) {
    ///     for place in change.difference.deletions.reversed() { rows.remove(at: place) } …
    /// }
    /// ```
    ///
    /// As ``observe(_:)-(Query<R>)`` otherwise. A loop that is slow gets one difference over several commits.
    ///
    /// Cost, beside: the key and a hash of each record are kept, 32 bytes; O(n log n) where much has moved.
    public func observeChanges<R: Record>(_ query: Query<R>) -> QueryObservation<QueryChange<R>> {
        QueryObservation(self, ObservedQueries.changes(query))
    }
}

extension ObservedQueries {
    static func changes<R: Record>(_ query: Query<R>) -> ObservedQuery<QueryChange<R>> {
        ObservedQuery { schema, types in
            _ = try types.position(of: R.self, in: schema)
            let request = try FetchRequest(query, in: schema)
            let keyPosition = schema.entities[request.entity].keyPosition
            let former = FormerRows()
            return prepared(request, in: schema) { observed in
                var records: [R] = []
                var rows = KeyedRows()
                try observed.forEach { row, hash in
                    records.append(try R(row: row))
                    rows.keys.append(StoredValue(row[keyPosition]))
                    rows.hashes.append(hash)
                }
                let old = former.exchange(rows)
                let difference = ListDifference(from: old.keys, to: rows.keys) { old.hashes[$0] != rows.hashes[$1] }
                return QueryChange(
                    records: records, difference: difference,
                    deletedKeys: try difference.deletions.map { try R.Key(stored: old.keys[$0]) })
            }
        }
    }
}

/// The keys of an answer, and a hash of each row.
struct KeyedRows: Sendable {
    var keys: [StoredValue] = []
    var hashes: [UInt64] = []
    /// Of what is loaded with each row; empty where nothing is.
    var related: [UInt64] = []
}

/// What one observation has answered last.
private final class FormerRows: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var rows = KeyedRows()

    func exchange(_ new: KeyedRows) -> KeyedRows {
        lock.withLock {
            defer { rows = new }
            return rows
        }
    }
}
