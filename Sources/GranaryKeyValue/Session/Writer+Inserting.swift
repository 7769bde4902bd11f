import GranaryStoreKit

extension KeyValueStoreWriter {
    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let table = try begin(entity)
        try take(row, table)
        return try insertTaken(table)
    }

    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let table = try begin(entity)
        try take(row, table)
        let key = newCells[table.keyPosition]
        if key.isNull { throw GranaryError.refused(key, table.entity, table.keyPosition) }
        if table.needsKey(key) { return try insertTaken(table) }
        guard let (bytes, _) = try session.load(key, of: table) else { return try insertTaken(table) }
        try replace(table, key: bytes, old: session.cells)
        return nil
    }

    /// Copies the cells of a row. The bytes that they point at stay in place.
    @inline(__always) func take(_ row: borrowing Row, _ table: Table) throws {
        guard row.count == table.kinds.count else { throw GranaryError.cellCount(table.entity, row.count) }
        for position in 0..<table.kinds.count { newCells[position] = row[position] }
    }

    /// Inserts the row in ``newCells``.
    @inline(__always) private func insertTaken(_ table: Table) throws -> Int64? {
        var made: Int64?
        if table.needsKey(newCells[table.keyPosition]) {
            let next = try nextKey(table)
            newCells[table.keyPosition] = .integer(next)
            made = next
        }
        let size = try table.layout.measure(newCells)
        guard size <= base.capabilities.limits.valueSize else {
            throw GranaryError.tooLarge(table.entity, size, limit: base.capabilities.limits.valueSize)
        }
        let keyCount = try table.encodeKey(newCells[table.keyPosition], into: session.keyBuffer)
        let key = UnsafeRawBufferPointer(start: session.keyBuffer, count: keyCount)
        let isBeyond = try greatest.isBeyond(key, table, engine)
        if !table.indexes.isEmpty || !table.outgoing.isEmpty {
            do {
                try prepareEntries(table, key)
                try checkOutgoing(table)
            } catch let error as GranaryError {
                // An existing key is the first error, as in every store.
                if !isBeyond, try engine.get(key, in: table.keyspace) != nil { throw table.duplicateKey() }
                throw error
            }
        }
        let isNew = try writing {
            guard
                let target = try engine.reserve(
                    key, count: size, in: table.keyspace, mode: isBeyond ? .append : .insert)
            else { return false }
            table.layout.write(newCells, key: key, into: target)
            for index in 0..<table.indexes.count { try addEntry(2 * index + 1, table.indexes[index], table) }
            return true
        }
        guard isNew else { throw table.duplicateKey() }
        if isBeyond { greatest.advance(to: key, table) }
        if table.assignsKeys {
            try raiseCounter(table, to: newCells[table.keyPosition].integerValue, isMade: made != nil)
        }
        recorder?.insert(newCells[table.keyPosition], into: table.number)
        if !state.deferrals.isEmpty && !table.outgoing.isEmpty { deferCheck(key, table) }
        return made
    }

    /// Makes the keys of the new row's entries, and checks whether a unique one is taken.
    private func prepareEntries(_ table: Table, _ key: UnsafeRawBufferPointer) throws {
        for number in 0..<table.indexes.count {
            let index = table.indexes[number]
            let slot = 2 * number + 1
            let (count, valueCount) = try index.encode(newCells, key: key, into: slots + slot * KeyFormat.bufferSize)
            slotCounts[slot] = count
            if index.constrains(newCells) { try checkUnique(index, slot, valueCount, table, key) }
        }
    }

    /// - Throws: `uniqueness` if another row has the values for the index that are in a slot.
    func checkUnique(
        _ index: TableIndex, _ slot: Int, _ valueCount: Int, _ table: Table, _ ownKey: UnsafeRawBufferPointer
    ) throws {
        let values = UnsafeRawBufferPointer(start: slots + slot * KeyFormat.bufferSize, count: valueCount)
        let cursor = try cursor(in: index.keyspace)
        var entry = try cursor.seek(atOrAfter: values)
        while let found = entry, hasPrefix(found.key, values) {
            guard let (value, rowKey) = index.split(found.key) else { throw index.outOfStep(table) }
            if value.count == valueCount && !areEqual(rowKey, ownKey) {
                // Equal hashes of cut values are no proof: the row is compared.
                guard valueCount == KeyFormat.cutIndexValue else { throw notUnique(index, table) }
                guard let row = try engine.get(rowKey, in: table.keyspace) else { throw index.outOfStep(table) }
                let cells = CellBuffer(table.layout.cellCount)
                try table.layout.read(row, key: rowKey, into: cells.base)
                if try index.agree(cells.base, newCells) { throw notUnique(index, table) }
            }
            entry = try cursor.next()
        }
    }

    /// Writes an index's entry from a slot.
    @inline(__always) func addEntry(_ slot: Int, _ index: TableIndex, _ table: Table) throws {
        let key = UnsafeRawBufferPointer(start: slots + slot * KeyFormat.bufferSize, count: slotCounts[slot])
        guard try engine.reserve(key, count: 0, in: index.keyspace, mode: .insert) != nil else {
            throw index.outOfStep(table)
        }
    }

    // MARK: Assigned keys

    func counter(_ table: Table) throws -> Int64 {
        if let counter = state.counters[table.number] { return counter }
        let stored = try session.storedCounter(table)
        state.counters[table.number] = stored
        return stored
    }

    private func nextKey(_ table: Table) throws -> Int64 {
        guard let key = base.coordinator.assignKey(of: table.number, after: try counter(table)) else {
            throw GranaryError.noKeyLeft(table.entity)
        }
        return key
    }

    @inline(__always) func raiseCounter(_ table: Table, to key: Int64, isMade: Bool) throws {
        guard try key > counter(table) else { return }
        state.counters[table.number] = key
        if !isMade { base.coordinator.noteAssignedKey(key, of: table.number) }
    }

    @inline(never) private func notUnique(_ index: TableIndex, _ table: Table) -> GranaryError {
        .notUnique(table.entity, index.attributes)
    }
}
