import GranaryStoreKit

extension KeyValueStoreWriter {
    /// - Throws: `danglingReference` if the row in ``newCells`` refers to a row that does not exist. With `old`,
    ///   unchanged references are not checked.
    func checkOutgoing(_ table: Table, old: UnsafeMutablePointer<Cell>? = nil) throws {
        guard state.deferrals.isEmpty else { return }
        if let position = try session.danglingReference(of: newCells, table, replacing: old) {
            throw table.dangling(position)
        }
    }

    func deferReferences() throws {
        try check()
        state.deferrals.append(state.deferredCount)
    }

    /// Notes a row for ``checkReferences()``.
    func deferCheck(_ key: UnsafeRawBufferPointer, _ table: Table) {
        if deferredRows.count > state.deferredCount {
            // Removes the notes of a savepoint that was rolled back.
            deferredRows.removeLast(deferredRows.count - state.deferredCount)
        }
        withUnsafeBytes(of: UInt32(table.number)) { deferredRows.append(contentsOf: $0) }
        deferredRows.append(UInt8(truncatingIfNeeded: key.count))
        deferredRows.append(contentsOf: key)
        state.deferredCount = deferredRows.count
    }

    func checkReferences() throws {
        try check()
        guard let start = state.deferrals.last else { return }
        try deferredRows.withUnsafeBytes { rows in
            var place = start
            while place + 5 <= state.deferredCount {
                let number = Int(rows.loadUnaligned(fromByteOffset: place, as: UInt32.self))
                let count = Int(rows[place + 4])
                let key = UnsafeRawBufferPointer(rebasing: rows[(place + 5)..<(place + 5 + count)])
                place += 5 + count
                // The row may have been changed or deleted since.
                let table = base.tables[number]
                guard let row = try engine.get(key, in: table.keyspace) else { continue }
                try table.layout.read(row, key: key, into: session.cells)
                if let position = try session.danglingReference(of: session.cells, table) {
                    throw table.dangling(position)
                }
            }
        }
        state.deferrals.removeLast()
        if state.deferrals.isEmpty {
            deferredRows.removeAll(keepingCapacity: true)
            state.deferredCount = 0
        }
    }
}
