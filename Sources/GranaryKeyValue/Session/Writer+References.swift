import GranaryStoreKit

extension KeyValueStoreWriter {
    /// - Throws: `danglingReference` if the row in ``newCells`` refers to a row that is not there. With `old`, references
    ///   that stay as they were are not looked at.
    func checkOutgoing(_ table: Table, old: UnsafeMutablePointer<Cell>? = nil) throws {
        guard state.deferrals.isEmpty else { return }
        for reference in table.outgoing {
            let cell = newCells[reference.position]
            if cell.isNull { continue }
            if let old, areSame(old[reference.position], cell) { continue }
            // A row may refer to itself.
            if reference.target == table.number && areSame(cell, newCells[table.keyPosition]) { continue }
            guard try session.exists(cell, in: store.tables[reference.target], using: session.otherKeyBuffer) else {
                throw table.dangling(reference.position)
            }
        }
    }

    func deferReferences() throws {
        try check()
        state.deferrals.append(state.deferredCount)
    }

    /// Remembers a row to look at in ``checkReferences()``.
    func deferCheck(_ key: UnsafeRawBufferPointer, _ table: Table) {
        if deferredRows.count > state.deferredCount {
            // What a rolled back savepoint had noted.
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
                let table = store.tables[number]
                guard let row = try engine.get(key, in: table.keyspace) else { continue }
                try table.layout.read(row, key: key, into: session.cells)
                for reference in table.outgoing {
                    let cell = session.cells[reference.position]
                    if cell.isNull { continue }
                    let target = store.tables[reference.target]
                    guard try session.exists(cell, in: target, using: session.otherKeyBuffer) else {
                        throw table.dangling(reference.position)
                    }
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
