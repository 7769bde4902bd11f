import GranaryCore

// A deletion first works out everything it will do, with a list of rows still to be looked at and no recursion: rows that
// go by cascade join the list, rows that lose a reference are noted, rows that forbid it too. Only rows that stay can
// forbid: after the list is worked off, one that forbids and does not go itself makes the statement throw, and nothing has
// been written. Circles end because each row joins the list once.

/// A row by its table and its engine's key.
struct RowIdentity: Hashable {
    var table: Int
    var key: [UInt8]
}

extension KeyValueStoreWriter {
    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let table = try begin(entity)
        guard let (bytes, _) = try session.load(key, of: table) else { return false }
        if table.incoming.isEmpty {
            try removeLoaded(table, key: bytes)
        } else {
            try deleteFollowing([RowIdentity(table: table.number, key: Array(bytes))])
        }
        return true
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        let table = try begin(request.entity)
        if request.condition == nil && request.limit == nil && request.offset == 0 && table.incoming.isEmpty {
            let count = try engine.count(in: table.keyspace)
            if count > 0 {
                try writing {
                    try engine.deleteAll(in: table.keyspace)
                    for index in table.indexes { try engine.deleteAll(in: index.keyspace) }
                    return true
                }
            }
            return count
        }
        let keys = try collect(request)
        try deleteFollowing(keys.map { RowIdentity(table: table.number, key: $0) })
        return keys.count
    }

    private struct Deletion {
        var doomed: [RowIdentity]
        var isDoomed: Set<RowIdentity>
        var nullified: [RowIdentity] = []
        var nullifiedPositions: [RowIdentity: [Int]] = [:]
        var forbidding: [(row: RowIdentity, position: Int, of: Int)] = []
    }

    private func deleteFollowing(_ rows: [RowIdentity]) throws {
        var deletion = Deletion(doomed: rows, isDoomed: Set(rows))
        var next = 0
        while next < deletion.doomed.count {
            try follow(deletion.doomed[next], &deletion)
            next += 1
        }
        for (row, position, of) in deletion.forbidding where !deletion.isDoomed.contains(row) {
            throw store.tables[of].denied(by: store.tables[row.table], position)
        }
        for row in deletion.nullified where !deletion.isDoomed.contains(row) {
            let positions = deletion.nullifiedPositions[row] ?? []
            try row.key.withUnsafeBytes { key in
                try setAttributes(of: key, store.tables[row.table]) { cells in
                    for position in positions { cells[position] = .null }
                }
            }
        }
        for row in deletion.doomed {
            try row.key.withUnsafeBytes { key in
                let table = store.tables[row.table]
                guard let bytes = try engine.get(key, in: table.keyspace) else { return }
                try table.layout.read(bytes, key: key, into: session.cells)
                try removeLoaded(table, key: key)
            }
        }
    }

    /// Notes what the deletion of a row does to the rows that refer to it.
    private func follow(_ row: RowIdentity, _ deletion: inout Deletion) throws {
        let table = store.tables[row.table]
        if table.incoming.isEmpty { return }
        try row.key.withUnsafeBytes { key in
            guard let bytes = try engine.get(key, in: table.keyspace) else { return }
            try table.layout.read(bytes, key: key, into: session.cells)
        }
        let key = session.cells[table.keyPosition]
        for incoming in table.incoming {
            try forEachReferrer(to: key, incoming) { referrer in
                let identity = RowIdentity(table: incoming.table, key: Array(referrer))
                switch incoming.rule {
                case .cascade:
                    if deletion.isDoomed.insert(identity).inserted { deletion.doomed.append(identity) }
                case .nullify:
                    if deletion.nullifiedPositions[identity] == nil { deletion.nullified.append(identity) }
                    deletion.nullifiedPositions[identity, default: []].append(incoming.position)
                case .deny:
                    deletion.forbidding.append((identity, incoming.position, row.table))
                case .none: break
                }
            }
        }
    }

    /// Calls a closure with the engine's key of each row whose reference holds a key.
    private func forEachReferrer(
        to key: Cell, _ incoming: Table.Incoming, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let source = store.tables[incoming.table]
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
                if areSame(newCells[incoming.position], key) { try body(rowKey) }
            } else {
                try body(rowKey)
            }
            entry = try cursor.next()
        }
    }

    /// Removes the row whose cells are in the session, and its entries.
    private func removeLoaded(_ table: Table, key: UnsafeRawBufferPointer) throws {
        for number in 0..<table.indexes.count {
            let slot = 2 * number
            slotCounts[slot] =
                try table.indexes[number].encode(session.cells, key: key, into: slots + slot * KeyFormat.bufferSize)
                .count
        }
        try writing {
            guard try engine.delete(key, in: table.keyspace) else { throw table.layout.damaged() }
            for number in 0..<table.indexes.count { try removeEntry(2 * number, table.indexes[number], table) }
            return true
        }
    }
}
