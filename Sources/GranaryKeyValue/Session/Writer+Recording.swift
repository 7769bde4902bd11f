import GranaryStoreKit

// A change of a row is recorded after it has succeeded. A deletion is recorded before, because the row's key may be in
// the engine's memory. So a statement that deletes is recorded completely or, if it throws, not at all.

extension KeyValueStoreWriter {
    func record(into recorder: ChangeRecorder) throws {
        try check()
        // Gives the ends of open savepoints their beginnings.
        for _ in savepoints { recorder.beginSavepoint() }
        self.recorder = recorder
    }

    /// Runs a statement; if it throws, nothing that it recorded stays.
    @inline(__always) func notingAllOrNone(_ body: () throws -> Void) throws {
        guard let recorder else { return try body() }
        recorder.beginSavepoint()
        do {
            try body()
        } catch {
            recorder.rollbackSavepoint()
            throw error
        }
        recorder.releaseSavepoint()
    }

    /// The attributes that ``newCells`` change, starting at a position.
    @inline(never)
    func changes(_ table: Table, _ old: UnsafeMutablePointer<Cell>, from start: Int) -> AttributeSet {
        var changed = AttributeSet()
        for position in start..<table.kinds.count where !areSame(old[position], newCells[position]) {
            changed.insert(position)
        }
        return changed
    }

    /// Records the deletion of every row of a table, if there is a recorder: this reads all rows.
    func noteDeletion(ofAll table: Table) throws {
        guard let recorder else { return }
        let cursor = try engine.cursor(in: table.keyspace)
        var entry = try cursor.first()
        while let found = entry {
            if let key = table.keyCell(found.key) {
                recorder.delete(key, from: table.number)
            } else {
                try table.layout.read(found.value, key: found.key, into: session.cells)
                recorder.delete(session.cells[table.keyPosition], from: table.number)
            }
            entry = try cursor.next()
        }
    }
}
