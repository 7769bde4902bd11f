import GranaryStoreKit

// Rows are removed table by table, and in each keyspace in the order of its keys: so each page is touched once, and the
// engine goes from one key to the next and not down from the root for each. All rows are read before the first is
// removed.

/// Rows of one table that are to be removed, and their entries in each index.
struct Removal {
    let table: Table
    var rows = KeyList()
    var entries: ContiguousArray<KeyList>

    init(_ table: Table) {
        self.table = table
        entries = ContiguousArray(repeating: KeyList(), count: table.indexes.count)
    }
}

extension KeyValueStoreWriter {
    /// Reads rows of a table, and notes that they are removed. Missing rows are left out.
    func removal(of keys: KeyList, _ table: Table) throws -> Removal {
        var removal = Removal(table)
        try keys.withSorted { keys in
            let cursor = try cursor(in: table.keyspace)
            for key in keys {
                guard let found = try cursor.seek(atOrAfter: key), areEqual(found.key, key) else { continue }
                try table.layout.read(table.entryColumns, of: found.value, key: key, into: session.cells)
                removal.rows.append(key)
                for number in removal.entries.indices {
                    let count = try table.indexes[number].encode(session.cells, key: key, into: slots).count
                    removal.entries[number].append(UnsafeRawBufferPointer(start: slots, count: count))
                }
                recorder?.delete(session.cells[table.keyPosition], from: table.number)
            }
        }
        return removal
    }

    func remove(_ removal: Removal) throws {
        if removal.rows.count == 0 { return }
        let table = removal.table
        try writing {
            guard try delete(removal.rows, in: table.keyspace) else { throw table.layout.damaged() }
            for (index, entries) in zip(table.indexes, removal.entries) {
                guard try delete(entries, in: index.keyspace) else { throw index.outOfStep(table) }
            }
            return true
        }
    }

    /// Returns whether all keys existed.
    private func delete(_ keys: KeyList, in keyspace: Keyspace) throws -> Bool {
        try keys.withSorted { try engine.delete($0, in: keyspace) == $0.count }
    }
}
