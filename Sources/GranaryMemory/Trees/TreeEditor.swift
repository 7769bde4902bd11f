/// Changes trees for the write transaction: B+tree insertion and deletion on pages that are copied before their first
/// change (see `PageWorkspace` for which).
///
/// After each change every branch has two children or more, except that a tree's only page may be any leaf, and a
/// leaf has one entry or more. A page that falls under a quarter is joined with a neighbour where the two fit in three
/// quarters, so that a deletion after an insertion does not undo a split again and again.
final class TreeEditor {
    let pages: PageWorkspace
    let path = TreePath(depth: TreePath.maximumDepth)
    /// The greatest size of a value in a leaf; longer values are stored separately.
    let inlineLimit: Int
    private var scratch = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 8)
    private var scratchCount = 512

    init(pages: PageWorkspace) {
        self.pages = pages
        inlineLimit = pages.heap.pageSize / 4
    }

    deinit {
        path.deallocate()
        scratch.deallocate()
    }

    /// The key with its bytes in memory that no change frees, because the caller's key may lie in a page.
    func keep(_ key: Key) -> Key {
        if key.count > scratchCount {
            scratch.deallocate()
            scratchCount = key.count
            scratch = .allocate(byteCount: scratchCount, alignment: 8)
        }
        scratch.copyMemory(from: key.start, byteCount: key.count)
        return Key(UnsafeRawPointer(scratch), key.count, head: key.head)
    }

    /// Makes the workspace the owner of every page on the path.
    func own(_ tree: UnsafeMutablePointer<Tree>) {
        for level in 0..<tree.pointee.depth {
            let page = path.steps[level].page
            if pages.owns(page) { continue }
            replace(level, with: pages.copy(page), in: tree)
            pages.discard(page)
        }
    }

    /// Replaces the page at this level of the path, whose parent must be owned.
    func replace(_ level: Int, with page: TreePage, in tree: UnsafeMutablePointer<Tree>) {
        if level == 0 {
            tree.pointee.root = page
        } else {
            let parent = path.steps[level - 1]
            parent.page.setChild(parent.index, page)
        }
        path.steps[level].page = page
    }

    /// A new page with some of a page's entries, without waste, and room for `extra` bytes more.
    func rebuild(_ page: TreePage, _ range: Range<Int>, extra: Int) -> TreePage {
        var used = TreePage.headerSize + extra
        for index in range { used += TreePage.slotSize + page.entrySize(index) }
        let copy = pages.makePage(level: page.header.pointee.level, used: used)
        copy.append(page, range)
        return copy
    }

    /// Removes everything. Costs a visit of every page.
    func clear(_ tree: UnsafeMutablePointer<Tree>) {
        let old = tree.pointee
        tree.pointee = Tree()
        old.forEachPage { pages.discard($0) }
    }
}
