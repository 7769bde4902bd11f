// Changes to a page that the writer owns. They do not check for room: the caller must have made it.
extension TreePage {
    /// Makes an entry of `prefix + key + rest` bytes at the index and returns its address, with the key in place.
    @inline(__always)
    func insert(_ key: Key, at index: Int, rest: Int) -> UnsafeMutableRawPointer {
        let prefix = entryPrefix
        let offset = Int(header.pointee.entries) - (prefix + key.count + rest)
        let count = count
        if index < count {
            (slots + (index + 1)).update(from: slots + index, count: count - index)
        }
        slots[index] = Slot(
            head: key.head, offset: UInt32(truncatingIfNeeded: offset),
            keyCount: UInt32(truncatingIfNeeded: key.count))
        header.pointee.entries = Int32(truncatingIfNeeded: offset)
        header.pointee.count = Int32(truncatingIfNeeded: count + 1)
        let entry = base + offset
        (entry + prefix).copyMemory(from: key.start, byteCount: key.count)
        return entry
    }

    /// Makes a leaf's entry and returns the address for its value.
    @inline(__always)
    func insertValue(_ key: Key, at index: Int, count: Int, large: TreePage?) -> UnsafeMutableRawPointer {
        let entry = insert(key, at: index, rest: large == nil ? count : 8)
        guard let large else {
            entry.storeBytes(of: UInt32(truncatingIfNeeded: count), as: UInt32.self)
            return entry + 4 + key.count
        }
        entry.storeBytes(of: TreePage.outside, as: UInt32.self)
        (entry + 4 + key.count).storeBytes(of: large.base, as: UnsafeMutableRawPointer.self)
        header.pointee.largeValues += 1
        return large.base + TreePage.headerSize
    }

    func insertChild(_ key: Key, at index: Int, _ child: TreePage) {
        insert(key, at: index, rest: 0).storeBytes(of: child.base, as: UnsafeMutableRawPointer.self)
    }

    /// Removes a slot. The entry becomes waste; a large value stays with the caller.
    func remove(_ index: Int) {
        if largeEntry(index) { header.pointee.largeValues -= 1 }
        let size = entrySize(index)
        if Int(slots[index].offset) == Int(header.pointee.entries) {
            header.pointee.entries += Int32(truncatingIfNeeded: size)
        } else {
            header.pointee.waste += Int32(truncatingIfNeeded: size)
        }
        let after = count - index - 1
        if after > 0 { (slots + index).update(from: slots + (index + 1), count: after) }
        header.pointee.count -= 1
    }

    private func largeEntry(_ index: Int) -> Bool { isLeaf && largeValue(index) != nil }

    /// The address at which a leaf's value can be replaced by one of `count` bytes; nil if the value is stored
    /// separately or is shorter.
    func overwrite(_ index: Int, count: Int) -> UnsafeMutableRawPointer? {
        let slot = slots[index]
        let entry = base + Int(slot.offset)
        let old = entry.loadUnaligned(as: UInt32.self)
        guard old != TreePage.outside, count <= Int(old) else { return nil }
        header.pointee.waste += Int32(truncatingIfNeeded: Int(old) - count)
        entry.storeBytes(of: UInt32(truncatingIfNeeded: count), as: UInt32.self)
        return entry + 4 + Int(slot.keyCount)
    }

    /// Appends entries of another page of the same level. `firstKey` stands in for the key of the first one.
    func append(_ source: TreePage, _ range: Range<Int>, firstKey: Key? = nil) {
        let prefix = entryPrefix
        for index in range {
            let size = source.entrySize(index)
            let from = source.base + Int(source.slots[index].offset)
            let key = index == range.lowerBound ? firstKey ?? source.key(index) : source.key(index)
            let rest = size - prefix - source.key(index).count
            let entry = insert(key, at: count, rest: rest)
            entry.copyMemory(from: from, byteCount: prefix)
            if rest > 0 { (entry + prefix + key.count).copyMemory(from: from + (size - rest), byteCount: rest) }
            if largeEntry(count - 1) { header.pointee.largeValues += 1 }
        }
    }
}
