import GranaryStoreKit
import Synchronization

/// Allocates, frees and counts pages.
///
/// Only the thread with the write transaction allocates; any thread may free a page when its snapshot was the page's
/// last user.
final class PageHeap: Sendable {
    /// The bytes of an ordinary page.
    let pageSize: Int
    private let allocated = Atomic<Int>(0)

    init(pageSize: Int) {
        self.pageSize = pageSize
    }

    /// The number of allocated pages, including large values.
    var pageCount: Int { allocated.load(ordering: .relaxed) }

    /// A page for entries, initially empty.
    func makePage(level: Int32, capacity: Int) -> TreePage {
        allocated.add(1, ordering: .relaxed)
        let page = TreePage(base: Platform.allocate(capacity))
        page.header.initialize(
            to: TreePage.Header(
                stamp: 0, freshIndex: 0, capacity: capacity, level: level, count: 0,
                entries: Int32(truncatingIfNeeded: capacity), waste: 0, largeValues: 0))
        return page
    }

    /// A page for one large value. It can throw, unlike the other functions, because the caller chooses its size.
    func makeLargeValue(count: Int) throws -> TreePage {
        guard let base = Platform.allocateIfPossible(TreePage.headerSize + count) else {
            throw GranaryError(.full, "There is no memory for a value of \(count) bytes; store it in smaller pieces.")
        }
        allocated.add(1, ordering: .relaxed)
        let page = TreePage(base: base)
        page.header.initialize(
            to: TreePage.Header(
                stamp: 0, freshIndex: 0, capacity: count, level: TreePage.largeValue, count: 0, entries: 0, waste: 0,
                largeValues: 0))
        return page
    }

    func free(_ page: TreePage) {
        allocated.subtract(1, ordering: .relaxed)
        Platform.deallocate(page.base)
    }

    func free(_ pages: [TreePage]) {
        for page in pages { free(page) }
    }
}
