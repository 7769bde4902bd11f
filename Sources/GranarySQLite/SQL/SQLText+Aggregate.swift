import GranaryStoreKit

// Counts and extremes are SQLite's own. Integers of an attribute are summed by their halves, which is exact and needs
// no function call for each row. Other sums and averages are Granary's functions, because SQLite's depend on the order
// of the rows.

extension SQLText {
    /// One row for each group: the group's values, then the aggregates.
    static func aggregate(
        _ rows: FetchRequest, _ aggregation: Aggregation, _ layout: EntityLayout, _ bounds: Bounds
    ) -> SQLText {
        var sql = SQLText(layout, bounds)
        let scope = SQLScope(layout.sql, rows)
        if layout.sql.hasEnds(rows, aggregation) {
            sql.writeEnds(aggregation.aggregates, scope)
            return sql
        }
        sql.text = "SELECT "
        for (index, group) in aggregation.groups.enumerated() {
            if index > 0 { sql.text += ", " }
            sql.write(group.expression, scope)
        }
        for (index, aggregate) in aggregation.aggregates.enumerated() {
            if index > 0 || !aggregation.groups.isEmpty { sql.text += ", " }
            sql.write(aggregate.function, aggregate.value, isDistinct: aggregate.isDistinct, scope)
        }
        if aggregation.groups.isEmpty && aggregation.aggregates.isEmpty { sql.text += "count(*)" }
        sql.text += " FROM \(layout.sql.table)"
        sql.appendSelection(rows, scope)
        if !aggregation.groups.isEmpty {
            // By number: an expression with parameters would not be recognised as the same one.
            sql.text += " GROUP BY " + (1...aggregation.groups.count).map(String.init).joined(separator: ", ")
        }
        sql.finish()
        return sql
    }

    /// Each in a `SELECT` of its own: for a single least or greatest value SQLite looks only at an end of an index, for
    /// several it reads the whole index.
    private mutating func writeEnds(_ aggregates: [Aggregation.Aggregate], _ scope: SQLScope) {
        for (index, aggregate) in aggregates.enumerated() {
            text += index == 0 ? "SELECT (SELECT " : ", (SELECT "
            write(aggregate.function, aggregate.value, isDistinct: false, scope)
            text += " FROM \(scope.table.table))"
        }
    }

    /// An aggregate over the records that refer to this one.
    mutating func write(_ aggregate: RelatedAggregate, _ scope: SQLScope) {
        let table = tables[aggregate.entity]
        question(about: scope.outerKey, scope) { sql, outer, level in
            let inner = SQLScope(table, alias: sql.alias(aggregate.entity), level: level, isLimited: true)
            sql.text += "SELECT "
            sql.write(aggregate.function, aggregate.expression, isDistinct: aggregate.isDistinct, inner)
            sql.text += " FROM \(table.table) AS \(inner.name) WHERE \(inner.column(aggregate.position)) = "
            sql.write(outer)
            guard let condition = aggregate.condition else { return }
            sql.text += " AND "
            if case .any = condition {
                sql.parenthesized { $0.write(condition, inner) }
            } else {
                sql.write(condition, inner)
            }
        }
    }

    private mutating func write(
        _ function: AggregateFunction, _ value: TypedExpression?, isDistinct: Bool, _ scope: SQLScope
    ) {
        guard let value else { return text += "count(*)" }
        let distinct = isDistinct ? "DISTINCT " : ""
        func call(_ name: String, _ sql: inout SQLText) {
            sql.text += "\(name)(\(distinct)"
            sql.write(value.expression, scope)
            sql.text += ")"
        }
        switch function {
        case .count: return call("count", &self)
        case .minimum: return call("min", &self)
        case .maximum: return call("max", &self)
        case .sum, .average: break
        }
        var places: Int?
        if case .scaledDecimal(let scale) = value.type, function == .average { places = scale }
        if let position = value.position, !isDistinct, NumberKind(value.type) == .integer {
            let column = scope.column(position)
            text += "granary_\(function == .sum ? "sum" : places == nil ? "average" : "scaled_average")_of_halves("
            text += "sum(\(column) >> 32), sum(\(column) & 4294967295), count(\(column))"
            text += places.map { ", \($0))" } ?? ")"
            return
        }
        let kind = NumberKind(value.type)?.rawValue ?? "integer"
        guard let places else { return call("granary_\(kind)_\(function.rawValue)", &self) }
        text += "granary_places("
        call("granary_scaled_average", &self)
        text += ", \(places))"
    }
}

extension EntitySQL {
    /// Whether only least and greatest values of all records are requested, which are at the ends of indexes.
    fileprivate func hasEnds(_ rows: FetchRequest, _ aggregation: Aggregation) -> Bool {
        guard aggregation.groups.isEmpty, aggregation.aggregates.count > 1, rows.condition == nil, !rows.isCut else {
            return false
        }
        return aggregation.aggregates.allSatisfy { aggregate in
            guard aggregate.function == .minimum || aggregate.function == .maximum else { return false }
            return aggregate.value?.position.map { isIndexed($0) } ?? false
        }
    }
}
