import GranaryStoreKit

// SQLite counts each row that an update matches, including rows that are set to their old values, which is not a
// change. This matters only while nothing else has been changed: until then rows are compared before they are written.
// If changes are recorded, the recorder knows them.
extension SQLiteWriter {
    /// Whether the count of changes, which decides whether there is a commit, is still zero.
    @inline(__always) func isFirst(_ session: Session) -> Bool { recorder == nil && changes(session) == changesBefore }

    /// Whether the store has exactly this row. A damaged row differs, so that writing repairs it.
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
