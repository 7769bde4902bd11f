/// One keyspace at one time: the root of its B+tree. A plain value; the pages belong to states and to the workspace.
struct Tree {
    var root: TreePage?
    /// The last leaf, if the tree's last change was at its end. May only be used while the writer owns it.
    var tail: TreePage?
    /// The number of entries.
    var count = 0
    /// The number of levels, including leaves.
    var depth = 0
}

extension Tree {
    /// The leaf to which the key belongs, and its index there.
    @inline(__always)
    func find(_ key: Key) -> (leaf: TreePage, index: Int)? {
        guard var page = root else { return nil }
        while !page.isLeaf { page = page.child(page.childIndex(key)) }
        let (index, found) = page.search(key, from: 0)
        return found ? (page, index) : nil
    }

    /// Calls `body` for every page, large values included. A parent comes after its children, so `body` may free.
    func forEachPage(_ body: (TreePage) -> Void) {
        if let root { Tree.visit(root, body) }
    }

    /// Recursion ends at the leaves; each branch has two children or more, so there are fewer than 64 levels.
    private static func visit(_ page: TreePage, _ body: (TreePage) -> Void) {
        if !page.isLeaf {
            for index in 0..<page.count { visit(page.child(index), body) }
        } else if page.header.pointee.largeValues > 0 {
            for index in 0..<page.count {
                if let large = page.largeValue(index) { body(large) }
            }
        }
        body(page)
    }
}
