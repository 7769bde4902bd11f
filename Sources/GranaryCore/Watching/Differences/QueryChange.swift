import GranaryPlatform

/// The results of a request, and their difference from the last value.
///
/// A record keeps its identity as long as it has its key, also if the request gives chosen values. A group keeps its
/// identity as long as the values of `grouped(by:)` are equal. A distinct value that changes is a deletion and an
/// insertion.
public struct QueryChange<Root: Fetchable, Output: Sendable>: Sendable {
    /// The results in the query's order, each with its loaded relationships.
    public let records: [Output]
    /// The difference from the last value, or from an empty list. An update is a record whose own values have changed.
    public let difference: ListDifference
    /// Records whose own values are the same but whose loaded related records have changed, by new place. A record that
    /// has also moved is in the moves of ``difference`` as well. Empty if the request loads no relationships.
    public let relatedUpdates: [ListDifference.Pair]
    /// The keys of the deleted records, one for each deletion in ``difference``. Empty for groups and distinct values,
    /// which do not belong to one record each.
    public let deletedKeys: [Root.Key]

    /// The records that did not exist, or did not meet the condition, before.
    public var inserted: [Output] { difference.insertions.map { records[$0] } }
    /// The records whose values have changed.
    public var updated: [Output] { difference.updates.map { records[$0.to] } }
}

extension ObservedQueries {
    static func changes<Root, Output>(_ request: Request<Root, Output>) -> ObservedQuery<QueryChange<Root, Output>> {
        ObservedQuery { schema, types in
            // Each observation has its own rows.
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

/// The keys of the results, and a hash of each row.
struct KeyedRows: Sendable {
    var keys: [StoredValue] = []
    var hashes: [UInt64] = []
    /// For each row, a hash of its loaded related records; empty if nothing is loaded.
    var related: [UInt64] = []

    /// Whether a record's own values differ from those at its old place.
    func isUpdatedItself(from old: KeyedRows, _ from: Int, _ to: Int) -> Bool { old.hashes[from] != hashes[to] }

    /// Whether a record or its loaded related records have changed since it was at its old place.
    func isUpdated(from old: KeyedRows, _ from: Int, _ to: Int) -> Bool {
        isUpdatedItself(from: old, from, to) || (!related.isEmpty && old.related[from] != related[to])
    }
}

extension ListDifference {
    /// Keeps the updates for which a closure returns true, and returns the others.
    mutating func separate(_ isKept: (_ old: Int, _ new: Int) -> Bool) -> [Pair] {
        let others = updates.filter { !isKept($0.from, $0.to) }
        if !others.isEmpty { updates.removeAll { !isKept($0.from, $0.to) } }
        return others
    }
}

/// The last rows of one observation.
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
