import GranaryStoreKit

// SQLite makes keys: one more than the greatest there has been. But contexts have been given keys that are in no row
// yet, and other threads may give them more at any time. So the coordinator is asked for the key: if it differs from
// the one that SQLite would make, it is written here.
//
// SQLite returns SQLITE_FULL after the last possible key, and has then rolled the transaction back: so this is detected
// beforehand.

extension SQLiteReader {
    final func lastAssignedKey(of entity: Int) throws -> Int64 {
        let session = try live()
        return try session.lastAssignedKey(session.table(entity).layout)
    }
}

extension SQLiteWriter {
    /// Binds the key for the row if it has none; ``noteKey(_:of:)`` notes it after the row is written.
    @inline(__always) func prepareKey(
        _ key: Cell, _ statement: Statement, _ layout: EntityLayout, _ session: Session
    ) throws {
        let last = try knownLastKey(layout, session)
        guard key.integerValue == 0 else {
            if key.integerValue > last { coordinator.noteAssignedKey(key.integerValue, of: layout.index) }
            return
        }
        guard last < Int64.max, let key = coordinator.assignKey(of: layout.index, after: last) else {
            throw SQLiteWriter.noKeyLeft(layout)
        }
        let made: Cell = key == last + 1 ? .null : .integer(key)
        try statement.bind(made, at: Int32(truncatingIfNeeded: layout.keyPosition &+ 1))
    }

    /// Notes a written key.
    @inline(__always) func noteKey(_ key: Int64, of layout: EntityLayout) {
        guard layout.index < lastKeys.count, key > lastKeys[layout.index] else { return }
        lastKeys[layout.index] = key
    }

    private static let unknown = Int64.min

    @inline(__always) private func knownLastKey(_ layout: EntityLayout, _ session: Session) throws -> Int64 {
        if layout.index < lastKeys.count, lastKeys[layout.index] != SQLiteWriter.unknown {
            return lastKeys[layout.index]
        }
        return try askLastKey(layout, session)
    }

    @inline(never) private func askLastKey(_ layout: EntityLayout, _ session: Session) throws -> Int64 {
        if lastKeys.isEmpty { lastKeys = Array(repeating: SQLiteWriter.unknown, count: catalog.layouts.count) }
        let last = try session.lastAssignedKey(layout)
        lastKeys[layout.index] = last
        return last
    }

    /// Makes SQLite assign keys greater than those given to contexts, for a statement that is not this library's.
    func raiseKeys(of entities: Set<Int>, _ session: Session) throws {
        for layout in entities.lazy.map({ self.catalog.layouts[$0] }) where layout.isAssigned {
            let reserved = coordinator.greatestReservedKey(of: layout.index)
            try raiseLastKey(of: layout, to: reserved, session)
        }
    }

    /// Makes SQLite assign keys greater than `key`.
    func raiseLastKey(of layout: EntityLayout, to key: Int64, _ session: Session) throws {
        guard try key > session.lastAssignedKey(layout) else { return }
        try session.uncounted {
            let values: [StoredValue] = [.integer(key), .string(layout.name)]
            guard try session.run("UPDATE sqlite_sequence SET seq = ?1 WHERE name = ?2", binding: values) == 0 else {
                return
            }
            _ = try session.run("INSERT INTO sqlite_sequence (seq, name) VALUES (?1, ?2)", binding: values)
        }
    }

    /// Makes the coordinator give contexts keys greater than those that such a statement has written.
    func noteKeys(of entities: Set<Int>, _ session: Session) throws {
        for layout in entities.lazy.map({ self.catalog.layouts[$0] }) where layout.isAssigned {
            coordinator.noteAssignedKey(try session.lastAssignedKey(layout), of: layout.index)
        }
    }

    private static func noKeyLeft(_ layout: EntityLayout) -> GranaryError { .noKeyLeft(layout.entity) }
}
