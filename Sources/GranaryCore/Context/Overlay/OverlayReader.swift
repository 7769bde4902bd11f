/// One state with pending changes laid over it: what a context shows, as a store's reader.
///
/// Does not own the reader below; ends with it.
package final class OverlayReader: StoreReader {
    let below: any StoreReader
    let pending: PendingChanges
    let schema: Schema
    private var found: StoredRow?

    package init(_ below: any StoreReader, _ pending: PendingChanges, _ schema: Schema) {
        self.below = below
        self.pending = pending
        self.schema = schema
    }

    package var transactionNumber: UInt64 { below.transactionNumber }

    package func find(_ key: Cell, in entity: Int) throws -> Row? {
        if let change = pending.change(StoredValue(key), of: entity) {
            found = change.current
            return found?.row
        }
        return try below.find(key, in: entity)
    }

    package func rows(_ request: FetchRequest) throws -> any RowCursor { try below.rows(request) }
    package func count(_ request: FetchRequest) throws -> Int { try below.count(request) }
    package func aggregate(_ request: AggregateRequest) throws -> any RowCursor { try below.aggregate(request) }
    package func explain(_ request: FetchRequest) throws -> QueryPlan { try below.explain(request) }
    package func explain(_ request: AggregateRequest) throws -> QueryPlan { try below.explain(request) }
    package func lastAssignedKey(of entity: Int) throws -> Int64 {
        max(try below.lastAssignedKey(of: entity), pending.takenKeys[entity] ?? 0)
    }
    package func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try below.history(after: number, limit: limit)
    }
    package func end() {}
}
