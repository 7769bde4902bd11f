import GranaryStoreKit
import Synchronization

/// Where to look for the rows of which a condition may hold: by their keys, or by what one of the rules' lookups holds. The
/// condition is asked of the rows that are found.
struct RowSearch {
    /// The only keys that there may be, ascending.
    private var listed: [StoredValue]?
    /// Where in the order of the keys.
    private var bounds: [(comparison: Comparison, key: StoredValue)] = []
    /// One of the rules' lookups, and the value to look for.
    private var lookup: (number: Int, value: StoredValue)?
    /// The attribute of the lookup; the key if there is none.
    private(set) var index = "key"
    /// For people: `id > ?`.
    private(set) var terms: [String] = []
    /// Whether the condition says nothing else.
    private(set) var isWhole = true

    init(_ condition: ResolvedCondition?, of number: Int, _ rules: SchemaRules) throws {
        let entity = try rules.entity(at: number)
        let key = entity.keyPosition
        for part in condition?.conjuncts ?? [] {
            switch part {
            case .compare(key, .equal, let value) where listed == nil:
                listed = [value]
                terms.append("\(entity.key) = ?")
            case .among(key, let values) where listed == nil:
                listed = values
                terms.append("\(entity.key) in ?")
            case .compare(key, let comparison, let value) where comparison != .equal && comparison != .notEqual:
                bounds.append((comparison, value))
                terms.append("\(entity.key) \(comparison.rawValue) ?")
            case .compare(let position, .equal, let value) where lookup == nil && value != .null:
                let found = rules.lookups(of: number).firstIndex { $0.positions == [position] && !$0.isFolded }
                if let found {
                    lookup = (found, value)
                    index = entity.attributes[position].name
                } else {
                    isWhole = false
                }
            default: isWhole = false
            }
        }
        guard lookup != nil else { return }
        if listed == nil {
            terms.insert("\(index) = ?", at: 0)
        } else {
            // The key alone says where to look.
            lookup = nil
            index = "key"
            isWhole = false
        }
    }

    /// Whether all rows must be looked at.
    var isScan: Bool { listed == nil && lookup == nil && bounds.isEmpty }

    /// The keys to look at in a table, ascending. Of some there may be no row.
    func keys(in table: Table) -> ArraySlice<StoredValue> {
        var found: ArraySlice<StoredValue>
        if let listed {
            found = listed[...]
        } else if let lookup {
            found = table.keys(holding: lookup.value, lookup.number).sorted()[...]
        } else {
            found = table.orderedKeys[...]
        }
        for (comparison, key) in bounds {
            switch comparison {
            case .less: found = found[..<found.place { $0 >= key }]
            case .lessOrEqual: found = found[..<found.place { $0 > key }]
            case .greater: found = found[found.place { $0 > key }...]
            case .greaterOrEqual: found = found[found.place { $0 >= key }...]
            case .equal, .notEqual: break
            }
        }
        return found
    }
}

extension ArraySlice<StoredValue> {
    /// The first place at which this holds, as it does from there to the end; the end if it holds nowhere.
    fileprivate func place(where holds: (StoredValue) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The keys of a table in their order: sorted when they are first asked for, once for all states in which they are the same.
final class KeyOrder: Sendable {
    private let sorted = Mutex<[StoredValue]?>(nil)

    func keys(of rows: [StoredValue: StoredRow]) -> [StoredValue] {
        sorted.withLock { sorted in
            if let sorted { return sorted }
            let keys = rows.keys.sorted()
            sorted = keys
            return keys
        }
    }
}
