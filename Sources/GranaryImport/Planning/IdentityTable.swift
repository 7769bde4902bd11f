import GranaryCore

/// The rows of a batch by the values of one identity.
struct IdentityTable {
    /// For an identity of one integer, which most keys are, as long as the integers ascend, which they do in most
    /// sources.
    private var ascending: [(number: Int64, row: Int)] = []
    private var isAscending = true
    /// All integers, once they do not ascend any more.
    private var integers: [Int64: Int] = [:]
    private var single: [StoredValue: Int] = [:]
    private var compound: [[StoredValue]: Int] = [:]

    subscript(values: [StoredValue]) -> Int? {
        get {
            guard values.count == 1 else { return compound[values] }
            return if case .integer(let number) = values[0] { self[number] } else { single[values[0]] }
        }
        set {
            guard values.count == 1 else { return compound[values] = newValue }
            guard case .integer(let number) = values[0] else { return single[values[0]] = newValue }
            if let newValue, append(newValue, number) { return }
            giveUpOrder()
            integers[number] = newValue
        }
    }

    subscript(number: Int64) -> Int? {
        guard isAscending else { return integers[number] }
        let place = place(of: number)
        return place < ascending.count && ascending[place].number == number ? ascending[place].row : nil
    }

    /// Adds a row, unless the number already has one. Returns whether the row was added.
    @inline(__always)
    mutating func insert(_ row: Int, _ number: Int64) -> Bool { append(row, number) || insertUnordered(row, number) }

    @inline(never)
    private mutating func insertUnordered(_ row: Int, _ number: Int64) -> Bool {
        guard self[number] == nil else { return false }
        giveUpOrder()
        integers[number] = row
        return true
    }

    /// Adds a row if its number is greater than all previous ones. Returns false if it is not.
    @inline(__always)
    private mutating func append(_ row: Int, _ number: Int64) -> Bool {
        guard isAscending else { return false }
        if let last = ascending.last, last.number >= number { return false }
        ascending.append((number, row))
        return true
    }

    private mutating func giveUpOrder() {
        guard isAscending else { return }
        isAscending = false
        for (number, row) in ascending { integers[number] = row }
        ascending.removeAll(keepingCapacity: true)
    }

    /// The index of the first number that is not less than `number`.
    private func place(of number: Int64) -> Int {
        // Most often there are no gaps.
        if let first = ascending.first?.number, number >= first {
            let (distance, isTooFar) = number.subtractingReportingOverflow(first)
            if !isTooFar, distance < ascending.count, ascending[Int(distance)].number == number { return Int(distance) }
        }
        var (low, high) = (0, ascending.count)
        while low < high {
            let middle = (low + high) / 2
            if ascending[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func removeAll() {
        isAscending = true
        ascending.removeAll(keepingCapacity: true)
        integers.removeAll(keepingCapacity: true)
        single.removeAll(keepingCapacity: true)
        compound.removeAll(keepingCapacity: true)
    }
}
