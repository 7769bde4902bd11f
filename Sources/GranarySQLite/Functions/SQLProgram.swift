import GranaryStoreKit

/// The expression of one `granary_compute` of a statement, run by core's program on a row of the call's arguments.
final class SQLProgram {
    private let program: ExpressionProgram
    private let count: Int
    // Filled by each call before the program reads it. Allocated in init, freed in deinit, never handed out.
    private let row: UnsafeMutablePointer<Cell>

    /// - Parameters:
    ///   - entity: The entity whose rows the expression is computed for.
    ///   - count: The number of arguments, which are the attributes of the expression.
    init(_ expression: ResolvedExpression, of entity: Entity, arguments count: Int) throws {
        program = try ExpressionProgram(ofValues: expression, for: entity)
        self.count = count
        row = .allocate(capacity: count + 1)
        row.initialize(repeating: .null, count: count + 1)
    }

    deinit { row.deallocate() }

    /// The value for a call. Its bytes stay valid until the next call, or belong to the arguments.
    ///
    /// - Throws: `overflow`, `range`, `typeMismatch`, `corrupt`, like the operations; `typeMismatch` for a call that is
    ///   not the statement's own.
    func value(_ arguments: SQLArguments) throws -> Cell {
        guard arguments.count == count else { throw SQLFunctions.misuse }
        for position in 0..<count { row[position] = arguments[position] }
        return try program.value(row)
    }
}
