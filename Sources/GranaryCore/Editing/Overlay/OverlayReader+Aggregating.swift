extension OverlayReader {
    func aggregate(_ rows: FetchRequest, _ aggregation: Aggregation) throws -> any RowCursor {
        let rows = rows.rowsAlone
        if aggregation.countsRowsAlone {
            let count = StoredValue.integer(Int64(try count(rows)))
            return SingleRow(aggregation.aggregates.map { _ in count })
        }
        let groups = try GroupTable(aggregation, of: rows.entity, in: self)
        if try !rows.isCut && aggregateBelow(rows, aggregation, into: groups) { return GroupCursor(groups) }
        let cursor: any RowCursor = try rows.isCut ? wholeRows(rows) : unorderedRows(rows)
        while let row = try cursor.next() { try groups.add(row.cells) }
        return GroupCursor(groups)
    }

    /// The greatest number of records that are excluded from the aggregation below: each row is looked up among them.
    private static let leftOutLimit = 2_000
    /// Above this number, the records are subtracted from the aggregates over all rows, if the aggregates allow that.
    private static let lookedForLimit = 10

    /// Lets the reader below aggregate the records for which its answer is right, and adds the others.
    ///
    /// - Returns: False, with nothing added, if the result would not be exact or overflows below. Then every row must
    ///   be read.
    private func aggregateBelow(
        _ rows: FetchRequest, _ aggregation: Aggregation, into groups: GroupTable
    ) throws -> Bool {
        let request = rows.aggregated(groups: aggregation.groups, aggregation.aggregates)
        guard let partial = PartialAggregates(aggregation),
            let reached = try reachedRows(of: request), reached.count <= OverlayReader.leftOutLimit
        else { return false }
        let condition = try rows.condition.map { try ConditionProgram($0, of: rows.entity, in: self) }
        let keyPosition = try entity(at: rows.entity).keyPosition
        func answer(_ which: ResolvedCondition?) throws -> [StoredRow] {
            let parts = (which.map { [$0] } ?? []) + (rows.condition?.conjuncts ?? [])
            var request = FetchRequest(entity: rows.entity, condition: ResolvedCondition.joined(parts))
            request.aggregation = partial.aggregation
            let cursor = try below.rows(request)
            var answer: [StoredRow] = []
            while let row = try cursor.next() { answer.append(StoredRow(row)) }
            return answer
        }
        let keys = reached.keys.sorted()
        do {
            // Values of changed records may make the aggregation below fail. Only excluding these records avoids that.
            if partial.canTakeAway && keys.count > OverlayReader.lookedForLimit && !request.mayFail {
                // Both are computed before either is added, because one may fail.
                let (all, less) = (try answer(nil), try answer(.among(position: keyPosition, keys)))
                for row in all { groups.add(partial, row.row) }
                for row in less { groups.add(partial, row.row, isLess: true) }
            } else {
                let rest = try answer(keys.isEmpty ? nil : .notAmong(position: keyPosition, keys))
                for row in rest { groups.add(partial, row.row) }
            }
        } catch let error as GranaryError where [.overflow, .range].contains(error.code) {
            return false
        }
        try withExtendedLifetime(reached) {
            for row in reached.shown where try condition?.holds(row) ?? true { try groups.add(row) }
        }
        return true
    }
}

/// One row of values.
private final class SingleRow: RowCursor {
    private let row: StoredRow
    private var isAtEnd = false

    init(_ values: [StoredValue]) { row = StoredRow(values) }

    func next() throws -> Row? {
        if isAtEnd { return nil }
        isAtEnd = true
        return row.row
    }
}
