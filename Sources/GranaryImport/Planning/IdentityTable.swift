import GranaryCore

/// The rows of a batch by the values of one identity.
struct IdentityTable {
    /// Of an identity that is one integer, as most keys are.
    private var integers: [Int64: Int] = [:]
    private var single: [StoredValue: Int] = [:]
    private var compound: [[StoredValue]: Int] = [:]

    subscript(values: [StoredValue]) -> Int? {
        get {
            guard values.count == 1 else { return compound[values] }
            return if case .integer(let number) = values[0] { integers[number] } else { single[values[0]] }
        }
        set {
            guard values.count == 1 else { return compound[values] = newValue }
            if case .integer(let number) = values[0] {
                integers[number] = newValue
            } else {
                single[values[0]] = newValue
            }
        }
    }

    subscript(number: Int64) -> Int? { integers[number] }

    /// Notes a row, unless there is one with the same number. Returns whether there was none.
    mutating func insert(_ row: Int, _ number: Int64) -> Bool {
        guard let earlier = integers.updateValue(row, forKey: number) else { return true }
        integers[number] = earlier
        return false
    }

    mutating func removeAll() {
        integers.removeAll(keepingCapacity: true)
        single.removeAll(keepingCapacity: true)
        compound.removeAll(keepingCapacity: true)
    }
}
