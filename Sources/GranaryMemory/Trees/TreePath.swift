/// The pages from a root down to a leaf, with the index chosen in each.
///
/// It uses its own memory instead of an array, because the steps are read and written for every change and every move
/// of a cursor. The owner of the path must deallocate it.
struct TreePath {
    struct Step {
        var page: TreePage
        var index: Int
    }

    /// A branch has two children or more, so a tree with more levels would not fit in an address space.
    static let maximumDepth = 64

    let steps: UnsafeMutablePointer<Step>
    let capacity: Int

    /// A path for trees of this depth or less.
    init(depth: Int) {
        capacity = depth
        let memory = Platform.allocate(depth * MemoryLayout<Step>.stride)
        steps = memory.bindMemory(to: Step.self, capacity: depth)
    }

    func deallocate() {
        Platform.deallocate(steps)
    }

    /// Goes down to the leaf to which the key belongs. Returns whether the key exists.
    @inline(__always)
    func descend(_ root: TreePage, to key: Key) -> Bool {
        var page = root
        var depth = 0
        while !page.isLeaf {
            let index = page.childIndex(key)
            steps[depth] = Step(page: page, index: index)
            page = page.child(index)
            depth += 1
        }
        let (index, found) = page.search(key, from: 0)
        steps[depth] = Step(page: page, index: index)
        return found
    }

    /// Whether every step above the leaf took the last child.
    func isLast(depth: Int) -> Bool {
        for level in 0..<(depth - 1) where steps[level].index != steps[level].page.count - 1 { return false }
        return true
    }
}
