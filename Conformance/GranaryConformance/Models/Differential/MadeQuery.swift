import ConformanceKit
package import GranaryCore

/// A query and its condition as a store is asked.
package struct MadeQuery: Sendable {
    package var query: ReferenceQuery
    package let condition: AnyCondition?

    package init(_ query: ReferenceQuery, _ condition: AnyCondition?) {
        self.query = query
        self.condition = condition
        self.query.condition = condition?.root
    }

    /// The request that a store gets.
    package func request(_ schema: Schema) throws -> FetchRequest {
        var request = try FetchRequest(
            entityNamed: query.entity, condition: condition, order: query.order, limit: query.limit,
            offset: query.offset, in: schema)
        request.columns = try query.columns.map { try typed($0, schema) }
        request.isDistinct = query.isDistinct
        return request
    }

    /// Expressions by name as a store gets them: an order by each of them would have them so.
    private func typed(_ nodes: [AnyExpression.Node], _ schema: Schema) throws -> [TypedExpression] {
        let order = nodes.map { node in
            var ordering = Ordering(attribute: "")
            ordering.expression = node
            return ordering
        }
        return try FetchRequest(
            entityNamed: query.entity, condition: nil, order: order, limit: nil, offset: 0, in: schema
        ).order.map(\.value)
    }

    package func answer(_ reader: any StoreReader, _ schema: Schema) throws -> [[StoredValue]] {
        try answer(schema, rows: reader.rows)
    }

    package func answer(_ context: ReadContext) throws -> [[StoredValue]] {
        try answer(context.schema, rows: context.rows)
    }

    private func answer(
        _ schema: Schema, rows ask: (FetchRequest) throws -> any RowCursor
    ) throws -> [[StoredValue]] {
        let rows = try request(schema)
        guard !query.aggregates.isEmpty else { return try MadeQuery.all(try ask(rows)) }
        let groups = query.groups.map { AnyExpression(rebuilding: $0) }
        let aggregates = query.aggregates.map { asked in
            AnyExpression.aggregate(
                asked.function, of: asked.expression.map { AnyExpression(rebuilding: $0) }, where: asked.condition,
                isDistinct: asked.isDistinct)
        }
        let request = try ResolvedGrouping(
            AnyGrouping(by: groups, columns: aggregates), of: rows, in: schema
        ).request
        return MadeQuery.inAnyOrder(try MadeQuery.all(try ask(request)))
    }

    func answer(_ reference: ReferenceEvaluator) throws -> [[StoredValue]] {
        query.aggregates.isEmpty
            ? try reference.rows(query) : MadeQuery.inAnyOrder(try reference.aggregates(query))
    }

    private static func all(_ cursor: any RowCursor) throws -> [[StoredValue]] {
        var rows: [[StoredValue]] = []
        while let row = try cursor.next() { rows.append((0..<row.count).map { StoredValue(row[$0]) }) }
        return rows
    }

    /// Groups come as the store has them.
    private static func inAnyOrder(_ rows: [[StoredValue]]) -> [[StoredValue]] {
        rows.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension MadeQuery: CustomStringConvertible {
    /// As one line of text.
    package var description: String {
        var text = query.entity
        if let condition { text += " where \(condition)" }
        if !query.order.isEmpty { text += " sorted by \(query.order.map(\.description).joined(separator: ", "))" }
        if let limit = query.limit { text += " limit \(limit)" }
        if query.offset > 0 { text += " offset \(query.offset)" }
        if let columns = query.columns {
            text += " select \(query.isDistinct ? "distinct " : "")\(columns.map(\.text).joined(separator: ", "))"
        }
        if !query.groups.isEmpty { text += " grouped by \(query.groups.map(\.text).joined(separator: ", "))" }
        if !query.aggregates.isEmpty {
            text +=
                " give "
                + query.aggregates.map {
                    "\($0.function)(\($0.isDistinct ? "distinct " : "")\($0.expression?.text ?? "")\($0.condition.map { " where \($0)" } ?? ""))"
                }.joined(separator: ", ")
        }
        return text
    }
}
