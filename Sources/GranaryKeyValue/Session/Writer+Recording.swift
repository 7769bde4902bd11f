import GranaryStoreKit

// A row is noted when what was done to it has succeeded; but a row that is deleted, whose key may lie in the engine's
// memory, before. So a statement that deletes is noted as a whole or, if it throws, not at all.

extension KeyValueStoreWriter {
    func record(into recorder: ChangeRecorder) throws {
        try check()
        // So that the ends of savepoints that are open have their beginnings.
        for _ in savepoints { recorder.beginSavepoint() }
        self.recorder = recorder
    }

    /// Runs a statement; if it throws, nothing that it noted stays.
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

    /// The attributes that ``newCells`` change, none of them before a position.
    @inline(never)
    func changes(_ table: Table, _ old: UnsafeMutablePointer<Cell>, from start: Int) -> AttributeSet {
        var changed = AttributeSet()
        for position in start..<table.kinds.count where !areSame(old[position], newCells[position]) {
            changed.insert(position)
        }
        return changed
    }

    /// Notes that every row of a table is deleted, if anybody wants to know: this reads them all.
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
