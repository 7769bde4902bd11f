import GranaryStoreKit
package import GranaryKeyValue

extension MemoryEngine {
    /// Walks every tree of the newest committed state and throws `corrupt` with the first violation: of order,
    /// separators, counts, depth, or the accounting inside pages. For tests and for `verify`.
    package func checkInvariants() throws {
        let reader = MemoryReader(self, try states.hold())
        defer { reader.end() }
        try reader.checkInvariants()
    }
}

extension MemoryReader {
    /// The same for the transaction's own state.
    func checkInvariants() throws {
        for place in 0..<keyspaces.count { try trees[place].checkInvariants() }
    }
}

extension KeyValueReader {
    /// The same for a transaction of a ``MemoryEngine``.
    package func checkMemoryInvariants() throws {
        try (self as? MemoryReader)?.checkInvariants()
    }
}

extension Tree {
    func checkInvariants() throws {
        guard let root else {
            try Tree.require(
                count == 0 && depth == 0 && tail == nil, "an empty tree has entries, levels or a last leaf")
            return
        }
        var entries = 0
        var previous: Key?
        try Tree.check(root, level: depth - 1, after: nil, before: nil) { key in
            if let previous { try Tree.require(previous.compare(key) < 0, "two keys are out of order") }
            previous = key
            entries += 1
        }
        try Tree.require(entries == count, "the tree counts \(count) entries and has \(entries)")
        if let tail {
            var last = root
            while !last.isLeaf { last = last.child(last.count - 1) }
            try Tree.require(tail == last, "the last leaf is another one")
        }
    }

    private static func check(
        _ page: TreePage, level: Int, after low: Key?, before high: Key?, visit: (Key) throws -> Void
    ) throws {
        try require(Int(page.header.pointee.level) == level, "a page is at another level than it says")
        try require(page.count >= (level == 0 ? 1 : 2), "a page at level \(level) has \(page.count) entries")
        try checkSpace(page)
        for index in 0..<page.count {
            let key = page.key(index)
            try require(Key(key.start, key.count).head == key.head, "the head of a key is not that of its bytes")
            if level == 0 {
                try require(low.map { $0.compare(key) <= 0 } ?? true, "a key is before its separator")
                try require(high.map { key.compare($0) < 0 } ?? true, "a key is after the next separator")
                try visit(key)
                continue
            }
            let next = index + 1 < page.count ? page.key(index + 1) : high
            try check(page.child(index), level: level - 1, after: index == 0 ? low : key, before: next, visit: visit)
        }
    }

    private static func checkSpace(_ page: TreePage) throws {
        var live = 0
        var large = 0
        let (capacity, first) = (page.header.pointee.capacity, Int(page.header.pointee.entries))
        for index in 0..<page.count {
            let offset = Int(page.slots[index].offset)
            let size = page.entrySize(index)
            try require(offset >= first && offset + size <= capacity, "an entry lies outside its page")
            live += size
            if page.isLeaf && page.largeValue(index) != nil { large += 1 }
        }
        try require(page.room >= 0, "the slots of a page run into its entries")
        try require(live + Int(page.header.pointee.waste) == capacity - first, "a page's waste is miscounted")
        try require(large == Int(page.header.pointee.largeValues), "a leaf miscounts its large values")
    }

    private static func require(_ holds: Bool, _ problem: String) throws {
        if !holds { throw GranaryError(.corrupt, "The memory store is broken: \(problem). This is a bug in Granary.") }
    }
}
