extension OverlayReader: RelatedRows {
    package func entity(at position: Int) throws -> Entity {
        guard schema.entities.indices.contains(position) else {
            throw GranaryError.noEntity(at: position)
        }
        return schema.entities[position]
    }

    package func lookup(of entity: Int) throws -> any RowLookup { OverlayLookup(self, entity) }

    package func referrers(of entity: Int, by position: Int) throws -> any ReferringRows {
        OverlayReferrers(self, entity, position, keyPosition: try self.entity(at: entity).keyPosition)
    }

    package func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws {
        let cursor = try rows(request)
        while let row = try cursor.next() { try body(row[0]) }
    }
}

// Neighbouring rows often refer to the same few records. So found records are cached: the hash of a key gives its slot,
// and a new key replaces the one in its slot.

/// The records of an entity by their keys, changed ones first.
private final class OverlayLookup: RowLookup {
    private struct Slot {
        /// Null while the slot is free: no record has a null key.
        var key = StoredValue.null
        /// Nil if no record has the key.
        var row: StoredRow?
    }

    private let reader: OverlayReader
    private let entity: Int
    private var slots: ContiguousArray<Slot> = []

    init(_ reader: OverlayReader, _ entity: Int) {
        self.reader = reader
        self.entity = entity
    }

    func cells(of key: Cell) throws -> UnsafePointer<Cell>? {
        if key.isNull { return nil }
        if slots.isEmpty { slots = ContiguousArray(repeating: Slot(), count: 1024) }
        let number = Int(truncatingIfNeeded: key.quickHash) & 1023
        if !slots[number].key.withCell({ areSame($0, key) }) {
            // The slot stays empty if finding fails.
            slots[number] = Slot()
            let row = try find(key)
            slots[number] = Slot(key: StoredValue(key), row: row)
        }
        return slots[number].row?.cells
    }

    private func find(_ key: Cell) throws -> StoredRow? {
        if reader.isChanged(entity), let change = reader.pending.change(StoredValue(key), of: entity) {
            return change.current
        }
        guard let row = try reader.below.find(key, in: entity) else { return nil }
        return StoredRow(row)
    }
}

/// The records of an entity that refer to a key: first the changed ones, then the unchanged ones from below.
private final class OverlayReferrers: ReferringRows {
    private let reader: OverlayReader
    private let entity: Int
    private let position: Int
    private let keyPosition: Int
    /// The changed records by the keys that they refer to, and the keys of all changed records. Made when the first key
    /// is requested.
    private var changes: (rows: [StoredValue: [StoredRow]], keys: KeySet)?
    private var rows: [StoredRow] = []
    private var place = 0
    private var cursor: (any RowCursor)?

    init(_ reader: OverlayReader, _ entity: Int, _ position: Int, keyPosition: Int) {
        self.reader = reader
        self.entity = entity
        self.position = position
        self.keyPosition = keyPosition
    }

    func begin(_ key: Cell) throws {
        rows = []
        place = 0
        cursor = nil
        if key.isNull { return }
        let key = StoredValue(key)
        if reader.isChanged(entity) { rows = (changes ?? gather()).rows[key] ?? [] }
        cursor = try reader.below.rows(
            FetchRequest(entity: entity, condition: .compare(position: position, .equal, key)))
    }

    private func gather() -> (rows: [StoredValue: [StoredRow]], keys: KeySet) {
        let all = reader.pending.changes(of: entity)
        var rows: [StoredValue: [StoredRow]] = [:]
        for case let row? in all.lazy.map(\.change.current) where !row[position].isNull {
            rows[row.value(at: position), default: []].append(row)
        }
        let gathered = (rows, KeySet(all.keys))
        changes = gathered
        return gathered
    }

    func skip() throws -> Bool { try next() != nil }

    func next() throws -> UnsafePointer<Cell>? {
        if place < rows.count {
            place += 1
            return rows[place - 1].cells
        }
        while let row = try cursor?.next() {
            let cells = row.cells
            if let changes, changes.keys.contains(cells[keyPosition]) { continue }
            return cells
        }
        cursor = nil
        return nil
    }
}
