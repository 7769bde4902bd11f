// Queries go through these rows again and again, in part to sort them. So what they look at are bare cells: no row is
// retained and released for that.

/// The changes of one entity, or some of them, as queries look at them.
final class PendingRows {
    /// They keep the cells alive.
    let changes: ContiguousArray<PendingTable.Element>
    /// The cells of the records that there are, while this lives.
    let shown: ContiguousArray<UnsafePointer<Cell>>
    /// The cells of the records that there were below when they were changed, while this lives. More may have come to be
    /// since.
    let replaced: ContiguousArray<UnsafePointer<Cell>>
    /// The keys of all of them.
    private(set) lazy var keySet = KeySet(keys)
    /// By position: nil where an order was asked for once.
    private var orders: [Int: PendingOrder?] = [:]

    init(_ changes: ContiguousArray<PendingTable.Element>) {
        self.changes = changes
        shown = ContiguousArray(changes.lazy.compactMap { $0.change.current?.cells })
        replaced = ContiguousArray(changes.lazy.compactMap { $0.change.base?.cells })
    }

    convenience init(_ changes: PendingTable) { self.init(changes.all) }

    /// The changes by an attribute. Not at the first time: a single look at all of them costs less than to sort them.
    func order(by position: Int, keyPosition: Int) -> PendingOrder? {
        guard let known = orders[position] else {
            orders[position] = .some(nil)
            return nil
        }
        let order = known ?? PendingOrder(self, by: position, keyPosition: keyPosition)
        orders[position] = order
        return order
    }

    var count: Int { changes.count }
    var keys: [StoredValue] { changes.map(\.key) }
}

/// The changes of each entity as queries look at them, of one version of an overlay.
struct PendingRowsCache {
    private var version = 0
    private var number = 0
    private var entities: [Int: PendingRows] = [:]

    /// - Parameters:
    ///   - shown: The changes as they are shown.
    ///   - number: That of `shown`.
    ///   - version: The overlay's.
    mutating func rows(of entity: Int, _ shown: PendingChanges, _ number: Int, _ version: Int) -> PendingRows {
        if self.version != version || self.number != number {
            (self.version, self.number) = (version, number)
            entities.removeAll()
        }
        if let made = entities[entity] { return made }
        let made = PendingRows(shown.changes(of: entity))
        entities[entity] = made
        return made
    }
}
