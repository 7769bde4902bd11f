import GranaryStoreKit

// SQLite counts each row that an update matches, also one that is set to what it was, and such a row is no change. It
// matters only while nothing else has been changed: until then rows are looked at before they are written. Where changes
// are noted, what notes them knows.
extension SQLiteWriter {
    /// Whether the count of changes, which the commit goes by, is still at zero.
    @inline(__always) func isFirst(_ session: Session) -> Bool { recorder == nil && changes(session) == 0 }

    /// Whether the store has this very row. One that is damaged is another: what is written repairs it.
    func holds(_ row: borrowing Row, _ table: EntityStatements) throws -> Bool {
        let find = try table.statement(.find)
        try find.bind(row[table.layout.keyPosition], at: 1)
        guard try find.step() else { return false }
        defer { find.reset() }
        do { try find.loadRow() } catch let error as GranaryError where error.code == .corrupt { return false }
        for position in 0..<table.layout.count where !areSame(row[position], find.cells[position]) { return false }
        return true
    }

    /// Whether a row of the request has another value.
    func isChange(
        _ values: [Assignment], to request: FetchRequest, _ layout: EntityLayout, _ session: Session
    ) throws -> Bool {
        let lease = try session.lease(.anyOther(request, than: values, layout, session.bounds), nil)
        defer { session.giveBack(lease, isFinished: true) }
        return try lease.statement?.step() ?? false
    }
}
