import CSQLite
import GranaryStoreKit

extension SQLiteWriter {
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let session = try writable()
        let table = try session.table(request.entity)
        do {
            return try updateAll(request, setting: values, table, session)
        } catch {
            throw table.layout.named(error)
        }
    }

    private func updateAll(
        _ request: FetchRequest, setting values: [Assignment], _ table: EntityStatements, _ session: Session
    ) throws -> Int {
        let layout = table.layout
        try layout.entity.check(values)
        guard !values.isEmpty else { return try session.value(.count(request, layout, session.bounds)) }
        if isFirst(session), try !isChange(values, to: request, layout, session) {
            return try session.value(.count(request, layout, session.bounds))
        }
        if layout.hasChecksum || values.contains(where: { !layout.canAdd($0) }) {
            return try atomically(session) { try updateEach(request, setting: values, table, session) }
        }
        do {
            let text = SQLText.updateAll(request, setting: values, layout, session.bounds)
            // SQLite does not undo earlier rows when a STRICT table refuses a row.
            guard values.allSatisfy({ $0.operation == .set }) else {
                return try atomically(session) { try session.change(text) }
            }
            return try noting(session) { try session.change(text) }
        } catch {
            let assigned = values.filter { $0.operation == .set }
            if assigned.count < values.count, let cause = (error as? GranaryError)?.underlying,
                let overflow = layout.overflow(in: cause)
            {
                throw overflow.causedBy(cause)
            }
            throw explained(error, layout, session, assigned.map { ($0.position, $0.value) })
        }
    }

    func keys(_ request: FetchRequest, _ layout: EntityLayout, _ session: Session) throws -> [StoredValue] {
        let lease = try session.lease(.keys(request, layout, session.bounds), nil)
        defer { session.giveBack(lease, isFinished: true) }
        return try (lease.statement?.values() ?? []).compactMap(\.first)
    }

    /// Runs statements as one: all of them, or none.
    func atomically<T>(_ session: Session, _ body: () throws -> T) throws -> T {
        try session.connection.execute("SAVEPOINT \"granary:statement\"")
        do {
            return try noting(session) {
                let result = try body()
                try session.connection.execute("RELEASE \"granary:statement\"")
                return result
            }
        } catch {
            _ = note(error)
            if !session.connection.isInAutocommit {
                try session.connection.execute("ROLLBACK TO \"granary:statement\"; RELEASE \"granary:statement\"")
            }
            throw error
        }
    }
}

// Sums that SQLite cannot compute correctly, such as those of decimals, are computed here. With row checksums every
// changed row passes through here: it is read, which checks it, changed, and written with a new checksum. An `UPDATE`
// of SQLite's own would leave the old one, and a new checksum over an unchecked row would make its damage permanent.
extension SQLiteWriter {
    private func updateEach(
        _ request: FetchRequest, setting values: [Assignment], _ table: EntityStatements, _ session: Session
    ) throws -> Int {
        let keys = try keys(request, table.layout, session)
        for key in keys { try set(values, ofRowWith: key, table, session) }
        return keys.count
    }

    func set(
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
            for assignment in values {
                let position = assignment.position
                let isSum = assignment.operation == .add
                let value =
                    isSum
                    ? try layout.entity.sum(of: find.cells[position], adding: assignment.value, at: position)
                    : assignment.value
                try value.encode(into: &writer, at: position)
            }
        }
        find.reset()
        try writer.withRow { row in
            let update = try table.statement(.update)
            try update.bind(row, of: layout)
            if layout.hasChecksum { try bindChecksum(row, update, layout) }
            do {
                try update.run()
            } catch {
                throw explained(error, row, layout, session)
            }
        }
    }
}
