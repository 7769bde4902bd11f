import CSQLite
import GranaryStoreKit

extension SQLiteWriter {
    /// Runs a statement of the user. Returns the number of rows that it changed itself.
    func executeRaw(_ sql: SQL) throws -> Int {
        let session = try writable()
        let (statement, touched) = try session.prepareRaw(sql, .writing)
        defer { statement.finalize() }
        // It may have assigned keys.
        lastKeys.removeAll()
        let watched = catalog.layouts.filter { isWatched($0, touched) }
        return try atomically(session) {
            let watch = RowWatch(watched, session)
            try watch.begin()
            try raiseKeys(of: touched.inserted, session)
            do {
                try statement.run()
            } catch {
                throw explainedRaw(error, touched, session) { try statement.run() }
            }
            let changed = session.connection.changes
            try watch.end()
            try noteKeys(of: touched.inserted, session)
            for layout in watched { try check(layout, watch, session) }
            return changed
        }
    }

    /// Whether the rows that a statement writes to an entity must be checked.
    private func isWatched(_ layout: EntityLayout, _ touched: StatementAuthorizer.Touched) -> Bool {
        let isInserted = touched.inserted.contains(layout.index)
        let updated = touched.updated[layout.index] ?? []
        guard isInserted || !updated.isEmpty else { return false }
        if layout.hasChecksum { return true }
        if let deferral = deferrals.last, deferral.beganDangling, !layout.references.isEmpty { return true }
        let attributes = layout.entity.attributes
        return isInserted ? attributes.contains(where: \.isNarrow) : updated.contains { attributes[$0].isNarrow }
    }

    /// Checks the written rows, and gives them their checksums.
    private func check(_ layout: EntityLayout, _ watch: RowWatch, _ session: Session) throws {
        if layout.hasChecksum {
            let replaced = try watch.replaced(layout)
            defer { replaced.finalize() }
            while try replaced.step() { try replaced.loadRow() }
        }
        let written = try watch.written(layout)
        defer { written.finalize() }
        var sums: [(key: StoredValue, sum: Int64)] = []
        var cells: [Cell] = Array(repeating: .null, count: layout.count)
        let isNoted = deferrals.last?.beganDangling ?? false && !layout.references.isEmpty
        let rules = layout.entity.attributes.map(ContentRule.init)
        while try written.step() {
            for position in rules.indices {
                let cell = written.cell(at: Int32(position))
                guard rules[position].holds(cell) else { throw GranaryError.refused(cell, layout.entity, position) }
                cells[position] = cell
            }
            let key = StoredValue(cells[layout.keyPosition])
            if isNoted, let last = deferrals.indices.last { deferrals[last].rows.append((layout.index, key)) }
            if layout.hasChecksum {
                sums.append((key, cells.withUnsafeMutableBufferPointer { layout.sum(of: $0) }))
            }
        }
        written.reset()
        for (key, sum) in sums {
            let setting = try session.table(layout.index).statement(.setChecksum)
            try setting.bind(.integer(sum), at: 1)
            try key.withCell {
                try setting.bind($0, at: 2)
                try setting.run()
            }
        }
    }

    /// The error of a user's failed statement. `again` runs it once more, to find the reference that would dangle.
    @inline(never) private func explainedRaw(
        _ error: any Error, _ touched: StatementAuthorizer.Touched, _ session: Session, _ again: () throws -> Void
    ) -> any Error {
        guard let failure = error as? GranaryError, let cause = failure.underlying,
            cause.code & 0xFF == SQLITE_CONSTRAINT
        else { return Session.explainedRaw(error) }
        guard cause.code == granary_SQLITE_CONSTRAINT_FOREIGNKEY else {
            // Its message ends with the table and the column.
            let name = cause.message.split { $0 == " " || $0 == "." }.dropLast().last.map(String.init)
            let layout = catalog.layouts.first { $0.name == SQLiteWriter.table(in: cause.message) ?? name }
            guard let layout = layout ?? touched.only(catalog) else { return failure }
            return explained(error, layout, session, [])
        }
        do {
            let broken = try brokenReference(session, again)
            if let layout = touched.deleted.min().map({ catalog.layouts[$0] }) {
                return GranaryError.denied(layout, by: broken, catalog).causedBy(cause)
            }
            guard let broken else {
                return GranaryError.dangling(of: touched.only(catalog)?.entity).causedBy(cause)
            }
            return GranaryError.dangling(catalog.layouts[broken.entity].entity, broken.position).causedBy(cause)
        } catch {
            return note(error)
        }
    }

    /// The table in a message of SQLite about columns: "UNIQUE constraint failed: Artist.name, Artist.born".
    private static func table(in message: String) -> String? {
        guard let colon = message.firstIndex(of: ":") else { return nil }
        return message[message.index(after: colon)...].split { $0 == " " || $0 == "." }.first.map(String.init)
    }
}

extension StatementAuthorizer.Touched {
    /// The single entity that the statement wrote to.
    fileprivate func only(_ catalog: Catalog) -> EntityLayout? {
        inserted.union(updated.keys).min().map { catalog.layouts[$0] }
    }
}

extension Attribute {
    /// Whether the column accepts values that the attribute does not.
    fileprivate var isNarrow: Bool {
        switch type {
        // Columns of these types accept the same values; a bool has a check of its own.
        case .bool, .int64, .scaledDecimal, .double, .date, .data: false
        case .int8, .int16, .int32, .uint8, .uint16, .uint32, .uint64, .float, .decimal, .string, .url, .json, .uuid:
            true
        }
    }
}

extension EntityLayout {
    fileprivate func sum(of cells: UnsafeMutableBufferPointer<Cell>) -> Int64 {
        cells.baseAddress.map { checksum(of: UnsafePointer($0)) } ?? 0
    }
}
