import GranaryStoreKit

/// Rows by table and engine's key, each once, in the order of insertion.
private final class RowSet {
    private let found = ByteTable()
    private let scratch: UnsafeMutableRawBufferPointer

    init() { scratch = .allocate(byteCount: KeyFormat.bufferSize + 4, alignment: 4) }

    deinit { scratch.deallocate() }

    var count: Int { found.count }

    /// Returns the number of the row, from 0 on.
    @discardableResult func insert(_ table: Int, _ key: UnsafeRawBufferPointer) -> Int {
        found.insert(identity(table, key)).number
    }

    private func identity(_ table: Int, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        scratch.storeBytes(of: UInt32(truncatingIfNeeded: table), as: UInt32.self)
        UnsafeMutableRawBufferPointer(rebasing: scratch[4...]).copyMemory(from: key)
        return UnsafeRawBufferPointer(rebasing: scratch.prefix(4 + key.count))
    }

    /// A row's table and key. Valid until another row is inserted.
    subscript(number: Int) -> (table: Int, key: UnsafeRawBufferPointer) {
        let bytes = found[number]
        return (Int(bytes.loadUnaligned(as: UInt32.self)), UnsafeRawBufferPointer(rebasing: bytes[4...]))
    }
}

extension KeyValueStoreWriter {
    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let table = try begin(entity)
        guard let (bytes, _) = try session.load(key, of: table) else { return false }
        try notingAllOrNone {
            if table.incoming.isEmpty {
                try removeLoaded(table, key: bytes)
            } else {
                let doomed = RowSet()
                doomed.insert(table.number, bytes)
                try deleteFollowing(doomed)
            }
        }
        return true
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        let table = try begin(request.entity)
        if request.condition == nil && request.limit == nil && request.offset == 0 && table.incoming.isEmpty {
            let count = try engine.count(in: table.keyspace)
            if count > 0 { try empty(table) }
            return count
        }
        let rows = try keys(of: request)
        let doomed = RowSet()
        while try rows.step() { doomed.insert(table.number, rows.key) }
        let count = doomed.count
        try notingAllOrNone { try deleteFollowing(doomed) }
        return count
    }

    /// Deletes every row of a table at once, for a table without references to it.
    private func empty(_ table: Table) throws {
        try notingAllOrNone {
            try noteDeletion(ofAll: table)
            try writing {
                try engine.deleteAll(in: table.keyspace)
                for index in table.indexes { try engine.deleteAll(in: index.keyspace) }
                return true
            }
        }
    }

    /// Deletes rows, following the delete rules.
    private func deleteFollowing(_ rows: RowSet) throws {
        var work = DeletionWorklist()
        for number in 0..<rows.count { work.doom(number) }
        var next = 0
        while next < work.doomed.count {
            try follow(work.doomed[next], rows, &work)
            next += 1
        }
        if let denial = work.denial {
            throw GranaryError.denied(by: base.tables[denial.entity].entity, denial.position)
        }
        let removals = try removals(of: work.doomed, rows)
        for (number, positions) in work.nullified {
            let (table, key) = rows[number]
            try setAttributes(of: key, base.tables[table]) { cells in
                for position in positions { cells[position] = .null }
            }
        }
        for removal in removals { try remove(removal) }
    }

    private func removals(of doomed: [Int], _ rows: RowSet) throws -> [Removal] {
        var keys = ContiguousArray(repeating: KeyList(), count: base.tables.count)
        for number in doomed {
            let (table, key) = rows[number]
            keys[table].append(key)
        }
        return try base.tables.filter { keys[$0.number].count > 0 }.map { try removal(of: keys[$0.number], $0) }
    }

    /// Notes the effects of a row's deletion on the rows that refer to it.
    private func follow(_ number: Int, _ rows: RowSet, _ work: inout DeletionWorklist) throws {
        let (tableNumber, key) = rows[number]
        let table = base.tables[tableNumber]
        if table.incoming.isEmpty { return }
        guard let bytes = try engine.get(key, in: table.keyspace) else { return }
        try table.layout.read(bytes, key: key, into: session.cells)
        let name = session.cells[table.keyPosition]
        for incoming in table.incoming {
            try forEachReferrer(to: name, incoming) { referrer in
                work.note(rows.insert(incoming.reference.entity, referrer), incoming.reference)
            }
        }
    }

    /// Calls a closure with the engine's key of each row whose reference holds a key.
    private func forEachReferrer(
        to key: Cell, _ incoming: Table.Incoming, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let source = base.tables[incoming.reference.entity]
        let index = source.indexes[incoming.index]
        guard index.kinds[0].accepts(key) else { return }
        var encoder = KeyEncoder(session.otherKeyBuffer, limit: KeyFormat.indexPrefix)
        encoder.putTagged(key, as: index.kinds[0])
        let prefix = UnsafeRawBufferPointer(start: session.otherKeyBuffer, count: encoder.count)
        let cursor = try cursor(in: index.keyspace)
        var entry = try cursor.seek(atOrAfter: prefix)
        while let found = entry, hasPrefix(found.key, prefix) {
            guard let (_, rowKey) = index.split(found.key) else { throw index.outOfStep(source) }
            if encoder.isCut {
                guard let row = try engine.get(rowKey, in: source.keyspace) else { throw index.outOfStep(source) }
                try source.layout.read(row, key: rowKey, into: newCells)
                if areSame(newCells[incoming.reference.position], key) { try body(rowKey) }
            } else {
                try body(rowKey)
            }
            entry = try cursor.next()
        }
    }

    /// Removes the row whose cells are in the session, and its index entries.
    private func removeLoaded(_ table: Table, key: UnsafeRawBufferPointer) throws {
        for number in 0..<table.indexes.count {
            let slot = 2 * number
            slotCounts[slot] =
                try table.indexes[number].encode(session.cells, key: key, into: slots + slot * KeyFormat.bufferSize)
                .count
        }
        // Before the row is removed, because the cells may point into it.
        recorder?.delete(session.cells[table.keyPosition], from: table.number)
        try writing {
            guard try engine.delete(key, in: table.keyspace) else { throw table.layout.damaged() }
            for number in 0..<table.indexes.count { try removeEntry(2 * number, table.indexes[number], table) }
            return true
        }
    }
}
