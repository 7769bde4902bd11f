/// A group: its columns, and the values by which groups are ordered. The last of these are the group's own values.
typealias GroupRow = (columns: [StoredValue], order: [StoredValue])

/// The groups of a request: filtered, sorted, cut, and turned into the chosen columns.
struct GroupRows {
    private let grouping: ResolvedGrouping

    init(_ grouping: ResolvedGrouping) { self.grouping = grouping }

    /// Reads a store's answer.
    func read(_ cursor: any RowCursor) throws -> [GroupRow] {
        let related = NoRelatedRows(grouping.schema)
        let having = try grouping.having.map { try ConditionProgram($0, of: 0, in: related) }
        let columns = try grouping.columns.map { try ExpressionProgram($0.expression, of: 0, in: related) }
        let order = try grouping.order.map { try ExpressionProgram($0.value.expression, of: 0, in: related) }
        var rows: [GroupRow] = []
        while let row = try cursor.next() {
            if let having, try !having.holds(row.cells) { continue }
            rows.append(
                (
                    try columns.map { StoredValue(try $0.value(row.cells)) },
                    try order.map { StoredValue(try $0.value(row.cells)) }
                ))
        }
        if !grouping.order.isEmpty { rows.sort { precedes($0.order, $1.order) } }
        let rest = rows.dropFirst(grouping.offset)
        return Array(grouping.limit.map { rest.prefix($0) } ?? rest)
    }

    /// Whether a group comes before another.
    func precedes(_ left: [StoredValue], _ right: [StoredValue]) -> Bool {
        for (index, term) in grouping.order.enumerated() where left[index] != right[index] {
            if left[index] == .null { return term.nilsFirst }
            if right[index] == .null { return !term.nilsFirst }
            return (left[index] < right[index]) != term.isDescending
        }
        return false
    }
}

/// Groups have no related rows.
private final class NoRelatedRows: RelatedRows {
    let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    func entity(at position: Int) throws -> Entity { schema.entities[position] }
    func lookup(of entity: Int) throws -> any RowLookup { throw NoRelatedRows.refused() }
    func referrers(of entity: Int, by position: Int) throws -> any ReferringRows { throw NoRelatedRows.refused() }
    func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws { throw NoRelatedRows.refused() }

    private static func refused() -> GranaryError {
        GranaryError(.invalidQuery, "What is asked of a group is made of its values and aggregates.")
    }
}
