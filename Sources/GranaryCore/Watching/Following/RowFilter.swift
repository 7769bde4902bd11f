// Most commits change a few records that do not concern an observed query: another row of the same table. Running the
// query again would find that out at its full cost. So if a condition uses only a record's own attributes, each changed
// record is checked: if it was not in the last answer and does not meet the condition now, the answer is the same. This
// is also true with a limit, because records beyond it enter the answer only when a record in the answer leaves it. It
// is not true with an offset: the answer then depends on earlier records that it does not show.

/// Decides whether changes of a few records can affect a query.
final class RowFilter: Sendable {
    /// If a commit changes more records of the entity, they are not checked one by one.
    static let limit = 64

    let entity: Int
    private let condition: ResolvedCondition?
    private let schema: Schema
    // Made and used by one owner only, the hub or the context that it was made for, one change after the other.
    nonisolated(unsafe) private var program: ConditionProgram?

    /// Nil for a request whose answer depends on other records than those it gives.
    init?(_ request: FetchRequest, in schema: Schema) {
        guard request.offset == 0, !request.isDistinct else { return nil }
        // This includes the order, which may lead to records of the same entity.
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

/// For conditions without related records.
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
