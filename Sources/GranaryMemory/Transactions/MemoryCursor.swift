import GranaryStoreKit
import GranaryKeyValue

/// A position in one tree. Holds its transaction, and reads the tree's root anew whenever it is placed.
final class MemoryCursor: KeyValueCursor {
    private let reader: MemoryReader
    private let place: Int
    private var path: TreePath
    /// The version of the transaction at which the cursor was placed.
    private var version: Int
    /// The number of levels of the path, including the leaf; 0 without a position.
    private var depth = 0
    // The last step of the path, kept apart for speed: most moves stay in the leaf.
    private var leaf: TreePage
    private var index = 0
    private var leafCount = 0

    init(_ reader: MemoryReader, place: Int) {
        self.reader = reader
        self.place = place
        version = reader.version
        path = TreePath(depth: max(1, reader.trees[place].depth))
        // Never read while `leafCount` is 0.
        leaf = TreePage(base: UnsafeMutableRawPointer(path.steps))
    }

    deinit {
        path.deallocate()
    }

    func first() throws -> KeyValueEntry? {
        guard let root = try begin() else { return nil }
        return down(from: root, level: 0, toLast: false)
    }

    func last() throws -> KeyValueEntry? {
        guard let root = try begin() else { return nil }
        return down(from: root, level: 0, toLast: true)
    }

    func seek(atOrAfter key: UnsafeRawBufferPointer) throws -> KeyValueEntry? {
        guard let root = try begin() else { return nil }
        _ = path.descend(root, to: Key(key))
        depth = reader.trees[place].depth
        leaf = path.steps[depth - 1].page
        leafCount = leaf.count
        index = path.steps[depth - 1].index
        if index < leafCount { return leaf.entry(index) }
        // Every key in the leaf to which it belongs is before it.
        return nextLeaf()
    }

    func next() throws -> KeyValueEntry? {
        guard version == reader.version else { throw invalid() }
        let following = index &+ 1
        guard following < leafCount else { return nextLeaf() }
        index = following
        return leaf.entry(following)
    }

    func previous() throws -> KeyValueEntry? {
        guard version == reader.version else { throw invalid() }
        guard index > 0 else { return previousLeaf() }
        index &-= 1
        return leaf.entry(index)
    }

    func next(into entries: UnsafeMutableBufferPointer<KeyValueEntry>) throws -> Int {
        guard !entries.isEmpty, let first = try next() else { return 0 }
        entries.initializeElement(at: 0, to: first)
        let count = min(entries.count, leafCount - index)
        for number in 1..<max(1, count) { entries.initializeElement(at: number, to: leaf.entry(index &+ number)) }
        index += count - 1
        return count
    }

    func skip(_ most: Int, before bound: UnsafeRawBufferPointer?) throws -> Int {
        let bound = bound.map { Key($0) }
        var count = 0
        while count < most, let entry = try next() {
            if let bound, Key(entry.key).compare(bound) >= 0 { break }
            count += 1
            // In the rest of the leaf only the last key is compared, or the position of the bound is searched.
            var end = leafCount
            if let bound, leaf.key(end - 1).compare(bound) >= 0 { end = leaf.search(bound, from: index + 1).index }
            let passed = min(end - 1 - index, most - count)
            index += passed
            count += passed
        }
        return count
    }
}

extension MemoryCursor {
    /// Forgets the position and returns the current root of the tree; nil if the tree is empty.
    private func begin() throws -> TreePage? {
        if reader.version == MemoryReader.ended { throw reader.closedError() }
        version = reader.version
        standNowhere()
        let tree = reader.trees + place
        if tree.pointee.depth > path.capacity {
            path.deallocate()
            path = TreePath(depth: tree.pointee.depth)
        }
        return tree.pointee.root
    }

    private func standNowhere() {
        depth = 0
        index = 0
        leafCount = 0
    }

    /// Goes down along one edge of the subtree.
    private func down(from top: TreePage, level topLevel: Int, toLast: Bool) -> KeyValueEntry? {
        var page = top
        var level = topLevel
        while !page.isLeaf {
            let index = toLast ? page.count - 1 : 0
            path.steps[level] = TreePath.Step(page: page, index: index)
            page = page.child(index)
            level += 1
        }
        leaf = page
        leafCount = page.count
        index = toLast ? leafCount - 1 : 0
        depth = level + 1
        return page.entry(index)
    }

    @inline(never)
    private func nextLeaf() -> KeyValueEntry? {
        var level = depth - 2
        while level >= 0 {
            let (page, index) = (path.steps[level].page, path.steps[level].index + 1)
            if index < page.count {
                path.steps[level].index = index
                return down(from: page.child(index), level: level + 1, toLast: false)
            }
            level -= 1
        }
        standNowhere()
        return nil
    }

    @inline(never)
    private func previousLeaf() -> KeyValueEntry? {
        var level = depth - 2
        while level >= 0 {
            let (page, index) = (path.steps[level].page, path.steps[level].index - 1)
            if index >= 0 {
                path.steps[level].index = index
                return down(from: page.child(index), level: level + 1, toLast: true)
            }
            level -= 1
        }
        standNowhere()
        return nil
    }

    @inline(never)
    private func invalid() -> GranaryError {
        if reader.version == MemoryReader.ended { return reader.closedError() }
        return GranaryError(
            .cursorInvalidated,
            "The transaction has written since the cursor was placed; place it again with seek, first or last.")
    }
}
