import GranaryPlatform

/// What a request gives, and what has become of it since the last value.
///
/// A record is the same one as long as it has its key, also where values of it are chosen. A group is the same one as long as the
/// values of `grouped(by:)` are equal. A distinct value that changes is a deletion and an insertion.
public struct QueryChange<Root: Fetchable, Output: Sendable>: Sendable {
    /// In the query's order, each with what is loaded with it.
    public let records: [Output]
    /// From the records of the last value, or from none. An update is a record with other values of its own.
    public let difference: ListDifference
    /// Records whose own values are the same, while what is loaded with them has changed, by the new place; one that has
    /// moved, too, is also among the moves of ``difference``. Empty where nothing is loaded.
    public let relatedUpdates: [ListDifference.Pair]
    /// The keys of the records of what ``difference`` calls deletions, one each. Empty where groups or distinct values are
    /// given, which are not of one record each.
    public let deletedKeys: [Root.Key]

    /// The records that were not there before, or did not meet the condition.
    public var inserted: [Output] { difference.insertions.map { records[$0] } }
    /// The records with other values than before.
    public var updated: [Output] { difference.updates.map { records[$0.to] } }
}

extension ObservedQueries {
    static func changes<Root, Output>(_ request: Request<Root, Output>) -> ObservedQuery<QueryChange<Root, Output>> {
        ObservedQuery { schema, types in
            // Each observation has its own.
            let former = FormerRows()
            return try keyed(request) { keyed in
                let rows = keyed.rows
                let old = former.exchange(rows)
                var difference = ListDifference(from: old.keys, to: rows.keys) { rows.isUpdated(from: old, $0, $1) }
                let related = difference.separate { rows.isUpdatedItself(from: old, $0, $1) }
                return QueryChange(
                    records: keyed.outputs, difference: difference, relatedUpdates: related,
                    deletedKeys: keyed.hasRecordKeys
                        ? try difference.deletions.map { try Root._key(old.keys[$0]) } : [])
            }.prepare(schema, types)
        }
    }
}

/// The keys of an answer, and a hash of each row.
struct KeyedRows: Sendable {
    var keys: [StoredValue] = []
    var hashes: [UInt64] = []
    /// Of what is loaded with each row; empty where nothing is.
    var related: [UInt64] = []

    /// Whether a record has other values of its own than at its old place.
    func isUpdatedItself(from old: KeyedRows, _ from: Int, _ to: Int) -> Bool { old.hashes[from] != hashes[to] }

    /// Whether a record, or what is loaded with it, has changed since it was at its old place.
    func isUpdated(from old: KeyedRows, _ from: Int, _ to: Int) -> Bool {
        isUpdatedItself(from: old, from, to) || (!related.isEmpty && old.related[from] != related[to])
    }
}

extension ListDifference {
    /// Keeps the updates of which a closure holds, and returns the others.
    mutating func separate(_ isKept: (_ old: Int, _ new: Int) -> Bool) -> [Pair] {
        let others = updates.filter { !isKept($0.from, $0.to) }
        if !others.isEmpty { updates.removeAll { !isKept($0.from, $0.to) } }
        return others
    }
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
