/// The pages that the open write transaction has made, and those that it no longer needs.
///
/// The problem: a page may be part of the state that readers see, of a state that a savepoint can return to, or of
/// neither. The rule: each page carries the stamp of the time it was made, and `threshold` is the time at which the
/// innermost savepoint (or the transaction) began. A page with an earlier stamp belongs to others: it is copied before
/// a change, and goes to `superseded` when it is no longer needed. A page with a later stamp is the transaction's
/// alone: it is changed in place and freed at once. So
/// - rolling back frees every page made since the mark and forgets every page superseded since;
/// - releasing a savepoint frees the superseded pages that only the released savepoint needed;
/// - committing hands the superseded pages to the state that the transaction began from (see `StateList`).
///
/// Not shared: only the transaction uses it, under the writer's turn.
final class PageWorkspace {
    let heap: PageHeap
    private(set) var threshold: UInt64
    private var clock: UInt64
    private var fresh: [TreePage] = []
    private var superseded: [TreePage] = []
    private var marks: [Mark] = []

    private struct Mark {
        var threshold: UInt64
        var freshCount: Int
        var supersededCount: Int
    }

    /// `clock` is the time at which the transaction before this one ended.
    init(heap: PageHeap, clock: UInt64) {
        self.heap = heap
        self.clock = clock + 1
        threshold = clock + 1
    }

    /// The current time; no page has a later stamp.
    var now: UInt64 { clock }

    @inline(__always)
    func owns(_ page: TreePage) -> Bool { page.stamp >= threshold }

    /// A page without entries, with room for at least `used` bytes, header and slots included.
    func makePage(level: Int32, used: Int = 0) -> TreePage {
        adopt(heap.makePage(level: level, capacity: max(heap.pageSize, used)))
    }

    func makeLargeValue(count: Int) throws -> TreePage {
        adopt(try heap.makeLargeValue(count: count))
    }

    private func adopt(_ page: TreePage) -> TreePage {
        page.header.pointee.stamp = clock
        page.header.pointee.freshIndex = fresh.count
        fresh.append(page)
        return page
    }

    /// A copy that the transaction owns. The page itself stays.
    func copy(_ page: TreePage) -> TreePage {
        let copy = heap.makePage(level: page.header.pointee.level, capacity: page.header.pointee.capacity)
        let head = TreePage.headerSize + page.count * TreePage.slotSize
        let entries = Int(page.header.pointee.entries)
        copy.base.copyMemory(from: page.base, byteCount: head)
        (copy.base + entries).copyMemory(from: page.base + entries, byteCount: page.header.pointee.capacity - entries)
        return adopt(copy)
    }

    /// Notes that the tree no longer needs the page. Frees it if no state needs it either.
    func discard(_ page: TreePage) {
        guard owns(page) else {
            superseded.append(page)
            return
        }
        let index = page.header.pointee.freshIndex
        if let last = fresh.popLast(), index < fresh.count {
            fresh[index] = last
            last.header.pointee.freshIndex = index
        }
        heap.free(page)
    }

    // MARK: Savepoints

    var depth: Int { marks.count }

    func mark() {
        marks.append(Mark(threshold: threshold, freshCount: fresh.count, supersededCount: superseded.count))
        clock += 1
        threshold = clock
    }

    func release() {
        guard let mark = marks.popLast() else { return }
        threshold = mark.threshold
        var kept = mark.supersededCount
        for index in mark.supersededCount..<superseded.count {
            let page = superseded[index]
            if owns(page) {
                discard(page)
            } else {
                superseded[kept] = page
                kept += 1
            }
        }
        superseded.removeLast(superseded.count - kept)
    }

    func rollback() {
        guard let mark = marks.popLast() else { return }
        threshold = mark.threshold
        heap.free(Array(fresh[mark.freshCount...]))
        fresh.removeLast(fresh.count - mark.freshCount)
        superseded.removeLast(superseded.count - mark.supersededCount)
    }

    // MARK: Ends

    /// Keeps the new pages and returns the superseded ones, which only older states need.
    func commit() -> [TreePage] {
        while depth > 0 { release() }
        defer { forget() }
        return superseded
    }

    /// Frees every new page.
    func abort() {
        heap.free(fresh)
        forget()
    }

    private func forget() {
        fresh = []
        superseded = []
        marks = []
    }
}
