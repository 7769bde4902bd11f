/// An aggregate over the records that refer to the current one.
final class RelatedAggregatePart: ExpressionPart {
    private let referrers: any ReferringRows
    private let condition: ConditionProgram?
    /// Nil to count the records.
    private let expression: ExpressionProgram?
    private let empty: Accumulator
    private let isDistinct: Bool
    private let held = HeldCell()
    private let scratch = CellBytes()

    init(_ aggregate: RelatedAggregate, in related: any RelatedRows) throws {
        referrers = try related.referrers(of: aggregate.entity, by: aggregate.position)
        condition = try aggregate.condition.map { try ConditionProgram($0, of: aggregate.entity, in: related) }
        var counted = aggregate.expression
        // An attribute that is never nil has one value in every record.
        if let value = counted, aggregate.function == .count, !aggregate.isDistinct, !value.isOptional,
            value.position != nil
        {
            counted = nil
        }
        expression = try counted.map { try ExpressionProgram($0.expression, of: aggregate.entity, in: related) }
        empty = Accumulator(aggregate.function, of: aggregate.expression?.type ?? .int64)
        isDistinct = aggregate.isDistinct
    }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        try referrers.begin(left)
        guard let expression else { return .integer(try count()) }
        var accumulator = empty
        let seen = isDistinct ? ByteTable() : nil
        while let cells = try referrers.next() {
            if let condition, try !condition.holds(cells) { continue }
            let cell = try expression.value(cells)
            if let seen, !cell.isNull {
                scratch.clear()
                scratch.append(cell)
                if !seen.insert(scratch.bytes).isNew { continue }
            }
            accumulator.add(cell)
        }
        return held.keep(try accumulator.result())
    }

    private func count() throws -> Int64 {
        var count: Int64 = 0
        if let condition {
            while let cells = try referrers.next() {
                if try condition.holds(cells) { count += 1 }
            }
        } else {
            while try referrers.skip() { count += 1 }
        }
        return count
    }
}
