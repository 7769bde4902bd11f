import GranaryStoreKit

/// Collects values for a list. Integers, as most keys are, are kept separately.
struct ValueList {
    private var integers: ContiguousArray<Int64> = []
    private var others: Set<StoredValue> = []

    mutating func insert(_ cell: Cell) { insert(StoredValue(cell)) }

    mutating func insert(_ value: StoredValue) {
        if case .integer(let integer) = value { integers.append(integer) } else { others.insert(value) }
    }

    /// The list of the transformed values, without those that become nil.
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
