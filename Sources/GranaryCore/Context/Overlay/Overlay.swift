// Everything a context shows and does goes through here: it looks like a store's writer, so that every way of asking and
// of writing there is works on it unchanged. It reads one level up for the length of a call and keeps nothing open.

/// Pending changes over what is one level up - a store, or another overlay - as one writer.
package final class Overlay: StoreWriter {
    /// One record set to something: what a savepoint takes back, and what undo goes by.
    struct Step {
        var entity: Int
        var key: StoredValue
        /// The pending change there was before, and the record as it was seen.
        var change: PendingChanges.Change?
        var before: StoredRow?
        var after: StoredRow?
    }

    let schema: Schema
    let coordinator: StoreCoordinator
    private(set) package var pending: PendingChanges
    /// What was done since the list was last taken, in order.
    var steps: [Step] = []
    /// Where in ``steps`` each open savepoint began, and what was deferred then.
    var savepoints: [(steps: Int, deferrals: [Int], deferred: Int)] = []
    /// The parts that defer references: where in ``deferred`` each began.
    var deferrals: [Int] = []
    /// Records whose references are still to be checked.
    var deferred: [RecordChange.Place] = []
    /// Grows whenever what is shown may have changed: cursors made before end.
    private(set) var version = 0 { didSet { hooks.call() } }
    /// Told of each change, perhaps in the midst of a statement.
    let hooks = ChangeHooks()
    private(set) var isEnded = false
    private let open: () throws -> any StoreReader
    /// Whether what `open` gives is ended after use.
    private let endsBelow: Bool
    private var below: (any StoreReader)?
    /// The record found last, which is lent until the next call.
    private var found: StoredRow?

    /// Over a state that is opened for each call.
    package init(
        _ schema: Schema, _ coordinator: StoreCoordinator, _ pending: PendingChanges? = nil,
        opening open: @escaping () throws -> any StoreReader
    ) {
        self.schema = schema
        self.coordinator = coordinator
        self.pending = pending ?? PendingChanges(schema)
        self.open = open
        endsBelow = true
    }

    /// Over one state, which the maker ends.
    package init(_ schema: Schema, _ coordinator: StoreCoordinator, over reader: any StoreReader) {
        self.schema = schema
        self.coordinator = coordinator
        pending = PendingChanges(schema)
        open = { reader }
        endsBelow = false
    }

    /// Reads one level up. Calls within each other read the same state.
    func withBelow<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        if isEnded { throw Overlay.ended }
        if let below { return try body(below) }
        let reader = try open()
        below = reader
        defer {
            below = nil
            if endsBelow { reader.end() }
        }
        return try body(reader)
    }

    /// A reader one level up that the caller ends, if it was opened for it.
    func openBelow() throws -> any StoreReader {
        if isEnded { throw Overlay.ended }
        return try open()
    }

    /// Reads what the overlay shows.
    func withReader<T>(_ body: (OverlayReader) throws -> T) throws -> T {
        try withBelow { try body(OverlayReader($0, pending, schema)) }
    }

    /// Everything that changes what is shown goes through here.
    func set(_ current: StoredRow?, _ key: StoredValue, of entity: Int, before: StoredRow?) {
        version &+= 1
        let change = pending.change(key, of: entity)
        steps.append(Step(entity: entity, key: key, change: change, before: before, after: current))
        pending.set(current, key, of: entity, below: before)
    }

    /// Takes back everything after so many steps.
    func takeBack(to count: Int) {
        version &+= 1
        while steps.count > count, let step = steps.popLast() {
            pending.put(step.change, step.key, of: step.entity)
        }
    }

    /// Replaces what is pending: after a save, a refresh, a reset.
    package func replace(_ pending: PendingChanges) {
        version &+= 1
        self.pending = pending
    }

    package func end() {
        isEnded = true
        found = nil
    }

    static var ended: GranaryError {
        GranaryError(.closed, "The context, or the stack below it, has ended. Make another.")
    }

    // Reading

    package var transactionNumber: UInt64 { (try? withBelow { $0.transactionNumber }) ?? 0 }

    package func find(_ key: Cell, in entity: Int) throws -> Row? {
        found = try visible(StoredValue(key), of: entity)
        return found?.row
    }

    /// The record with a key as the overlay shows it.
    func visible(_ key: StoredValue, of entity: Int) throws -> StoredRow? {
        if isEnded { throw Overlay.ended }
        if let change = pending.change(key, of: entity) { return change.current }
        return try withBelow { below in
            try key.withCell { key in
                guard let row = try below.find(key, in: entity) else { return nil }
                return StoredRow(row)
            }
        }
    }

    package func rows(_ request: FetchRequest) throws -> any RowCursor {
        if let below {
            return OverlayCursor(self, try OverlayReader(below, pending, schema).rows(request), ending: nil)
        }
        if isEnded { throw Overlay.ended }
        let reader = try open()
        do {
            let cursor = try OverlayReader(reader, pending, schema).rows(request)
            return OverlayCursor(self, cursor, ending: endsBelow ? reader : nil)
        } catch {
            if endsBelow { reader.end() }
            throw error
        }
    }

    package func aggregate(_ request: AggregateRequest) throws -> any RowCursor {
        if let below {
            return OverlayCursor(self, try OverlayReader(below, pending, schema).aggregate(request), ending: nil)
        }
        if isEnded { throw Overlay.ended }
        let reader = try open()
        do {
            let cursor = try OverlayReader(reader, pending, schema).aggregate(request)
            return OverlayCursor(self, cursor, ending: endsBelow ? reader : nil)
        } catch {
            if endsBelow { reader.end() }
            throw error
        }
    }

    package func count(_ request: FetchRequest) throws -> Int { try withReader { try $0.count(request) } }
    package func explain(_ request: FetchRequest) throws -> QueryPlan { try withReader { try $0.explain(request) } }
    package func explain(_ request: AggregateRequest) throws -> QueryPlan { try withReader { try $0.explain(request) } }
    package func lastAssignedKey(of entity: Int) throws -> Int64 {
        try withBelow { try $0.lastAssignedKey(of: entity) }
    }
    package func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try withBelow { try $0.history(after: number, limit: limit) }
    }
}

/// Rows of an overlay, whose state below lasts as long as this.
private final class OverlayCursor: RowCursor {
    private let overlay: Overlay
    private let version: Int
    private let cursor: any RowCursor
    private let ending: (any StoreReader)?

    init(_ overlay: Overlay, _ cursor: any RowCursor, ending: (any StoreReader)?) {
        self.overlay = overlay
        version = overlay.version
        self.cursor = cursor
        self.ending = ending
    }

    deinit { ending?.end() }

    func next() throws -> Row? {
        if overlay.isEnded { throw Overlay.ended }
        if overlay.version != version {
            throw GranaryError(
                .cursorInvalidated,
                "The context has changed since this cursor was made. Read the records first, or ask for them again.")
        }
        return try cursor.next()
    }
}
