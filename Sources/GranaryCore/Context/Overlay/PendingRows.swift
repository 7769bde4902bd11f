// Queries go through these rows again and again, in part to sort them. So what they look at are bare cells: no row is
// retained and released for that.

/// The changes of one entity, or some of them, as queries look at them.
final class PendingRows {
    /// They keep the cells alive.
    private let changes: [(key: StoredValue, change: PendingChanges.Change)]
    /// The cells of the records that there are, while this lives.
    let shown: ContiguousArray<UnsafePointer<Cell>>
    /// The cells of the records that there were below when they were changed, while this lives. More may have come to be
    /// since.
    let replaced: ContiguousArray<UnsafePointer<Cell>>
    /// The keys of all of them.
    private(set) lazy var keySet = KeySet(keys)

    init(_ changes: [(key: StoredValue, change: PendingChanges.Change)]) {
        self.changes = changes
        shown = ContiguousArray(changes.lazy.compactMap { $0.change.current?.cells })
        replaced = ContiguousArray(changes.lazy.compactMap { $0.change.base?.cells })
    }

    convenience init(_ changes: [StoredValue: PendingChanges.Change]) {
        self.init(changes.map { (key: $0.key, change: $0.value) })
    }

    var count: Int { changes.count }
    var keys: [StoredValue] { changes.map(\.key) }
}
