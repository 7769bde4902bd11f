/// Finds the pending records of an entity that hold a value. Without it each write would look at all of them.
final class PendingLookup {
    private struct Holders {
        var first: StoredValue?
        // Empty for unique values, and then without memory of its own.
        var others: Set<StoredValue> = []
    }

    private let values: IndexedValues
    private var holders: [StoredValue: Holders] = [:]

    init(_ values: IndexedValues, _ changes: PendingTable) {
        self.values = values
        for (key, change) in changes { replace(key, nil, by: change.current) }
    }

    /// Notes the new state of a record.
    func replace(_ key: StoredValue, _ old: StoredRow?, by new: StoredRow?) {
        if old === new { return }
        if let old, let new, values.agree(old, new) { return }
        if let old, let value = values.value(of: old) { remove(key, value) }
        if let new, let value = values.value(of: new) { insert(key, value) }
    }

    /// The keys of the records that hold a value.
    func keys(of value: StoredValue) -> [StoredValue] {
        guard let found = holders[value] else { return [] }
        return (found.first.map { [$0] } ?? []) + found.others
    }

    /// Whether a record other than the one with a key holds a value.
    func isHeld(_ value: StoredValue, besides key: StoredValue) -> Bool {
        guard let found = holders[value] else { return false }
        if let first = found.first, first != key { return true }
        return found.others.contains { $0 != key }
    }

    private func insert(_ key: StoredValue, _ value: StoredValue) {
        if holders[value] == nil {
            holders[value] = Holders(first: key)
        } else if holders[value]?.first == nil {
            holders[value]?.first = key
        } else if holders[value]?.first != key {
            holders[value]?.others.insert(key)
        }
    }

    private func remove(_ key: StoredValue, _ value: StoredValue) {
        if holders[value]?.first == key {
            holders[value]?.first = nil
        } else {
            holders[value]?.others.remove(key)
        }
        if let found = holders[value], found.first == nil, found.others.isEmpty { holders[value] = nil }
    }
}

/// The lookups of an overlay's changes. Those of an entity are made when first requested.
struct PendingLookups {
    /// By entity, each in the order of ``EntityRules/lookups``.
    private var entities: [[PendingLookup]?] = []

    /// The lookups of an entity; nil if they have not been made.
    func made(of entity: Int) -> [PendingLookup]? { entities.indices.contains(entity) ? entities[entity] : nil }

    mutating func lookups(of entity: Int, making make: () -> [PendingLookup]) -> [PendingLookup] {
        if let made = made(of: entity) { return made }
        let made = make()
        while entities.count <= entity { entities.append(nil) }
        entities[entity] = made
        return made
    }
}
