/// What one commit left: the trees of all keyspaces, never changed afterwards.
///
/// Pages hold no counts, so states decide when a page is freed. States form a queue from the oldest that a reader still
/// has to the current one. A page that the commit after this state superseded may be in use by this state and by
/// older ones, by no newer one: it is freed when this state leaves the queue, and a state leaves from the front only, when
/// nobody reads it any more and it is not the current one.
///
/// `readers`, `superseded` and `next` belong to the engine's lock.
final class CommittedState {
    let number: UInt64
    let keyspaces: KeyspaceTable
    let trees: UnsafeMutablePointer<Tree>

    var readers = 0
    var superseded: [Page] = []
    var next: CommittedState?

    /// Takes a copy of the trees.
    init(number: UInt64, keyspaces: KeyspaceTable, trees source: UnsafeMutablePointer<Tree>) {
        self.number = number
        self.keyspaces = keyspaces
        trees = .allocate(capacity: max(1, keyspaces.count))
        trees.initialize(from: source, count: keyspaces.count)
    }

    deinit {
        trees.deallocate()
    }

    /// The pages of every tree.
    var pages: [Page] {
        var pages: [Page] = []
        for index in 0..<keyspaces.count {
            trees[index].forEachPage { pages.append($0) }
        }
        return pages
    }
}
