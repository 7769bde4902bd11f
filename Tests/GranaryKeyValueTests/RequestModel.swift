import GranaryCore
import TestSupport

/// Conditions and expressions over values in memory, written from the definitions and from nothing else. A term whose
/// definition is a library's own (folding, patterns, parts of dates, JSON) takes that library's word for single values.
struct RequestModel {
    var tables: [[[Value]]]

    func row(_ entity: Int, _ key: Value) -> [Value]? {
        key == nil ? nil : tables[entity].first { $0[0] == key }
    }

    func referrers(_ entity: Int, _ position: Int, _ key: Value) -> [[Value]] {
        tables[entity].filter { $0[position] != nil && $0[position] == key }
    }

    func holds(_ condition: ResolvedCondition, _ row: [Value]) throws -> Bool {
        switch condition {
        case .always(let value): return value
        case .all(let parts): return try parts.allSatisfy { try holds($0, row) }
        case .any(let parts): return try parts.contains { try holds($0, row) }
        case .among(let position, let values): return values.contains(row[position])
        case .notAmong(let position, let values): return !values.contains(row[position])
        case .compare(let position, let comparison, let value):
            return RequestModel.holds(comparison, row[position], value)
        case .relation(let left, let comparison, let right, let isNegated):
            return try RequestModel.holds(comparison, value(left, row), value(right, row)) != isNegated
        case .listed(let expression, let values, let isNegated):
            return try values.contains(value(expression, row)) != isNegated
        case .text(let expression, let match, let isNegated):
            guard case .text(let utf8) = try value(expression, row) else { return isNegated }
            return try utf8.withUnsafeBytes { try TextMatcher(match).matches($0) } != isNegated
        case .amongRows(let expression, let request, let isNegated):
            let found = try value(expression, row)
            return try answer(request).contains { RequestModel.holds(.equal, $0[0], found) } != isNegated
        case .toOne(let position, let entity, let inner, let isNegated):
            guard let other = self.row(entity, row[position]) else { return isNegated }
            return try holds(inner, other) != isNegated
        case .toMany(let entity, let position, let inner, let isNegated):
            return try referrers(entity, position, row[0]).contains { try holds(inner, $0) } != isNegated
        }
    }

    static func holds(_ comparison: Comparison, _ left: Value, _ right: Value) -> Bool {
        switch comparison {
        case .equal: return compare(left, right) == 0
        case .notEqual: return compare(left, right) != 0
        case _ where left == nil || right == nil: return false
        case .less: return compare(left, right) < 0
        case .lessOrEqual: return compare(left, right) <= 0
        case .greater: return compare(left, right) > 0
        case .greaterOrEqual: return compare(left, right) >= 0
        }
    }

    static func compare(_ left: Value, _ right: Value) -> Int {
        left.withCell { a in right.withCell { b in GranaryCore.compare(a, b) } }
    }

    func value(_ expression: ResolvedExpression, _ row: [Value]) throws -> Value {
        switch expression {
        case .attribute(let position): return row[position]
        case .value(let value): return value
        case .toOne(let position, let entity, let inner):
            return try self.row(entity, row[position]).map { try value(inner, $0) } ?? nil
        case .arithmetic(let operation, let left, let right, let kind):
            return try apply(operation, value(left, row), value(right, row), as: kind)
        case .function(let function, let inner): return try function.naiveValue(of: try value(inner, row))
        case .ifNil(let first, let second):
            let found = try value(first, row)
            return found == nil ? try value(second, row) : found
        case .given(let condition, let inner): return try holds(condition, row) ? try value(inner, row) : nil
        case .words(let question, let texts): return try question.naiveAnswer(try texts.map { try value($0, row) })
        case .aggregate(let aggregate):
            let found = try referrers(aggregate.entity, aggregate.position, row[0]).filter { other in
                try aggregate.condition.map { try holds($0, other) } ?? true
            }
            let values = try aggregate.expression.map { typed in
                try found.map { try value(typed.expression, $0) }
            }
            return try RequestModel.aggregate(
                aggregate.function, values, aggregate.expression?.type ?? .int64, aggregate.isDistinct, found.count)
        }
    }

    static func aggregate(
        _ function: AggregateFunction, _ values: [Value]?, _ type: AttributeType, _ isDistinct: Bool, _ rows: Int
    ) throws -> Value {
        guard let values else { return .integer(Int64(rows)) }
        var accumulator = Accumulator(function, of: type)
        for value in isDistinct ? Array(Set(values)) : values { value.withCell { accumulator.add($0) } }
        return try accumulator.result()
    }

    func matching(_ request: FetchRequest) throws -> [[Value]] {
        try tables[request.entity].filter { row in try request.condition.map { try holds($0, row) } ?? true }
    }

    /// Rows with the values they are ordered by.
    private func sorted(_ rows: [[Value]], _ terms: [(isDescending: Bool, nilsFirst: Bool)], _ keys: [[Value]])
        -> [[Value]]
    {
        rows.indices.sorted { left, right in
            for (number, term) in terms.enumerated() {
                let (a, b) = (keys[left][number], keys[right][number])
                if a == b { continue }
                if a == nil || b == nil { return (a == nil) == term.nilsFirst }
                return (RequestModel.compare(a, b) < 0) != term.isDescending
            }
            return false
        }.map { rows[$0] }
    }

    func answer(_ request: FetchRequest) throws -> [[Value]] {
        if let aggregation = request.aggregation { return try answer(aggregation, of: request.rowsAlone) }
        var rows = try matching(request)
        let descending = request.order.last?.isDescending ?? false
        if request.isDistinct {
            rows = Array(Set(try rows.map { row in try (request.columns ?? []).map { try value($0.expression, row) } }))
            let columns = request.columns ?? []
            var terms = request.order.map { ($0.isDescending, $0.nilsFirst) }
            terms += columns.map { _ in (false, true) }
            let keys = rows.map { row in
                request.order.map { term in row[columns.firstIndex { $0.expression == term.value.expression } ?? 0] }
                    + row
            }
            rows = sorted(rows, terms, keys)
        } else {
            let keys = try rows.map { row in
                try request.order.map { try value($0.value.expression, row) } + [row[0]]
            }
            rows = sorted(
                rows, request.order.map { ($0.isDescending, $0.nilsFirst) } + [(descending, !descending)], keys)
        }
        rows = Array(rows.dropFirst(request.offset).prefix(request.limit ?? Int.max))
        guard let columns = request.columns, !request.isDistinct else { return rows }
        return try rows.map { row in try columns.map { try value($0.expression, row) } }
    }

    /// Groups in the order of their values.
    private func answer(_ aggregation: Aggregation, of request: FetchRequest) throws -> [[Value]] {
        let rows = try answer(request)
        var groups: [[Value]: [[Value]]] = aggregation.groups.isEmpty ? [[]: []] : [:]
        for row in rows {
            groups[try aggregation.groups.map { try value($0.expression, row) }, default: []].append(row)
        }
        return try groups.map { key, rows in
            try key
                + aggregation.aggregates.map { aggregate in
                    let values = try aggregate.value.map { typed in
                        try rows.map { try value(typed.expression, $0) }
                    }
                    return try RequestModel.aggregate(
                        aggregate.function, values, aggregate.value?.type ?? .int64, aggregate.isDistinct, rows.count)
                }
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
