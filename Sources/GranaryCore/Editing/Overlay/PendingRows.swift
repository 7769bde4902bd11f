// Queries go through these rows again and again, partly to sort them. So they get bare cells: no row is retained and
// released.

/// All changes of one entity, or some of them, in the form for queries.
final class PendingRows {
    /// Keeps the cells alive.
    let changes: ContiguousArray<PendingTable.Element>
    /// The cells of the shown records. Valid while this object lives.
    let shown: ContiguousArray<UnsafePointer<Cell>>
    /// The cells of the records that existed below when they were changed. Valid while this object lives. Others may
    /// have been inserted there since.
    let replaced: ContiguousArray<UnsafePointer<Cell>>
    /// The keys of all changed records.
    private(set) lazy var keySet = KeySet(keys)
    /// The orders by attribute position. Nil marks an order that was requested once.
    private var orders: [Int: PendingOrder?] = [:]

    init(_ changes: ContiguousArray<PendingTable.Element>) {
        self.changes = changes
        shown = ContiguousArray(changes.lazy.compactMap { $0.change.current?.cells })
        replaced = ContiguousArray(changes.lazy.compactMap { $0.change.base?.cells })
    }

    convenience init(_ changes: PendingTable) { self.init(changes.all) }

    /// The changes sorted by an attribute. Returns nil at the first request: a single pass over all of them costs less
    /// than sorting.
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

/// The changes of each entity in the form for queries, for one version of an overlay.
struct PendingRowsCache {
    private var version = 0
    private var number = 0
    private var entities: [Int: PendingRows] = [:]

    /// - Parameters:
    ///   - shown: The changes as they are shown.
    ///   - number: The number of `shown`.
    ///   - version: The overlay's version.
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
