package import GranaryStoreKit

// A seed that is an SQLite store with the same tables is copied with SQLite's own backup, page by page. Pages may
// contain things that a copy of the records would not have: other tables, other settings of the file, a history, free
// space, damage. So the seed is examined first, and if it has any of these, its records are copied instead.
//
// Everything that is examined and copied is one state of the seed, in one read transaction. A backup would copy a
// damaged page unchanged. So SQLite checks the structure of every page, and every record is read, as in a copy of
// records. This does not find index entries that disagree with the records: `verify` finds them.

extension SQLiteStore: ContentsTaking {
    package func takeContents(of source: any Store, ending end: FillingEnd) throws -> Bool {
        guard options.isBuilding, let source = source as? SQLiteStore else { return false }
        let cancellation = LongWork.current?.cancellation ?? CancellationFlag()
        guard let reader = try? source.beginRead(cancellation) as? SQLiteReader else { return false }
        defer { reader.end() }
        let seed: SeedPages
        do {
            seed = try SeedPages(reader)
            guard try seed.fit(self), try seed.areSound() else { return false }
        } catch {
            try LongWork.checkCancellation()
            return false
        }
        try copyPages(of: seed)
        try LongWork.checkCancellation()
        guard let writer = try beginWrite() as? SQLiteWriter else { throw GranaryError.cannotBeFilled }
        defer { writer.end() }
        for (number, entity) in schema.entities.enumerated() {
            let found = try writer.count(FetchRequest(entity: number))
            guard found == seed.counts[number] else {
                throw GranaryError.copyDiffers(entity, found: found, written: seed.counts[number])
            }
        }
        try writer.finishTaking(end)
        _ = try writer.commit()
        return true
    }

    private func copyPages(of seed: SeedPages) throws {
        let session = try writeSession()
        do {
            // The next connection reads all new pages.
            defer { dropWriteSession(session) }
            try SQLiteStore.copyPages(of: seed.connection, to: session.connection) { seed.tell($0, of: $1) }
        }
        // The pages declare a log for changes. A store that is being built has none.
        _ = try writeSession().connection.values("PRAGMA journal_mode = DELETE")
    }
}

/// One state of a store that is copied by pages. Progress counts reading its records as the first half of the work, and
/// copying its pages as the second.
private struct SeedPages {
    let reader: SQLiteReader
    let connection: Connection
    /// The number of records of each entity.
    let counts: [Int]
    private let total: Int

    init(_ reader: SQLiteReader) throws {
        self.reader = reader
        connection = try reader.live().connection
        if connection.isInAutocommit { try connection.execute("BEGIN") }
        counts = try reader.schema.entities.indices.map { try reader.count(FetchRequest(entity: $0)) }
        total = counts.reduce(0, +)
    }

    /// Whether the pages are like those of a new store, with little free space.
    func fit(_ new: SQLiteStore) throws -> Bool {
        let metadata = try StoreMetadata(connection, isStrict: true)
        let hasChecksums = new.catalog.hasChecksums
        guard metadata.rowChecksums == hasChecksums, metadata.schema.hasRows(of: new.schema) else { return false }
        // Another stack that has the seed open may have declared the schema in another order.
        guard reader.schema.hasRows(of: new.schema) else { return false }
        let objects = SchemaSQL(metadata.schema, hasChecksums: hasChecksums).objects
        guard Set(objects) == Set(SchemaSQL(new.schema, hasChecksums: hasChecksums).objects) else { return false }
        if try reader.live().hasHistory() {
            let entries = try connection.values("SELECT 1 FROM \"granary:history\" LIMIT 1")
            guard entries.isEmpty else { return false }
        }
        let mine = try new.writeSession().connection
        for setting in ["page_size", "encoding", "auto_vacuum"] {
            let values = try connection.values("PRAGMA \(setting)")
            guard try mine.values("PRAGMA \(setting)") == values else { return false }
        }
        let (free, pages) = (try number("freelist_count"), try number("page_count"))
        return free <= pages / 4
    }

    private func number(_ name: String) throws -> Int64 {
        guard case .integer(let number)? = try connection.values("PRAGMA \(name)").first?.first else { return 0 }
        return number
    }

    /// Checks the structure of all pages, and reads all records.
    func areSound() throws -> Bool {
        tell(0, of: 1, from: 0, to: total / 2)
        guard try connection.values("PRAGMA quick_check(1)") == [[.string("ok")]] else { return false }
        var read = 0
        for number in reader.schema.entities.indices {
            let before = read
            let rows = try reader.rows(FetchRequest(entity: number))
            defer { withExtendedLifetime(rows) {} }
            while try rows.next() != nil {
                read += 1
                if read % StoreProgress.interval == 0 { tell(read, of: total, from: 0, to: total / 2) }
            }
            guard read - before == counts[number] else { return false }
        }
        return true
    }

    /// Reports the number of copied pages.
    func tell(_ copied: Int, of pages: Int) { tell(copied, of: pages, from: total / 2, to: total) }

    private func tell(_ done: Int, of all: Int, from start: Int, to end: Int) {
        let part = Double(done) / Double(max(1, all))
        let records = min(end, start + Int(Double(end - start) * part))
        LongWork.current?.onProgress?(StoreProgress(entity: "", records: records, total: total))
    }
}

extension SQLiteWriter {
    /// Turns copied pages of another store into those of this new store.
    fileprivate func finishTaking(_ end: FillingEnd) throws {
        let session = try writable()
        do {
            session.endStatements()
            // A new store does not have these tables before they are needed.
            for table in ["granary:history", "sqlite_stat1", "sqlite_stat4"] {
                try session.connection.execute("DROP TABLE IF EXISTS \(EntitySQL.quoted(table))")
            }
            try StoreMetadata(schema: schema, rowChecksums: catalog.hasChecksums).write(session.connection)
            for layout in catalog.layouts where layout.isAssigned {
                guard end.lastAssignedKeys.indices.contains(layout.index) else { continue }
                try raiseLastKey(of: layout, to: end.lastAssignedKeys[layout.index], session)
                coordinator.noteAssignedKey(try session.lastAssignedKey(layout), of: layout.index)
            }
            filledNumber = end.transactionNumber
        } catch {
            throw note(error)
        }
    }
}
