import GranaryStoreKit

/// Values that are gathered to become a list. Integers, which most keys are, are kept apart.
struct ValueList {
    private var integers: ContiguousArray<Int64> = []
    private var others: Set<StoredValue> = []

    mutating func insert(_ cell: Cell) { insert(StoredValue(cell)) }

    mutating func insert(_ value: StoredValue) {
        if case .integer(let integer) = value { integers.append(integer) } else { others.insert(value) }
    }

    /// The list of what values become; those that become nothing are left out.
    func compactMap(_ transform: (StoredValue) -> StoredValue?) -> ValueList {
        var list = ValueList()
        for integer in integers { if let value = transform(.integer(integer)) { list.insert(value) } }
        for other in others { if let value = transform(other) { list.insert(value) } }
        return list
    }

    /// In order, each once.
    var ascending: [StoredValue] {
        var values: [StoredValue] = []
        values.reserveCapacity(integers.count)
        var last: Int64?
        for integer in integers.sorted() where integer != last {
            values.append(.integer(integer))
            last = integer
        }
        return others.isEmpty ? values : (values + others).sorted()
    }
}
