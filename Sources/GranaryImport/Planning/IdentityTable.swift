import GranaryCore

/// The rows of a batch by the values of one identity.
struct IdentityTable {
    private var single: [StoredValue: Int] = [:]
    private var compound: [[StoredValue]: Int] = [:]

    subscript(values: [StoredValue]) -> Int? {
        get { values.count == 1 ? single[values[0]] : compound[values] }
        set {
            if values.count == 1 { single[values[0]] = newValue } else { compound[values] = newValue }
        }
    }

    mutating func removeAll() {
        single.removeAll(keepingCapacity: true)
        compound.removeAll(keepingCapacity: true)
    }
}
