// Most keys are integers, and these are found by open addressing: a slot holds an integer, or the free mark, and the
// next slot is tried until one is free. There are four times as many slots as keys, so that searches are short. Most
// keys of a table lie outside the range of a few changed keys, and two comparisons are enough to see that. Other keys
// are a set of byte strings.

/// A set of keys of one entity that is asked for every row. Asking allocates nothing.
package final class KeySet {
    private static let free = Int64.min

    private let slots: UnsafeMutablePointer<Int64>
    private let mask: Int
    private var least = Int64.max
    private var greatest = Int64.min
    /// Whether the set contains the integer that is used as the free mark.
    private var hasFreeMark = false
    private var others: ByteTable?
    private let scratch = CellBytes()

    package init(_ keys: some Collection<StoredValue>) {
        var size = 16
        while size < keys.count * 4 { size *= 2 }
        mask = size - 1
        slots = .allocate(capacity: size)
        slots.initialize(repeating: KeySet.free, count: size)
        for key in keys { insert(key) }
    }

    deinit { slots.deallocate() }

    private func insert(_ key: StoredValue) {
        guard case .integer(let integer) = key else {
            let others = others ?? ByteTable()
            self.others = others
            scratch.clear()
            key.withCell { scratch.append($0) }
            _ = others.insert(scratch.bytes)
            return
        }
        least = min(least, integer)
        greatest = max(greatest, integer)
        if integer == KeySet.free {
            hasFreeMark = true
        } else {
            slots[slot(of: integer)] = integer
        }
    }

    package func contains(_ key: Cell) -> Bool {
        guard key.kind == .integer else {
            guard let others else { return false }
            scratch.clear()
            scratch.append(key)
            return others.contains(scratch.bytes)
        }
        let integer = key.integerValue
        if integer < least || integer > greatest { return false }
        return integer == KeySet.free ? hasFreeMark : slots[slot(of: integer)] == integer
    }

    /// The slot of an integer, or the free slot where it would be.
    @inline(__always) private func slot(of integer: Int64) -> Int {
        let hash = UInt64(bitPattern: integer) &* 0x9E37_79B9_7F4A_7C15
        var slot = Int(truncatingIfNeeded: hash >> 32) & mask
        while slots[slot] != integer && slots[slot] != KeySet.free { slot = (slot &+ 1) & mask }
        return slot
    }
}
