// A request that depends on no changed entity goes to the reader below as it is. For any other request, the reader
// below answers for the records that no change reaches (`ReachedRows`): their rows, their count, their sums. Reached
// records are excluded there and merged in as they are shown. If a change reaches too many records, or if partial sums
// do not give the exact whole, the reader below returns rows for the part of the condition and the order that depends
// on no changed entity. The rest is evaluated here, by the programs that stores use.

/// One state with pending changes over it: the contents that a context shows, as a store's reader. It answers every
/// request as a store with these changes would.
///
/// Does not own the reader below; ends with it. Cursors keep the reader and the changes alive.
package final class OverlayReader: StoreReader {
    let below: any StoreReader
    let pending: PendingChanges
    package let schema: Schema
    /// The overlay that the changes come from, and its version.
    private let origin: (overlay: Overlay, version: Int)?
    /// The number of the corrected changes; 0 if the changes are shown without corrections.
    private let shownNumber: Int
    /// Whether the state below is known to hold the base of every change.
    let areBasesBelow: Bool
    private var found: StoredRow?
    /// The changes of entities in the form for queries, for changes that do not come from an overlay.
    private var ownRows: [Int: PendingRows] = [:]

    package init(_ below: any StoreReader, _ pending: PendingChanges, _ schema: Schema) {
        self.below = below
        self.pending = pending
        self.schema = schema
        origin = nil
        shownNumber = 0
        areBasesBelow = false
    }

    /// Reads the contents that an overlay shows now.
    init(_ below: any StoreReader, _ overlay: Overlay) throws {
        self.below = below
        (pending, shownNumber) = try overlay.shown(over: below)
        schema = overlay.schema
        origin = (overlay, overlay.version)
        areBasesBelow = overlay.areBases(in: below)
    }

    /// The version of the overlay that the changes come from; 0 for changes that never change.
    var stateVersion: Int { origin?.version ?? 0 }

    /// A lookup of the changes; nil if the overlay has changed since, is not known, or shows corrected changes.
    func lookup(_ number: Int, of entity: Int) -> PendingLookup? {
        guard shownNumber == 0, let origin, origin.version == origin.overlay.version else { return nil }
        return origin.overlay.lookup(number, of: entity)
    }

    /// The changes of an entity, made once. For an overlay they are made once for each version.
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

    /// Whether this level has changed records of an entity.
    func isChanged(_ entity: Int) -> Bool {
        schema.entities.indices.contains(entity) && !pending.changes(of: entity).isEmpty
    }

    /// Whether the answer may differ from that of the reader below.
    func looksAtChanges(_ request: FetchRequest) -> Bool {
        if pending.isEmpty { return false }
        return isChanged(request.entity) || request.looks(at: isChanged)
    }
}

extension OverlayReader: WordCounting {
    /// Nil if records of the entity are changed here: then the words are counted.
    package func wordStatistics(_ question: WordQuestion, of entity: Int) throws -> WordStatistics? {
        if isChanged(entity) { return nil }
        return try (below as? any WordCounting)?.wordStatistics(question, of: entity)
    }

    package func words(_ asked: AskedWord, of entity: Int, limit: Int) throws -> [TermSuggestion]? {
        if isChanged(entity) { return nil }
        return try (below as? any WordCounting)?.words(asked, of: entity, limit: limit)
    }

    package func wordIndexSize(of entity: Int) throws -> WordIndexSize? {
        try (below as? any WordCounting)?.wordIndexSize(of: entity)
    }
}
