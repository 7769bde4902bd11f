import GranaryPlatform

// Open addressing: a slot holds a number from 1, or 0 if it is free, and the next slot is tried until one is free.
// There are at least twice as many slots as byte strings, so that searches are short. All bytes lie in one block, one
// after the other.

/// A set of byte strings, numbered from 0 in the order of insertion. Inserting an existing one allocates nothing.
package final class ByteTable {
    private struct Entry {
        var hash: UInt64
        var offset: Int
        var count: Int
    }

    private var entries: ContiguousArray<Entry> = []
    private var slots: UnsafeMutablePointer<UInt32>
    private var slotMask = 63
    private var arena: UnsafeMutableRawPointer
    private var capacity = 1024
    private var used = 0

    package init() {
        slots = .allocate(capacity: slotMask + 1)
        slots.initialize(repeating: 0, count: slotMask + 1)
        arena = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        slots.deallocate()
        arena.deallocate()
    }

    package var count: Int { entries.count }

    /// The bytes with a number. Valid until more bytes are inserted.
    package subscript(number: Int) -> UnsafeRawBufferPointer {
        let entry = entries[number]
        return UnsafeRawBufferPointer(start: arena + entry.offset, count: entry.count)
    }

    /// The number of these bytes, which are copied if they are new.
    package func insert(_ bytes: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
        let hash = hash64(bytes, seed: 0)
        let slot = slot(of: bytes, hash)
        let found = slots[slot]
        if found > 0 { return (Int(found) - 1, false) }
        makeRoom(bytes.count)
        (arena + used).copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(arena), byteCount: bytes.count)
        entries.append(Entry(hash: hash, offset: used, count: bytes.count))
        used += bytes.count
        slots[slot] = UInt32(truncatingIfNeeded: entries.count)
        if entries.count * 2 > slotMask { widen() }
        return (entries.count - 1, true)
    }

    /// The size of its memory.
    package var byteCount: Int {
        capacity + entries.capacity * MemoryLayout<Entry>.stride + (slotMask + 1) * MemoryLayout<UInt32>.stride
    }

    /// The number of these bytes; nil if they were not inserted.
    package func number(of bytes: UnsafeRawBufferPointer) -> Int? {
        let found = slots[slot(of: bytes, hash64(bytes, seed: 0))]
        return found > 0 ? Int(found) - 1 : nil
    }

    package func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
        slots[slot(of: bytes, hash64(bytes, seed: 0))] > 0
    }

    private func slot(of bytes: UnsafeRawBufferPointer, _ hash: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: hash) & slotMask
        while slots[slot] > 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if entry.hash == hash && entry.count == bytes.count
                && (bytes.isEmpty
                    || bytes.baseAddress.map { memcmp(arena + entry.offset, $0, bytes.count) == 0 } ?? true)
            {
                return slot
            }
            slot = (slot &+ 1) & slotMask
        }
        return slot
    }

    private func makeRoom(_ count: Int) {
        guard used + count > capacity else { return }
        capacity = max(capacity * 2, used + count)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: arena, byteCount: used)
        arena.deallocate()
        arena = larger
    }

    private func widen() {
        slots.deallocate()
        slotMask = slotMask * 4 + 3
        slots = .allocate(capacity: slotMask + 1)
        slots.initialize(repeating: 0, count: slotMask + 1)
        for (number, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & slotMask
            while slots[slot] > 0 { slot = (slot &+ 1) & slotMask }
            slots[slot] = UInt32(truncatingIfNeeded: number + 1)
        }
    }
}
