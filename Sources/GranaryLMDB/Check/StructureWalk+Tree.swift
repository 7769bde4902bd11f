import GranaryStoreKit
import GranaryPlatform

extension StructureWalk {
    enum Kind { case free, main, named }

    typealias Key = UnsafeRawBufferPointer

    /// A page on the way down.
    private struct Level {
        var page: UnsafeRawPointer
        var count: Int
        var index: Int
        /// Every key below is at or after this one ...
        var lower: Key?
        /// ... and before this one.
        var upper: Key?
    }

    private struct Counts {
        var branch: UInt64 = 0
        var leaf: UInt64 = 0
        var overflow: UInt64 = 0
        var entries: UInt64 = 0
    }

    func walk(_ tree: Tree, kind: Kind, name: String) throws {
        treeName = name
        var counts = Counts()
        if tree.root == Tree.none {
            guard tree.depth == 0 else { throw damage("\(name) is empty but has a depth") }
        } else {
            guard tree.depth >= 1, tree.depth <= Self.maximumDepth else {
                throw damage("the depth of \(name) is impossible")
            }
            try descend(tree, kind, &counts)
        }
        guard counts.branch == tree.branchPages, counts.leaf == tree.leafPages, counts.overflow == tree.overflowPages,
            counts.entries == tree.entries
        else { throw damage("the pages or entries of \(name) are not as many as its record says") }
    }

    private func descend(_ tree: Tree, _ kind: Kind, _ counts: inout Counts) throws {
        var stack: [Level] = []
        stack.reserveCapacity(tree.depth)
        var next: (page: UInt64, lower: Key?, upper: Key?)? = (tree.root, nil, nil)
        while true {
            if let (number, lower, upper) = next {
                next = nil
                let isLeaf = stack.count == tree.depth - 1
                let page = try load(number, level: stack.count, isLeaf: isLeaf)
                let count = (page.u16(12) - Self.header) / 2
                try checkNodes(page, number, count, kind, isLeaf: isLeaf)
                try checkOrder(page, number, count, kind, isLeaf: isLeaf, lower, upper)
                if isLeaf {
                    counts.leaf += 1
                    counts.entries += UInt64(count)
                    counts.overflow += try checkValues(page, number, count, kind)
                } else {
                    counts.branch += 1
                    stack.append(Level(page: page, count: count, index: 0, lower: lower, upper: upper))
                }
            }
            guard let top = stack.last else { return }
            guard top.index < top.count else {
                stack.removeLast()
                continue
            }
            stack[stack.count - 1].index += 1
            let node = self.node(top.page, top.index)
            let child = UInt64(node.u16(0)) | UInt64(node.u16(2)) << 16 | UInt64(node.u16(4)) << 32
            next = (
                child, top.index == 0 ? top.lower : key(node),
                top.index + 1 < top.count ? key(self.node(top.page, top.index + 1)) : top.upper
            )
        }
    }

    private func load(_ number: UInt64, level: Int, isLeaf: Bool) throws -> UnsafeRawPointer {
        try markUsed(number)
        let buffer = buffer(level: level)
        try file.read(UnsafeMutableRawBufferPointer(start: buffer, count: pageSize), at: Int(number) * pageSize)
        let page = UnsafeRawPointer(buffer)
        guard page.u64(0) == number else { throw damage("a page has another page's number", page: number) }
        guard page.u16(10) == (isLeaf ? 2 : 1) else { throw damage("a page is of the wrong kind", page: number) }
        let lower = page.u16(12)
        let upper = page.u16(14)
        guard lower >= Self.header, lower % 2 == 0, lower <= upper, upper <= pageSize, upper % 2 == 0 else {
            throw damage("the bounds of a page are impossible", page: number)
        }
        return page
    }

    @inline(__always) private func node(_ page: UnsafeRawPointer, _ index: Int) -> UnsafeRawPointer {
        page + page.u16(Self.header + 2 * index)
    }

    @inline(__always) private func key(_ node: UnsafeRawPointer) -> Key {
        Key(start: node + Self.nodeHeader, count: node.u16(6))
    }

    /// Nodes must tile the page from `upper` to its end. They do if they begin at different places, the first one at
    /// `upper`, each ends where another begins or at the end of the page, and their sizes add up.
    private func checkNodes(_ page: UnsafeRawPointer, _ number: UInt64, _ count: Int, _ kind: Kind, isLeaf: Bool) throws
    {
        guard count >= (isLeaf || kind == .free ? 1 : 2) else { throw damage("a page has too few nodes", page: number) }
        let upper = page.u16(14)
        for word in 0..<startWords { starts[word] = 0 }
        for index in 0..<count {
            let offset = page.u16(Self.header + 2 * index)
            guard offset >= upper, offset % 2 == 0, offset + Self.nodeHeader <= pageSize else {
                throw damage("a node lies outside its page", page: number)
            }
            let bit: UInt64 = 1 << UInt64((offset >> 1) & 63)
            guard starts[offset >> 7] & bit == 0 else { throw damage("two nodes begin at one place", page: number) }
            starts[offset >> 7] |= bit
        }
        var total = 0
        var first = pageSize
        for index in 0..<count {
            let offset = page.u16(Self.header + 2 * index)
            let node = page + offset
            let keySize = node.u16(6)
            guard keySize <= Self.longestKey else { throw damage("a key is too long", page: number) }
            var size = Self.nodeHeader + keySize
            if isLeaf {
                let flags = node.u16(4)
                guard flags <= 1 || (flags == 2 && kind == .main) else {
                    throw damage("a node has flags that Granary never writes", page: number)
                }
                guard keySize >= 1, kind != .free || keySize == 8 else {
                    throw damage("a key has an impossible length", page: number)
                }
                size += flags == 1 ? 8 : node.u32(0)
                guard size <= largestNode else { throw damage("a node is too large", page: number) }
            } else {
                guard keySize >= 1 || index == 0, kind != .free || keySize == 8 || index == 0 else {
                    throw damage("a separator has an impossible length", page: number)
                }
            }
            size = (size + 1) & ~1
            let end = offset + size
            guard end <= pageSize, end == pageSize || starts[end >> 7] & (1 << UInt64((end >> 1) & 63)) != 0 else {
                throw damage("nodes overlap or leave a gap", page: number)
            }
            total += size
            first = min(first, offset)
        }
        guard first == upper, total == pageSize - upper else {
            throw damage("nodes do not fill their page", page: number)
        }
    }

    private func checkOrder(
        _ page: UnsafeRawPointer, _ number: UInt64, _ count: Int, _ kind: Kind, isLeaf: Bool, _ lower: Key?,
        _ upper: Key?
    ) throws {
        // The first key of a branch page is never read: it stands for the page's lower bound.
        var previous = lower
        var isStrict = !isLeaf
        for index in (isLeaf ? 0 : 1)..<count {
            let key = key(node(page, index))
            if let previous {
                let order = compare(previous, key, kind)
                guard order < 0 || (order == 0 && !isStrict) else {
                    throw damage("keys are out of order", page: number)
                }
            }
            previous = key
            isStrict = true
        }
        if let upper, let previous, isLeaf || count > 1 {
            guard compare(previous, upper, kind) < 0 else {
                throw damage("a key is beyond its page's bound", page: number)
            }
        }
    }

    @inline(__always) private func compare(_ a: Key, _ b: Key, _ kind: Kind) -> Int {
        guard let first = a.baseAddress, let second = b.baseAddress else { return a.count - b.count }
        if kind == .free {
            // Both are 8 bytes: the page was checked before its keys are compared.
            let (x, y) = (first.u64(0), second.u64(0))
            return x < y ? -1 : (x == y ? 0 : 1)
        }
        let order = memcmp(first, second, min(a.count, b.count))
        return order != 0 ? Int(order) : a.count - b.count
    }

    /// Checks the values in a leaf's nodes, and returns the number of overflow pages that they own.
    private func checkValues(_ page: UnsafeRawPointer, _ number: UInt64, _ count: Int, _ kind: Kind) throws -> UInt64 {
        var overflow: UInt64 = 0
        for index in 0..<count {
            let node = node(page, index)
            let flags = node.u16(4)
            let size = node.u32(0)
            let data = node + Self.nodeHeader + node.u16(6)
            var run: UInt64?
            if flags == 1 {
                let first = data.u64(0)
                overflow += try checkOverflow(first, size: size)
                run = first
            } else if flags == 2 {
                try addNamed(data, size: size, key: key(node), page: number)
            }
            if kind == .free { try checkFreeList(key: key(node), data, size: size, run: run, page: number) }
        }
        return overflow
    }

    private func checkOverflow(_ first: UInt64, size: Int) throws -> UInt64 {
        try markUsed(first)
        return try withUnsafeTemporaryAllocation(byteCount: Self.header, alignment: 8) { buffer in
            try file.read(buffer, at: Int(first) * pageSize)
            guard let header = UnsafeRawPointer(buffer.baseAddress) else { return 0 }
            guard header.u64(0) == first, header.u16(10) == 4 else {
                throw damage("a long value does not begin with an overflow page", page: first)
            }
            // A value that was overwritten by a shorter one keeps its pages.
            let pages = UInt64(header.u32(12))
            let needed = UInt64((Self.header - 1 + size) / pageSize + 1)
            guard pages >= needed, pages <= filePages - first else {
                throw damage("the length of a long value is impossible", page: first)
            }
            for page in first + 1..<first + pages { try markUsed(page) }
            return pages
        }
    }

    private func addNamed(_ data: UnsafeRawPointer, size: Int, key: Key, page: UInt64) throws {
        guard size == Tree.size else { throw damage("the record of a database has the wrong size", page: page) }
        let tree = Tree(at: data)
        guard tree.flags == 0, tree.pad == 0 else {
            throw damage("a database has flags that Granary never writes", page: page)
        }
        let printable = key.count <= 64 && key.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        let name = printable ? String(decoding: key, as: Unicode.ASCII.self) : "number \(named.count)"
        named.append(("keyspace \(name)", tree))
    }

    /// A list consists of its length and descending page numbers. Unused space may follow it.
    private func checkFreeList(key: Key, _ data: UnsafeRawPointer, size: Int, run: UInt64?, page: UInt64) throws {
        let transaction = key.baseAddress?.u64(0) ?? 0
        guard transaction >= 1, transaction <= meta.transaction else {
            throw damage("a free list belongs to an impossible transaction", page: page)
        }
        guard size >= 8, size % 8 == 0 else { throw damage("a free list has an impossible size", page: page) }
        guard let run else {
            return try checkFreePages(UnsafeRawBufferPointer(start: data, count: size), page: page)
        }
        let list = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { list.deallocate() }
        try file.read(list, at: Int(run) * pageSize + Self.header)
        try checkFreePages(UnsafeRawBufferPointer(list), page: page)
    }

    private func checkFreePages(_ list: UnsafeRawBufferPointer, page: UInt64) throws {
        guard let base = list.baseAddress else { return }
        let count = base.u64(0)
        guard count <= UInt64(list.count / 8 - 1) else {
            throw damage("a free list is longer than its record", page: page)
        }
        var previous = UInt64.max
        for index in 0..<Int(count) {
            let free = base.u64(8 + 8 * index)
            guard free < previous else { throw damage("a free list is out of order", page: page) }
            previous = free
            try mark(free)
        }
        report.freePages += Int(count)
    }
}
