import GranaryKeyValue

extension TreeEditor {
    /// Makes room for a value and returns it. Returns nil, without a change, if `mode` is `.insert` and the key exists.
    /// Throws, before any change, only if there is no memory for a large value.
    @inline(__always)
    func reserve(_ key: Key, count: Int, mode: KeyValuePutMode, in tree: UnsafeMutablePointer<Tree>) throws
        -> UnsafeMutableRawPointer?
    {
        // A tree is usually filled with ascending keys; while they last, only the last leaf needs to be examined.
        if let tail = tree.pointee.tail, count <= inlineLimit, pages.owns(tail),
            tail.room >= TreePage.slotSize + 4 + key.count + count
        {
            let last = tail.count - 1
            if tail.slots[last].head < key.head || key.compare(tail.key(last)) > 0 {
                tree.pointee.count += 1
                return tail.insertValue(key, at: last + 1, count: count, large: nil)
            }
        }
        return try reserveAnywhere(key, count: count, mode: mode, in: tree)
    }

    @inline(never)
    private func reserveAnywhere(
        _ callersKey: Key, count: Int, mode: KeyValuePutMode, in tree: UnsafeMutablePointer<Tree>
    ) throws -> UnsafeMutableRawPointer? {
        let found = tree.pointee.root.map { path.descend($0, to: callersKey) } ?? false
        if found && mode == .insert { return nil }
        let large = count > inlineLimit ? try pages.makeLargeValue(count: count) : nil
        let key = keep(callersKey)
        tree.pointee.tail = nil
        guard tree.pointee.root != nil else {
            let leaf = pages.makePage(
                level: 0, used: TreePage.headerSize + TreePage.slotSize + 4 + key.count + (large == nil ? count : 8))
            tree.pointee = Tree(root: leaf, tail: leaf, count: 1, depth: 1)
            return leaf.insertValue(key, at: 0, count: count, large: large)
        }
        own(tree)
        let level = tree.pointee.depth - 1
        if found {
            let (leaf, index) = (path.steps[level].page, path.steps[level].index)
            if large == nil, let value = leaf.overwrite(index, count: count) { return value }
            if let old = leaf.largeValue(index) { pages.discard(old) }
            leaf.remove(index)
        } else {
            tree.pointee.count += 1
        }
        return place(key, count: count, large: large, in: tree)
    }

    /// Adds an entry at the end of the path, whose pages must be owned and must not have the key.
    private func place(_ key: Key, count: Int, large: TreePage?, in tree: UnsafeMutablePointer<Tree>)
        -> UnsafeMutableRawPointer
    {
        let level = tree.pointee.depth - 1
        let (leaf, index) = (path.steps[level].page, path.steps[level].index)
        let isLast = index == leaf.count && path.isLast(depth: tree.pointee.depth)
        let size = TreePage.slotSize + 4 + key.count + (large == nil ? count : 8)
        if leaf.room >= size {
            if isLast { tree.pointee.tail = leaf }
            return leaf.insertValue(key, at: index, count: count, large: large)
        }
        if leaf.count == 0 || leaf.used + size <= leaf.header.pointee.capacity {
            let roomy = rebuild(leaf, 0..<leaf.count, extra: size)
            replace(level, with: roomy, in: tree)
            pages.discard(leaf)
            if isLast { tree.pointee.tail = roomy }
            return roomy.insertValue(key, at: index, count: count, large: large)
        }
        if isLast {
            // Ascending keys leave full leaves behind.
            let right = pages.makePage(level: 0, used: TreePage.headerSize + size)
            let value = right.insertValue(key, at: 0, count: count, large: large)
            addChild(right, key.separator(after: leaf.key(leaf.count - 1)), besides: level, in: tree)
            tree.pointee.tail = right
            return value
        }
        let cut = leaf.cut(inserting: size, at: index, leastInEach: 1)
        let goesLeft = index < cut
        let kept = goesLeft ? cut - 1 : cut
        let left = rebuild(leaf, 0..<kept, extra: goesLeft ? size : 0)
        let right = rebuild(leaf, kept..<leaf.count, extra: goesLeft ? 0 : size)
        let value =
            goesLeft
            ? left.insertValue(key, at: index, count: count, large: large)
            : right.insertValue(key, at: index - kept, count: count, large: large)
        replace(level, with: left, in: tree)
        pages.discard(leaf)
        addChild(right, right.key(0).separator(after: left.key(left.count - 1)), besides: level, in: tree)
        return value
    }

    /// Adds a page to the tree, just after the one at this level of the path.
    private func addChild(_ child: TreePage, _ separator: Key, besides level: Int, in tree: UnsafeMutablePointer<Tree>)
    {
        let size = TreePage.slotSize + 8 + separator.count
        guard level > 0 else {
            let left = path.steps[0].page
            let root = pages.makePage(
                level: left.header.pointee.level + 1, used: TreePage.headerSize + TreePage.slotSize + 8 + size)
            root.insertChild(Key(separator.start, 0), at: 0, left)
            root.insertChild(separator, at: 1, child)
            tree.pointee.root = root
            tree.pointee.depth += 1
            return
        }
        let branch = path.steps[level - 1].page
        let index = path.steps[level - 1].index + 1
        if branch.room >= size {
            branch.insertChild(separator, at: index, child)
            return
        }
        if branch.count < 3 || branch.used + size <= branch.header.pointee.capacity {
            let roomy = rebuild(branch, 0..<branch.count, extra: size)
            replace(level - 1, with: roomy, in: tree)
            pages.discard(branch)
            roomy.insertChild(separator, at: index, child)
            return
        }
        let isLast = index == branch.count && path.isLast(depth: level)
        let cut = isLast ? branch.count - 1 : branch.cut(inserting: size, at: index, leastInEach: 2)
        let goesLeft = index < cut
        let kept = goesLeft ? cut - 1 : cut
        let left = rebuild(branch, 0..<kept, extra: goesLeft ? size : 0)
        let right = rebuild(branch, kept..<branch.count, extra: goesLeft ? 0 : size)
        if goesLeft {
            left.insertChild(separator, at: index, child)
        } else {
            right.insertChild(separator, at: index - kept, child)
        }
        replace(level - 1, with: left, in: tree)
        pages.discard(branch)
        // Slot 0 keeps the bytes of its key, which are not used there and are the separator above.
        addChild(right, right.key(0), besides: level - 1, in: tree)
    }
}

extension TreePage {
    /// The number of entries to leave in the left page when one of `size` bytes (with its slot) is inserted at `index`
    /// and all entries, including the new one, are split by size into two pages.
    fileprivate func cut(inserting size: Int, at index: Int, leastInEach least: Int) -> Int {
        let total = used - TreePage.headerSize + size
        var sum = 0
        var cut = 0
        while cut < count + 1 - least {
            if cut >= least && sum * 2 >= total { break }
            let old = cut < index ? cut : cut - 1
            sum += cut == index ? size : TreePage.slotSize + entrySize(old)
            cut += 1
        }
        return cut
    }
}
