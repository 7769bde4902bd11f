// A request that looks at no changed entity goes through to the reader below as it is. For any other, the reader below answers
// for the records that no change reaches (`ReachedRows`): their rows, their count, their sums. The others are left out of that,
// and what is shown of them is merged in. Where a change reaches too many records, or sums of parts do not make the whole, the
// reader below gives rows with the part of the condition and the order that looks at no changed entity, and the rest is worked
// out here, by the programs that stores use.

/// One state with pending changes laid over it: what a context shows, as a store's reader. It answers every request as a
/// store would that had the changes in it.
///
/// Does not own the reader below; ends with it. Cursors keep the reader and the changes alive.
package final class OverlayReader: StoreReader {
    let below: any StoreReader
    let pending: PendingChanges
    package let schema: Schema
    /// Where the changes are from, and in which version.
    private let origin: (overlay: Overlay, version: Int)?
    /// Of what the changes are shown as; 0 where they are shown as they are.
    private let shownNumber: Int
    /// Whether the base of every change is known to be what is below.
    let areBasesBelow: Bool
    private var found: StoredRow?
    /// The changes of entities as queries look at them, where they are no overlay's.
    private var ownRows: [Int: PendingRows] = [:]

    package init(_ below: any StoreReader, _ pending: PendingChanges, _ schema: Schema) {
        self.below = below
        self.pending = pending
        self.schema = schema
        origin = nil
        shownNumber = 0
        areBasesBelow = false
    }

    /// What an overlay shows now.
    init(_ below: any StoreReader, _ overlay: Overlay) throws {
        self.below = below
        (pending, shownNumber) = try overlay.shown(over: below)
        schema = overlay.schema
        origin = (overlay, overlay.version)
        areBasesBelow = overlay.areBases(in: below)
    }

    /// The version of the overlay that the changes are from; of changes that stay as they are, 0.
    var stateVersion: Int { origin?.version ?? 0 }

    /// A lookup of the changes; nil if the overlay has gone on, or is not known, or shows them otherwise.
    func lookup(_ number: Int, of entity: Int) -> PendingLookup? {
        guard shownNumber == 0, let origin, origin.version == origin.overlay.version else { return nil }
        return origin.overlay.lookup(number, of: entity)
    }

    /// The changes of an entity; made once, and of an overlay once for each version.
    func pendingRows(of entity: Int) -> PendingRows {
        if let origin, origin.version == origin.overlay.version {
            return origin.overlay.pendingRows(of: entity, pending, shownNumber)
        }
        if let made = ownRows[entity] { return made }
        let made = PendingRows(pending.changes(of: entity))
        ownRows[entity] = made
        return made
    }

    package var transactionNumber: UInt64 { below.transactionNumber }

    package func find(_ key: Cell, in entity: Int) throws -> Row? {
        if isChanged(entity), let change = pending.change(StoredValue(key), of: entity) {
            found = change.current
            return found?.row
        }
        return try below.find(key, in: entity)
    }

    package func lastAssignedKey(of entity: Int) throws -> Int64 {
        max(try below.lastAssignedKey(of: entity), pending.takenKeys[entity] ?? 0)
    }
    package func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try below.history(after: number, limit: limit)
    }
    package func end() {}

    /// Whether records of an entity are changed at this level.
    func isChanged(_ entity: Int) -> Bool {
        schema.entities.indices.contains(entity) && !pending.changes(of: entity).isEmpty
    }

    /// Whether the answer may be another than that of the reader below.
    func looksAtChanges(_ request: FetchRequest) -> Bool {
        if pending.isEmpty { return false }
        return isChanged(request.entity) || request.looks(at: isChanged)
    }
}
