// Most commits change a few records that an observed query has nothing to do with: another row of the same table. Asking
// the query again would find that out, at its full cost. So where a condition asks of a record's own attributes alone,
// each changed record is looked at: if it was not in the last answer and does not meet the condition now, the answer is
// the same. That holds of a query with a limit, for records beyond it come in only when one before them goes, and of none
// with an offset, whose answer moves with records before it that it does not show.

/// Tells whether a change of few records can matter to a query.
final class RowFilter: Sendable {
    /// Commits that change more records of the entity are not looked at so closely.
    static let limit = 64

    let entity: Int
    private let condition: ResolvedCondition?
    private let schema: Schema
    // Made and used by one only, the hub or the context that it was made for, one change after the other.
    nonisolated(unsafe) private var program: ConditionProgram?

    /// nil for a request whose answer depends on other records than it gives.
    init?(_ request: FetchRequest, in schema: Schema) {
        guard request.offset == 0, !request.isDistinct else { return nil }
        // Also of an order: it may lead to records of the same entity.
        if ReadSet(request).hasRelations { return nil }
        entity = request.entity
        condition = request.condition
        self.schema = schema
    }

    /// Whether a record meets the condition.
    func holds(_ row: StoredRow) throws -> Bool {
        guard let condition else { return true }
        let program = try self.program ?? ConditionProgram(condition, of: entity, in: UnrelatedRows(schema))
        self.program = program
        return try program.holds(row.cells)
    }
}

/// For conditions that ask of no other records.
private final class UnrelatedRows: RelatedRows {
    private let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    func entity(at position: Int) throws -> Entity { schema.entities[position] }
    func lookup(of entity: Int) throws -> any RowLookup { throw UnrelatedRows.refused }
    func referrers(of entity: Int, by position: Int) throws -> any ReferringRows { throw UnrelatedRows.refused }
    func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws { throw UnrelatedRows.refused }

    private static var refused: GranaryError {
        GranaryError(.invalidQuery, "The condition asks of related records, of which nothing is known here.")
    }
}
