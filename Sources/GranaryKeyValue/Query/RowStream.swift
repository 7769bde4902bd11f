import GranaryStoreKit

// The rows of a plan come in one of three ways:
// - The entries come in the requested order: each is read, checked and lent at once.
// - The same, but keys were cut: entries whose cut keys have the same beginning are in the order of their hashes. Such
//   a group is collected and sorted by the whole values, which the rows hold, before its first row is lent.
// - The entries come in another order: all are collected and sorted first.
//
// Most rows that are checked are never lent. So only the attributes that the condition and the order need are read
// first, and the others when the row is lent. Only then the checksum is checked.

/// The rows of a plan, in its order, one at a time.
final class RowStream: RowCursor {
    private let session: KeyValueSession
    private let plan: Plan
    private let table: Table
    private let layout: RowLayout
    private let index: TableIndex?
    private let program: ConditionProgram?
    private let scan: EntryScan
    private let version: Int
    private let buffer: CellBuffer
    private let cells: UnsafeMutablePointer<Cell>
    private let cellCount: Int
    /// Whether there may be groups of cut keys.
    private let hasGroups: Bool
    private let sortKey: SortKey?
    /// The attributes that are read to check and sort a row, and those that are read when it is lent.
    private let checked: ColumnSet
    private let lent: ColumnSet
    private var sorted: ContiguousArray<RowSorter.Entry> = []
    private var nextSorted = 0
    private var isGathered = false
    private var held: KeyValueEntry?
    private var skip: Int
    private var left: Int
    /// The engine's key of the last lent row.
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)

    /// - Parameter columns: The attributes whose cells are used.
    init(_ session: KeyValueSession, _ plan: Plan, columns: ColumnSet = .all) throws {
        self.session = session
        self.plan = plan
        table = plan.table
        layout = plan.table.layout
        if case .index(let number) = plan.access { index = plan.table.indexes[number] } else { index = nil }
        program = try plan.residual.map { try ConditionProgram($0, of: plan.table.number, in: session) }
        scan = try EntryScan(plan, session.engine, session.cancellation)
        version = session.version
        buffer = CellBuffer(table.layout.cellCount)
        cells = buffer.base
        cellCount = table.kinds.count
        hasGroups = plan.isOrdered && (index?.canBeCut ?? (table.keyKind == .text))
        sortKey = plan.isOrdered && !hasGroups ? nil : try SortKey(plan.order, of: plan.table, in: session)
        lent = columns
        var checked = ColumnSet()
        if let residual = plan.residual { checked.insert(residual, of: table) }
        if sortKey != nil { for term in plan.order { checked.insert(term.value.expression, of: table) } }
        self.checked = checked
        skip = plan.offset
        left = plan.limit ?? Int.max
    }

    func next() throws -> Row? {
        guard try step() else { return nil }
        return Row(cells: cells, count: cellCount)
    }

    /// Goes to the next row and loads its cells. Returns false at the end.
    @inline(__always)
    func step() throws -> Bool {
        try session.checkCursor(version)
        while left > 0 {
            guard try produce() else {
                left = 0
                return false
            }
            if skip > 0 {
                skip &-= 1
                continue
            }
            left &-= 1
            return true
        }
        return false
    }

    @inline(__always) private func produce() throws -> Bool {
        if plan.isOrdered && !hasGroups { return try produceDirectly() }
        return plan.isOrdered ? try produceInGroups() : try produceSorted()
    }

    @inline(__always) private func produceDirectly() throws -> Bool {
        // Retained once here, and not for each row.
        guard let program else {
            guard let entry = try scan.advance() else { return false }
            try lend(row(of: entry))
            return true
        }
        while let entry = try scan.advance() {
            let row = try row(of: entry)
            guard try meets(program, row) else { continue }
            try lend(row)
            return true
        }
        return false
    }

    @inline(__always) private func meets(_ program: ConditionProgram, _ row: UnsafeRawBufferPointer) throws -> Bool {
        guard layout.decode(checked, of: row, into: cells) else { throw layout.damaged() }
        do {
            return try program.holds(cells)
        } catch {
            throw cause(of: error, row)
        }
    }

    /// If a damaged row causes an error, the error is replaced by that of the damage.
    private func cause(of error: any Error, _ row: UnsafeRawBufferPointer) -> any Error {
        layout.isIntact(row, key: key) ? error : layout.damaged()
    }

    @inline(__always) private func lend(_ row: UnsafeRawBufferPointer) throws {
        try layout.read(lent, of: row, key: key, into: cells)
    }

    /// Passes the row of an entry to the sorter, if it meets the condition.
    @inline(__always)
    private func gather(_ entry: KeyValueEntry, _ program: ConditionProgram?, _ sorter: RowSorter) throws {
        let row = try row(of: entry)
        guard layout.decode(checked, of: row, into: cells) else { throw layout.damaged() }
        do {
            if let program, try !program.holds(cells) { return }
            try sorter.add(cells, key: key, row: row)
        } catch {
            throw cause(of: error, row)
        }
    }

    /// The row in an entry, or the row that the entry names; its key is then in ``key``.
    @inline(__always) private func row(of entry: KeyValueEntry) throws -> UnsafeRawBufferPointer {
        key = entry.key
        var row = entry.value
        if let index { (key, row) = try follow(entry, index) }
        return row
    }

    /// The row that an index's entry names.
    private func follow(
        _ entry: KeyValueEntry, _ index: TableIndex
    ) throws -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
        guard let (_, rowKey) = index.split(entry.key), !rowKey.isEmpty,
            let row = try session.engine.get(rowKey, in: table.keyspace)
        else { throw index.outOfStep(table) }
        return (rowKey, row)
    }

    private func produceSorted() throws -> Bool {
        if !isGathered {
            isGathered = true
            guard let sortKey else { return false }
            let sorter = RowSorter(sortKey, top: plan.needed)
            let program = program
            while let entry = try scan.advance() { try gather(entry, program, sorter) }
            sorted = sorter.finish()
        }
        return try lendSorted()
    }

    private func lendSorted() throws -> Bool {
        guard nextSorted < sorted.count else { return false }
        let entry = sorted[nextSorted]
        nextSorted += 1
        if nextSorted & 63 == 0, let cancellation = session.cancellation { try cancellation.check() }
        key = entry.key
        try lend(entry.row)
        return true
    }

    private func produceInGroups() throws -> Bool {
        while true {
            if try lendSorted() { return true }
            guard let entry = try held ?? scan.advance() else { return false }
            held = nil
            guard let sortKey, let prefix = groupPrefix(entry.key) else {
                let row = try row(of: entry)
                if let program, try !meets(program, row) { continue }
                try lend(row)
                return true
            }
            let sorter = RowSorter(sortKey, top: nil)
            var member: KeyValueEntry? = entry
            while let current = member {
                guard let other = groupPrefix(current.key), areEqual(other, prefix) else {
                    held = current
                    break
                }
                try gather(current, program, sorter)
                member = try scan.advance()
            }
            sorted = sorter.finish()
            nextSorted = 0
        }
    }

    /// The common beginning of the keys in an entry's group; nil if the entry is in its place.
    private func groupPrefix(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let index else {
            return table.isCut(key) ? UnsafeRawBufferPointer(rebasing: key.prefix(KeyFormat.rowKeyPrefix)) : nil
        }
        guard let (value, rowKey) = index.split(key) else { return nil }
        if value.count == KeyFormat.cutIndexValue {
            return UnsafeRawBufferPointer(rebasing: key.prefix(KeyFormat.indexPrefix))
        }
        guard table.isCut(rowKey) else { return nil }
        return UnsafeRawBufferPointer(rebasing: key.prefix(value.count + KeyFormat.rowKeyPrefix))
    }

    /// The cells of the last lent row.
    var position: UnsafePointer<Cell> { UnsafePointer(cells) }
}

extension TableIndex {
    @inline(never) func outOfStep(_ table: Table) -> GranaryError {
        GranaryError(
            .corrupt, "An index of \(table.entity.path) names a row that is not there. Run verify.",
            about: table.entity, attributes)
    }
}
