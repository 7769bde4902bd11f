/// A condition made ready to be asked of many rows: for a store that finds the rows of a request by itself.
///
/// ```swift
/// let condition = try RowCondition(request.condition, of: request.entity, in: reader)
/// for row in rows where try condition.holds(for: row) { … }
/// ```
///
/// It means what it means in every store: nil, folding, exact numbers and texts are as they should be. What it says of related
/// records it asks the source. Cost: comparisons of attributes with values allocate nothing. For one thread at a time.
public final class RowCondition {
    private let program: ConditionProgram?

    /// - Parameters:
    ///   - condition: Nil for one that always holds.
    ///   - entity: The position of the entity that the rows are of.
    ///   - source: Where related records are looked up.
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
