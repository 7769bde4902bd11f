import GranaryCore

/// Values that are gathered to become a list. Integers, which most keys are, are kept apart.
struct ValueList {
    private var integers: ContiguousArray<Int64> = []
    private var others: Set<StoredValue> = []

    mutating func insert(_ cell: Cell) {
        if cell.kind == .integer { integers.append(cell.integerValue) } else { others.insert(StoredValue(cell)) }
    }

    mutating func insert(_ value: StoredValue) {
        if case .integer(let integer) = value { integers.append(integer) } else { others.insert(value) }
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
