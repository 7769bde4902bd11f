// Both sides come in one order, which ends with the key and so has no ties. The first row of each side waits, and the
// earlier one is returned. A waiting row from below stays in the memory of the cursor below until that moves to its
// next row.

/// The unchanged rows of an entity from below, merged with the changed rows that meet the condition. Whole rows.
final class MergedRows: RowCursor {
    /// A changed row, and the values that the order computes for it.
    private typealias Entry = (row: UnsafePointer<Cell>, computed: UnsafePointer<Cell>)

    private let reader: OverlayReader
    private let pushedDown: PushedDownRequest
    private var below: any RowCursor
    private let changed: KeySet
    private let keyPosition: Int
    private let width: Int
    private let filter: ConditionProgram?
    private let order: RowOrder
    /// The values that the order computes for the waiting row.
    private let computed: UnsafeMutablePointer<Cell>
    private let entries: ContiguousArray<Entry>
    /// Holds the computed cells of the entries. `pushedDown` holds the cells of the rows.
    private let held: [StoredRow]
    private var place = 0
    /// The changed row that waits; nil after the last one.
    private var entry: Entry?
    /// The waiting row from below.
    private var waiting: UnsafePointer<Cell>?
    private var isBelowAtEnd = false
    /// The number of rows from below that were skipped.
    private var droppedCount = 0
    /// Whether rows beyond the limit of the request below are read.
    private var isBeyondLimit = false
    private var skip: Int
    private var left: Int

    /// - Parameter request: Its columns are ignored. Its order, limit and offset are used if `pushedDown` is ordered.
    init(_ reader: OverlayReader, _ request: FetchRequest, _ pushedDown: PushedDownRequest) throws {
        self.reader = reader
        self.pushedDown = pushedDown
        let entity = try reader.entity(at: request.entity)
        keyPosition = entity.keyPosition
        width = entity.attributes.count
        order = try RowOrder(of: pushedDown.below, in: reader)
        filter = try pushedDown.residual.map { try ConditionProgram($0, of: request.entity, in: reader) }
        changed = pushedDown.changes.keySet
        skip = pushedDown.isOrdered ? request.offset : 0
        left = pushedDown.isOrdered ? request.limit ?? Int.max : Int.max
        (entries, held) = try MergedRows.entries(reader, request, pushedDown, order)
        below = try reader.below.rows(pushedDown.below)
        computed = .allocate(capacity: max(1, order.computedCount))
        computed.initialize(repeating: .null, count: max(1, order.computedCount))
        nextEntry()
    }

    deinit { computed.deallocate() }

    private static func entries(
        _ reader: OverlayReader, _ request: FetchRequest, _ pushedDown: PushedDownRequest, _ order: RowOrder
    ) throws -> (ContiguousArray<Entry>, held: [StoredRow]) {
        if pushedDown.changes.count == 0 { return ([], []) }
        let condition = try request.condition.map { try ConditionProgram($0, of: request.entity, in: reader) }
        let count = order.computedCount
        let values = UnsafeMutablePointer<Cell>.allocate(capacity: max(1, count))
        values.initialize(repeating: .null, count: max(1, count))
        defer { values.deallocate() }
        let top = pushedDown.isOrdered ? request.needed(beside: 0) ?? Int.max : Int.max
        if top < pushedDown.changes.shown.count, let sorted = try shown(reader, request, pushedDown) {
            var entries: ContiguousArray<Entry> = []
            for row in sorted {
                if entries.count == top { break }
                if try condition?.holds(row) ?? true { entries.append((row, row)) }
            }
            return (entries, [])
        }
        let isBefore = { (left: Entry, right: Entry) in
            order.isBefore(left.row, left.computed, right.row, right.computed)
        }
        var first = FirstElements<Entry>(limit: top)
        var held: [StoredRow] = []
        for row in pushedDown.changes.shown {
            if let condition, try !condition.holds(row) { continue }
            try order.compute(row, into: values)
            if let last = first.last, !order.isBefore(row, values, last.row, last.computed) { continue }
            if count > 0 { held.append(StoredRow(copying: values, count: count)) }
            first.add((row, held.last?.cells ?? row), isBefore)
        }
        return (first.sorted(isBefore), held)
    }

    /// The changed rows in the order of a request; nil unless it orders by one attribute by which the rows are kept
    /// sorted.
    private static func shown(
        _ reader: OverlayReader, _ request: FetchRequest, _ pushedDown: PushedDownRequest
    ) throws -> AnySequence<UnsafePointer<Cell>>? {
        guard request.order.count == 1, let term = request.order.first, let position = term.value.position,
            term.nilsFirst != term.isDescending
        else { return nil }
        let keyPosition = try reader.entity(at: request.entity).keyPosition
        guard let order = pushedDown.changes.order(by: position, keyPosition: keyPosition) else { return nil }
        return term.isDescending ? AnySequence(order.shown.reversed()) : AnySequence(order.shown)
    }

    func next() throws -> Row? {
        guard let cells = try step() else { return nil }
        return Row(cells: cells, count: width)
    }

    /// The cells of the next row, until the next call; nil at the end.
    @inline(__always) func step() throws -> UnsafePointer<Cell>? {
        while left > 0 {
            guard let cells = try take() else {
                left = 0
                return nil
            }
            if skip > 0 {
                skip &-= 1
                continue
            }
            left &-= 1
            return cells
        }
        return nil
    }

    @inline(__always) private func take() throws -> UnsafePointer<Cell>? {
        if waiting == nil && !isBelowAtEnd { waiting = try advance() }
        guard let entry else {
            defer { waiting = nil }
            return waiting
        }
        if let waiting, !order.isBefore(entry.row, entry.computed, waiting, computed) {
            self.waiting = nil
            return waiting
        }
        nextEntry()
        return entry.row
    }

    private func nextEntry() {
        guard place < entries.count else {
            entry = nil
            return
        }
        entry = entries[place]
        place += 1
    }

    /// The next row from below that is not changed and meets the condition.
    private func advance() throws -> UnsafePointer<Cell>? {
        while let row = try below.next() {
            let cells = row.cells
            if changed.contains(cells[keyPosition]) {
                droppedCount &+= 1
                continue
            }
            if let filter, try !filter.holds(cells) { continue }
            // Rows are compared only while changed rows remain to be merged.
            if entry != nil { try order.compute(cells, into: computed) }
            return cells
        }
        // The key of a new record may since have been inserted below: then the limit has cut off rows that are needed.
        if !isBeyondLimit, let limit = pushedDown.below.limit, droppedCount > pushedDown.changes.replaced.count {
            isBeyondLimit = true
            var further = pushedDown.below
            further.limit = nil
            further.offset = limit
            below = try reader.below.rows(further)
            return try advance()
        }
        isBelowAtEnd = true
        return nil
    }
}
