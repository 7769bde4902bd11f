import GranaryStoreKit

extension KeyValueStoreWriter {
    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let table = try begin(entity)
        try take(row, table)
        let key = newCells[table.keyPosition]
        if key.isNull { throw GranaryError.refused(key, table.entity, table.keyPosition) }
        guard let (bytes, _) = try session.load(key, of: table) else { return false }
        try replace(table, key: bytes, old: session.cells)
        return true
    }

    /// Replaces a row by ``newCells``, whose bytes must not belong to the engine. `old` may point into the engine: it
    /// is not used after the first write.
    func replace(_ table: Table, key: UnsafeRawBufferPointer, old: UnsafeMutablePointer<Cell>) throws {
        let size = try table.layout.measure(newCells)
        guard size <= base.capabilities.limits.valueSize else {
            throw GranaryError.tooLarge(table.entity, size, limit: base.capabilities.limits.valueSize)
        }
        guard let firstChange = firstChange(table, old) else { return }
        let changed = recorder == nil ? nil : changes(table, old, from: firstChange)
        for number in 0..<table.indexes.count {
            let index = table.indexes[number]
            let slot = 2 * number
            slotCounts[slot] = 0
            if try index.agree(old, newCells) { continue }
            slotCounts[slot] = try index.encode(old, key: key, into: slots + slot * KeyFormat.bufferSize).count
            let (count, valueCount) = try index.encode(
                newCells, key: key, into: slots + (slot + 1) * KeyFormat.bufferSize)
            slotCounts[slot + 1] = count
            if index.constrains(newCells) { try checkUnique(index, slot + 1, valueCount, table, key) }
        }
        try checkOutgoing(table, old: old)
        try writing {
            guard let target = try engine.reserve(key, count: size, in: table.keyspace, mode: .replace) else {
                throw table.layout.damaged()
            }
            table.layout.write(newCells, key: key, into: target)
            for number in 0..<table.indexes.count where slotCounts[2 * number] > 0 {
                try removeEntry(2 * number, table.indexes[number], table)
                try addEntry(2 * number + 1, table.indexes[number], table)
            }
            return true
        }
        if let changed { recorder?.update(newCells[table.keyPosition], in: table.number, changed) }
        if !state.deferrals.isEmpty && !table.outgoing.isEmpty { deferCheck(key, table) }
    }

    /// The first attribute that ``newCells`` change; nil if they are the same.
    @inline(__always) private func firstChange(_ table: Table, _ old: UnsafeMutablePointer<Cell>) -> Int? {
        for position in 0..<table.kinds.count where !areSame(old[position], newCells[position]) { return position }
        return nil
    }

    /// Removes the index's entry whose key lies in a slot.
    func removeEntry(_ slot: Int, _ index: TableIndex, _ table: Table) throws {
        let key = UnsafeRawBufferPointer(start: slots + slot * KeyFormat.bufferSize, count: slotCounts[slot])
        guard try engine.delete(key, in: index.keyspace) else { throw index.outOfStep(table) }
    }

    // Rows are changed one after the other in the order of their keys. Each is checked against the state at that
    // moment. If a later row would have made room, the statement fails, and core runs it again with placeholders.
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let table = try begin(request.entity)
        try table.entity.check(values)
        let keys = try collect(request)
        guard !keys.isEmpty, !values.isEmpty else { return keys.count }
        try beginStatement()
        do {
            let constants = Constants(values, table.entity)
            for key in keys {
                try key.withUnsafeBytes { bytes in
                    try setAttributes(of: bytes, table) { cells in try constants.apply(to: cells) }
                }
            }
        } catch {
            try rollbackSavepoint()
            throw error
        }
        try releaseSavepoint()
        return keys.count
    }

    /// Changes a row: its cells are lent to a closure.
    func setAttributes(
        of key: UnsafeRawBufferPointer, _ table: Table, _ body: (UnsafeMutablePointer<Cell>) throws -> Void
    ) throws {
        guard let row = try engine.get(key, in: table.keyspace) else { return }
        // The new row contains bytes of the old one, and may be written in its place.
        try table.layout.read(copyToScratch(row), key: key, into: session.cells)
        for position in 0..<table.kinds.count { newCells[position] = session.cells[position] }
        try body(newCells)
        try replace(table, key: key, old: session.cells)
    }

    /// The rows of a request, in any order. Only their keys are used.
    func keys(of request: FetchRequest) throws -> RowStream {
        let isWhole = request.limit == nil && request.offset == 0
        return try RowStream(session, session.plan(request, isCount: isWhole), columns: ColumnSet())
    }

    /// The engine's keys of the rows of a request, in their order.
    func collect(_ request: FetchRequest) throws -> [[UInt8]] {
        let stream = try keys(of: request)
        var keys: [[UInt8]] = []
        while try stream.step() { keys.append(Array(stream.key)) }
        keys.sort { left, right in
            left.withUnsafeBytes { left in right.withUnsafeBytes { right in compareBytes(left, right) < 0 } }
        }
        return keys
    }
}

/// The values of assignments as cells. They live as long as this object, sums until the next row.
final class Constants {
    private let assignments: [Assignment]
    private let entity: Entity
    private let values: HeldCells
    /// Holds decimal sums of the last row that do not fit into a cell.
    private var sums: [HeldCells] = []

    init(_ values: [Assignment], _ entity: Entity) {
        assignments = values
        self.entity = entity
        self.values = HeldCells(values.map(\.value))
    }

    /// - Throws: `overflow`, `range` for a sum that the attribute cannot hold.
    func apply(to cells: UnsafeMutablePointer<Cell>) throws {
        if !sums.isEmpty { sums.removeAll(keepingCapacity: true) }
        for (number, assignment) in assignments.enumerated() {
            let position = assignment.position
            guard assignment.operation == .add else {
                cells[position] = values[number]
                continue
            }
            let sum = try entity.sum(of: cells[position], adding: assignment.value, at: position)
            switch sum {
            case .null: cells[position] = .null
            case .integer(let sum): cells[position] = .integer(sum)
            case .real(let sum): cells[position] = .real(sum)
            case .text, .bytes:
                let held = HeldCells([sum])
                sums.append(held)
                cells[position] = held[0]
            }
        }
    }
}
