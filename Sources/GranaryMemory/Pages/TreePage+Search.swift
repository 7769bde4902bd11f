import GranaryKeyValue

extension TreePage {
    /// The first slot from `first` on whose key is at or after this key, and whether the keys are equal.
    @inline(__always)
    func search(_ key: Key, from first: Int) -> (index: Int, found: Bool) {
        let slots = slots
        var low = first
        var high = count
        while low < high {
            let middle = (low &+ high) >> 1
            let head = slots[middle].head
            if head < key.head {
                low = middle &+ 1
            } else if head > key.head {
                high = middle
            } else {
                let order = key.compare(self.key(middle))
                if order == 0 { return (middle, true) }
                if order > 0 { low = middle &+ 1 } else { high = middle }
            }
        }
        return (low, false)
    }

    /// The child of a branch to which the key belongs.
    @inline(__always)
    func childIndex(_ key: Key) -> Int {
        let (index, found) = search(key, from: 1)
        return found ? index : index &- 1
    }

    @inline(__always)
    func child(_ index: Int) -> TreePage {
        TreePage(base: (base + Int(slots[index].offset)).loadUnaligned(as: UnsafeMutableRawPointer.self))
    }

    func setChild(_ index: Int, _ child: TreePage) {
        (base + Int(slots[index].offset)).storeBytes(of: child.base, as: UnsafeMutableRawPointer.self)
    }

    /// The key and the value of a leaf's entry.
    @inline(__always)
    func entry(_ index: Int) -> KeyValueEntry {
        let slot = slots[index]
        let entry = base + Int(slot.offset)
        let size = entry.loadUnaligned(as: UInt32.self)
        let value = entry + 4 + Int(slot.keyCount)
        let key = UnsafeRawBufferPointer(start: entry + 4, count: Int(slot.keyCount))
        guard size == TreePage.outside else {
            return KeyValueEntry(key: key, value: UnsafeRawBufferPointer(start: value, count: Int(size)))
        }
        return KeyValueEntry(key: key, value: TreePage.largeValue(at: value).largeBytes)
    }

    /// The page of a leaf's value that is stored separately; nil if it is in the leaf.
    func largeValue(_ index: Int) -> TreePage? {
        let slot = slots[index]
        let entry = base + Int(slot.offset)
        guard entry.loadUnaligned(as: UInt32.self) == TreePage.outside else { return nil }
        return TreePage.largeValue(at: entry + 4 + Int(slot.keyCount))
    }

    private static func largeValue(at address: UnsafeMutableRawPointer) -> TreePage {
        TreePage(base: address.loadUnaligned(as: UnsafeMutableRawPointer.self))
    }

    /// The bytes of a large value.
    var largeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + TreePage.headerSize, count: header.pointee.capacity)
    }
}
