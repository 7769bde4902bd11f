import GranaryStoreKit

/// What is in a store: a value, so that a snapshot and a savepoint are copies of it, which share what neither changes.
struct State: Sendable {
    var number: UInt64 = 0
    var tables: [Table]
    var deferred = DeferredReferences()
}

/// The rows of one entity.
struct Table: Sendable {
    private(set) var rows: [StoredValue: StoredRow] = [:]
    /// The keys of the rows by what they hold in each of the rules' lookups.
    private var holders: [[StoredValue: Set<StoredValue>]]
    private let lookups: [IndexedValues]
    private var order = KeyOrder()
    /// The greatest key assigned.
    var lastKey: Int64 = 0
    /// How much of its file counts.
    var length = 0
    /// The keys of rows that the transaction has written.
    var written: Set<StoredValue> = []

    init(_ lookups: [IndexedValues]) {
        self.lookups = lookups
        holders = lookups.map { _ in [:] }
    }

    /// The keys of all rows, ascending.
    var orderedKeys: [StoredValue] { order.keys(of: rows) }

    func keys(holding value: StoredValue, _ lookup: Int) -> [StoredValue] { Array(holders[lookup][value] ?? []) }

    mutating func put(_ key: StoredValue, _ new: StoredRow?) {
        let old = rows.updateValue(new, forKey: key)
        if (old == nil) != (new == nil) { order = KeyOrder() }
        for (number, lookup) in lookups.enumerated() {
            let (before, after) = (old.flatMap(lookup.value), new.flatMap(lookup.value))
            if before == after { continue }
            if let before {
                holders[number][before]?.remove(key)
                if holders[number][before]?.isEmpty == true { holders[number][before] = nil }
            }
            if let after { holders[number][after, default: []].insert(key) }
        }
    }
}

extension Dictionary {
    fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
