internal import CSQLite
import GranaryCore

extension SQLiteWriter {
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let session = try writable()
        let table = try session.table(request.entity)
        let layout = table.layout
        for assignment in values {
            guard layout.kinds.indices.contains(assignment.position), assignment.position != layout.keyPosition else {
                throw GranaryError(
                    .invalidQuery, "A key, or an attribute there is not, cannot be set.", entity: layout.name)
            }
            try assignment.value.withCell { try layout.check($0, at: assignment.position) }
        }
        guard !values.isEmpty else { return try session.value(.count(request, layout, session.bounds)) }
        if layout.hasChecksum {
            return try atomically(session) { try updateEach(request, setting: values, table, session) }
        }
        do {
            return try session.change(.updateAll(request, setting: values, layout, session.bounds))
        } catch {
            throw explained(error, layout, session, values.map { ($0.position, $0.value) })
        }
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        let session = try writable()
        let table = try session.table(request.entity)
        let layout = table.layout
        if catalog.hasChecksums && layout.nullifiesSomething {
            return try deleteNullifying(keys(request, layout, session), table, session)
        }
        do {
            // A row may be gone by a cascade from another before its turn comes, and is not counted then.
            let matched = layout.cascadesToItself ? try session.value(.count(request, layout, session.bounds)) : nil
            let changed = try session.change(.deleteAll(request, layout, session.bounds))
            return matched ?? changed
        } catch {
            throw denied(error, layout, session) {
                _ = try session.change(.deleteAll(request, layout, session.bounds))
            }
        }
    }

    func keys(_ request: FetchRequest, _ layout: EntityLayout, _ session: Session) throws -> [StoredValue] {
        let lease = try session.lease(.keys(request, layout, session.bounds), nil)
        defer { session.giveBack(lease, isFinished: true) }
        return try (lease.statement?.values() ?? []).compactMap(\.first)
    }

    /// Runs statements as one: all of them, or none.
    func atomically<T>(_ session: Session, _ body: () throws -> T) throws -> T {
        let before = changes(session)
        try session.connection.execute("SAVEPOINT \"granary:statement\"")
        do {
            let result = try body()
            try session.connection.execute("RELEASE \"granary:statement\"")
            return result
        } catch {
            _ = note(error)
            if !session.connection.isInAutocommit {
                try session.connection.execute("ROLLBACK TO \"granary:statement\"; RELEASE \"granary:statement\"")
                session.uncountedChanges += changes(session) - before
            }
            throw error
        }
    }
}

// With row checksums every changed row passes through here: it is read, which checks it, changed, and written with a
// new checksum. An `UPDATE` of SQLite's own would leave the old one, and a checksum made of a row that nobody has
// checked would make its damage permanent.
extension SQLiteWriter {
    private func updateEach(
        _ request: FetchRequest, setting values: [Assignment], _ table: EntityStatements, _ session: Session
    ) throws -> Int {
        let keys = try keys(request, table.layout, session)
        for key in keys { try set(values, ofRowWith: key, table, session) }
        return keys.count
    }

    private func set(
        _ values: [Assignment], ofRowWith key: StoredValue, _ table: EntityStatements, _ session: Session
    ) throws {
        let layout = table.layout
        let find = try table.statement(.find)
        var writer = RowWriter(count: layout.count)
        try key.withCell { cell in
            try find.bind(cell, at: 1)
            guard try find.step() else { return }
            try find.loadRow()
            for position in 0..<layout.count { try writer.setCopy(of: find.cells[position], at: position) }
        }
        find.reset()
        for assignment in values { try assignment.value.encode(into: &writer, at: assignment.position) }
        try writer.withRow { row in
            let update = try table.statement(.update)
            try update.bind(row, of: layout)
            try bindChecksum(row, update, layout)
            do {
                try update.run()
            } catch {
                throw explained(error, row, layout, session)
            }
        }
    }

    /// Deletes rows, and before that sets to nil what would be set to nil by SQLite.
    func deleteNullifying(_ keys: [StoredValue], _ table: EntityStatements, _ session: Session) throws -> Int {
        try atomically(session) {
            var reached = Set(keys.map { Reached(entity: table.layout.index, key: $0) })
            var pending = Array(reached)
            while let deleted = pending.popLast() {
                for referrer in catalog.layouts[deleted.entity].referrers where referrer.rule != .deny {
                    let layout = catalog.layouts[referrer.entity]
                    let request = FetchRequest(
                        entity: referrer.entity,
                        condition: .compare(position: referrer.position, .equal, deleted.key))
                    for key in try self.keys(request, layout, session) {
                        if referrer.rule == .nullify {
                            let none = Assignment(position: referrer.position, value: .null)
                            try set([none], ofRowWith: key, session.table(referrer.entity), session)
                        } else {
                            let child = Reached(entity: referrer.entity, key: key)
                            if reached.insert(child).inserted { pending.append(child) }
                        }
                    }
                }
            }
            var found = 0
            for key in keys {
                // A cascade from an earlier one may have deleted it: it was there all the same.
                let request = FetchRequest(
                    entity: table.layout.index,
                    condition: .compare(position: table.layout.keyPosition, .equal, key))
                found += try session.value(.count(request, table.layout, session.bounds))
            }
            try deleteTogether(keys, table, session)
            return found
        }
    }

    private struct Reached: Hashable {
        var entity: Int
        var key: StoredValue
    }

    /// One statement, so that only what survives all of it denies.
    private func deleteTogether(_ keys: [StoredValue], _ table: EntityStatements, _ session: Session) throws {
        guard !keys.isEmpty else { return }
        let layout = table.layout
        let request = FetchRequest(
            entity: layout.index, condition: .among(position: layout.keyPosition, keys.sorted()))
        do {
            _ = try session.change(.deleteAll(request, layout, session.bounds))
        } catch {
            throw denied(error, layout, session) {
                _ = try session.change(.deleteAll(request, layout, session.bounds))
            }
        }
    }
}
