/// The result of one commit: the trees of all keyspaces. Never changed afterwards, except for the notes of `StateList`.
final class CommittedState {
    let keyspaces: KeyspaceTable
    let trees: UnsafeMutablePointer<Tree>
    /// The time of the commit: its pages have this stamp or an earlier one, later pages have a later one.
    let time: UInt64
    /// Whether closing the engine made this state: it is empty, and no transaction begins from it.
    let isClosed: Bool

    /// The number of transactions that hold it, once it is not current. Under the list's `lock`.
    var holders = 0
    /// Pages of this state that no newer state has. Under the list's `freeing` lock, like the neighbours in the list.
    var superseded: [TreePage] = []
    var older: CommittedState?
    var newer: CommittedState?

    /// Takes a copy of the trees.
    init(
        keyspaces: KeyspaceTable, trees source: UnsafeMutablePointer<Tree>, time: UInt64, isClosed: Bool = false
    ) {
        self.keyspaces = keyspaces
        self.time = time
        self.isClosed = isClosed
        trees = .allocate(capacity: max(1, keyspaces.count))
        trees.initialize(from: source, count: keyspaces.count)
    }

    /// The state without any keyspace.
    static func empty(time: UInt64, isClosed: Bool) -> CommittedState {
        let nothing = UnsafeMutablePointer<Tree>.allocate(capacity: 1)
        defer { nothing.deallocate() }
        return CommittedState(keyspaces: KeyspaceTable([]), trees: nothing, time: time, isClosed: isClosed)
    }

    deinit {
        trees.deallocate()
    }

    /// The pages of every tree.
    var pages: [TreePage] {
        var pages: [TreePage] = []
        for index in 0..<keyspaces.count {
            trees[index].forEachPage { pages.append($0) }
        }
        return pages
    }
}
