/// A condition prepared for testing many rows: for a store that finds the rows of a request itself.
///
/// ```swift
/// let condition = try RowCondition(request.condition, of: request.entity, in: reader)
/// for row in rows where try condition.holds(for: row) { … }
/// ```
///
/// It has the same meaning as in every store, for nil, foldings, exact numbers and texts. It reads related records from
/// the source. Cost: comparisons of attributes with values allocate nothing. For one thread at a time.
public final class RowCondition {
    private let program: ConditionProgram?

    /// - Parameters:
    ///   - condition: Nil for a condition that always holds.
    ///   - entity: The position of the rows' entity.
    ///   - source: The source for related records.
    /// - Throws: `unknownEntity`, `invalidQuery` if a text pattern is not valid.
    public init(_ condition: ResolvedCondition?, of entity: Int, in source: any RowSource) throws {
        let related = SourceRelatedRows(source)
        _ = try related.entity(at: entity)
        program = try condition.map { try ConditionProgram($0, of: entity, in: related) }
    }

    /// Whether a row meets the condition.
    ///
    /// - Throws: What arithmetic and the source throw.
    public func holds(for row: StoredRow) throws -> Bool { try program?.holds(row.cells) ?? true }
}
