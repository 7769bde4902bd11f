import GranaryPlatform

// The changes are stored in the order in which their records were first changed, which is mostly the order of the keys:
// a pass over all of them reads memory from front to back and rarely has to sort. A hash table gives the place of a
// key: it has at least twice as many slots as changes, with linear probing. A removed change leaves its place to a
// later change of the same key, until the table is rebuilt.

/// The changes of one entity, by key.
///
/// A value, copied when it is changed.
package struct PendingTable: Sendable {
    package typealias Element = (key: StoredValue, change: PendingChanges.Change)

    /// The changed records. A removed change leaves an empty element.
    private var elements: ContiguousArray<Element> = []
    /// For each hash the place of an element, counted from 1; 0 for a free slot. The number of slots is a power of two,
    /// or 0.
    private var slots: ContiguousArray<Int> = []
    /// The number of changed records.
    package private(set) var count = 0
    /// Whether the keys of the elements ascend.
    private var isSorted = true

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package subscript(key: StoredValue) -> PendingChanges.Change? {
        if count == 0 || isAfterAll(key) { return nil }
        let place = slots[slot(of: key)]
        guard place > 0 else { return nil }
        let change = elements[place - 1].change
        return change.isNothing ? nil : change
    }

    /// Sets the change of a key; nil removes it.
    mutating func put(_ change: PendingChanges.Change?, _ key: StoredValue) {
        guard let change else { return remove(key) }
        if (elements.count + 1) * 2 > slots.count { makeAnew() }
        let isNext = isAfterAll(key)
        let slot = slot(of: key)
        if slots[slot] > 0 {
            let place = slots[slot] - 1
            if elements[place].change.isNothing { count += 1 }
            elements[place].change = change
            return
        }
        if !isNext { isSorted = false }
        elements.append((key, change))
        slots[slot] = elements.count
        count += 1
    }

    private mutating func remove(_ key: StoredValue) {
        guard count > 0 else { return }
        let place = slots[slot(of: key)]
        guard place > 0, !elements[place - 1].change.isNothing else { return }
        elements[place - 1].change = PendingChanges.Change(base: nil, current: nil)
        count -= 1
        if elements.count > count * 2 + 16 { makeAnew() }
    }

    /// Whether a key is known to be greater than all others without a search.
    private func isAfterAll(_ key: StoredValue) -> Bool {
        guard isSorted, let last = elements.last else { return isSorted }
        return last.key < key
    }

    /// Drops empty elements, and makes room for twice the number of changes.
    private mutating func makeAnew() {
        elements = all
        var size = 16
        while size < (count + 1) * 4 { size *= 2 }
        slots = ContiguousArray(repeating: 0, count: size)
        for place in elements.indices { slots[slot(of: elements[place].key)] = place + 1 }
    }

    /// The slot of a key, or the free slot where it would be.
    private func slot(of key: StoredValue) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: key.withCell { $0.quickHash }) & mask
        while slots[slot] > 0, elements[slots[slot] - 1].key != key { slot = (slot + 1) & mask }
        return slot
    }

    /// The changes in the order in which they came.
    package var all: ContiguousArray<Element> {
        count == elements.count ? elements : elements.filter { !$0.change.isNothing }
    }

    /// The changes in the order of their keys.
    package var byKey: ContiguousArray<Element> {
        isSorted ? all : ContiguousArray(all.sorted { $0.key < $1.key })
    }

    package var keys: [StoredValue] { all.map(\.key) }
    /// The kind of the keys. All keys are of one kind.
    package var keyKind: Cell.Kind? { elements.first?.key.kind }
}

extension PendingTable: Sequence {
    package func makeIterator() -> ContiguousArray<Element>.Iterator { all.makeIterator() }
}

extension PendingChanges.Change {
    fileprivate var isNothing: Bool { base == nil && current == nil }
}

extension Cell {
    /// A hash for tables in memory: equal values have equal hashes.
    var quickHash: UInt64 {
        switch kind {
        case .null: 0
        case .integer: hashFold(bits ^ 0x9E37_79B9_7F4A_7C15, 0xA076_1D64_78BD_642F)
        // The addition turns -0.0 into 0.0, which equals it.
        case .real: hashFold((realValue + 0.0).bitPattern ^ 0x9E37_79B9_7F4A_7C15, 0xE703_7ED1_A0B4_28DB)
        case .text, .bytes: hash64(rawBytes, seed: 0)
        }
    }
}
