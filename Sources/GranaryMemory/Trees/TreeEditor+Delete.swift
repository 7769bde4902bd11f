extension TreeEditor {
    /// Removes a key. Returns whether it existed.
    func delete(_ key: Key, in tree: UnsafeMutablePointer<Tree>) -> Bool {
        guard let root = tree.pointee.root, path.descend(root, to: key) else { return false }
        tree.pointee.tail = nil
        own(tree)
        let level = tree.pointee.depth - 1
        let leaf = path.steps[level].page
        let index = path.steps[level].index
        if let large = leaf.largeValue(index) { pages.discard(large) }
        leaf.remove(index)
        tree.pointee.count -= 1
        restore(level, in: tree)
        return true
    }

    /// Makes the pages of the path well filled again, from this level up.
    private func restore(_ lowest: Int, in tree: UnsafeMutablePointer<Tree>) {
        var level = lowest
        while level > 0 {
            let page = path.steps[level].page
            let parent = path.steps[level - 1]
            if page.count == 0 {
                parent.page.remove(parent.index)
                pages.discard(page)
            } else if !joinIfSmall(page, under: parent) {
                return
            }
            level -= 1
        }
        shrinkRoot(tree)
    }

    /// Joins a page with a neighbour if it is nearly empty and the two fit, or if it is a branch with one child, which
    /// may not remain: then the result may be larger than an ordinary page. Returns whether the parent has changed.
    private func joinIfSmall(_ page: TreePage, under parent: TreePath.Step) -> Bool {
        let mustJoin = !page.isLeaf && page.count < 2
        guard mustJoin || page.used < pages.heap.pageSize / 4 else { return false }
        var best: (left: Int, size: Int)?
        for left in [parent.index - 1, parent.index] where left >= 0 && left + 1 < parent.page.count {
            var size = parent.page.child(left).used + parent.page.child(left + 1).used
            if !page.isLeaf { size += Int(parent.page.slots[left + 1].keyCount) }
            if best.map({ size < $0.size }) ?? true { best = (left, size) }
        }
        guard let best, mustJoin || best.size <= pages.heap.pageSize / 4 * 3 else { return false }
        let left = parent.page.child(best.left)
        let right = parent.page.child(best.left + 1)
        let joined = pages.makePage(level: page.header.pointee.level, used: best.size)
        joined.append(left, 0..<left.count)
        joined.append(right, 0..<right.count, firstKey: page.isLeaf ? nil : parent.page.key(best.left + 1))
        parent.page.setChild(best.left, joined)
        parent.page.remove(best.left + 1)
        pages.discard(left)
        pages.discard(right)
        return true
    }

    private func shrinkRoot(_ tree: UnsafeMutablePointer<Tree>) {
        while let root = tree.pointee.root {
            if root.count == 0 {
                tree.pointee.root = nil
            } else if !root.isLeaf && root.count == 1 {
                tree.pointee.root = root.child(0)
            } else {
                return
            }
            tree.pointee.depth -= 1
            pages.discard(root)
        }
    }
}
