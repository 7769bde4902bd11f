import GranaryCore
import TestSupport

/// Answers queries by looking at every row, from the definitions of the terms alone.
struct NaiveQuery {
    let schema: Schema
    let rows: [[[StoredValue]]]

    private func key(_ entity: Int) -> Int { schema.entities[entity].keyPosition }

    private func record(_ value: StoredValue, _ entity: Int) -> [StoredValue]? {
        value == .null ? nil : rows[entity].first { $0[key(entity)] == value }
    }

    private func compare(_ left: StoredValue, _ right: StoredValue) -> Int {
        left.withCell { a in right.withCell { b in GranaryCore.compare(a, b) } }
    }

    func value(_ expression: ResolvedExpression, _ row: [StoredValue], _ entity: Int) throws -> StoredValue {
        func inner(_ expression: ResolvedExpression) throws -> StoredValue { try value(expression, row, entity) }
        switch expression {
        case .attribute(let position): return row[position]
        case .value(let value): return value
        case .toOne(let position, let target, let expression):
            guard let other = record(row[position], target) else { return .null }
            return try value(expression, other, target)
        case .arithmetic(let operation, let left, let right, let kind):
            return try apply(operation, inner(left), inner(right), as: kind)
        case .function(let function, let expression): return try function.naiveValue(of: inner(expression))
        case .ifNil(let first, let second):
            let value = try inner(first)
            return value == .null ? try inner(second) : value
        case .given(let condition, let expression):
            return try holds(condition, row, entity) ? try inner(expression) : .null
        case .words(let question, let texts): return try question.naiveAnswer(try texts.map(inner))
        case .aggregate(let aggregate):
            let related = try rows[aggregate.entity].filter { other in
                guard other[aggregate.position] == row[key(entity)] else { return false }
                return try aggregate.condition.map { try holds($0, other, aggregate.entity) } ?? true
            }
            return try result(
                aggregate.function, aggregate.expression, aggregate.isDistinct, related, aggregate.entity)
        }
    }

    func result(
        _ function: AggregateFunction, _ expression: TypedExpression?, _ isDistinct: Bool, _ rows: [[StoredValue]],
        _ entity: Int
    ) throws -> StoredValue {
        guard let expression else { return .integer(Int64(rows.count)) }
        var values: [StoredValue] = []
        for row in rows {
            let found = try value(expression.expression, row, entity)
            if !isDistinct || !values.contains(where: { compare($0, found) == 0 }) { values.append(found) }
        }
        var accumulator = Accumulator(function, of: expression.type)
        for value in values { value.withCell { accumulator.add($0) } }
        return try accumulator.result()
    }

    func holds(_ condition: ResolvedCondition, _ row: [StoredValue], _ entity: Int) throws -> Bool {
        switch condition {
        case .always(let holds): return holds
        case .compare(let position, let comparison, let value): return comparison.holds(row[position], value)
        case .among(let position, let values): return values.contains(row[position])
        case .notAmong(let position, let values): return !values.contains(row[position])
        case .relation(let left, let comparison, let right, let isNegated):
            return try comparison.holds(value(left, row, entity), value(right, row, entity)) != isNegated
        case .listed(let expression, let values, let isNegated):
            return try values.contains(value(expression, row, entity)) != isNegated
        case .text(let expression, let match, let isNegated):
            guard case .text(let utf8) = try value(expression, row, entity) else { return isNegated }
            return try TextMatcher(match).matches(utf8) != isNegated
        case .amongRows(let expression, let request, let isNegated):
            let wanted = try value(expression, row, entity)
            return try answer(request).contains { compare($0[0], wanted) == 0 } != isNegated
        case .toOne(let position, let target, let inner, let isNegated):
            return try (record(row[position], target).map { try holds(inner, $0, target) } ?? false) != isNegated
        case .toMany(let other, let position, let inner, let isNegated):
            return try rows[other].contains { try $0[position] == row[key(entity)] && holds(inner, $0, other) }
                != isNegated
        case .all(let parts): return try parts.allSatisfy { try holds($0, row, entity) }
        case .any(let parts): return try parts.contains { try holds($0, row, entity) }
        }
    }

    /// The rows of a request, in its order.
    func answer(_ request: FetchRequest) throws -> [[StoredValue]] {
        if let aggregation = request.aggregation { return try answer(aggregation, of: request.rowsAlone) }
        let entity = request.entity
        var found = try matching(request)
        if let columns = request.columns {
            found = try found.map { row in try columns.map { try value($0.expression, row, entity) } }
            if request.isDistinct {
                var distinct: [[StoredValue]] = []
                for row in found where !distinct.contains(row) { distinct.append(row) }
                found = distinct.sorted { left, right in
                    for term in request.order {
                        let index = columns.firstIndex { $0.expression == term.value.expression } ?? 0
                        if let isBefore = isBefore(left[index], right[index], term) { return isBefore }
                    }
                    return left.lexicographicallyPrecedes(right)
                }
                return cut(found, request)
            }
        }
        return found
    }

    private func cut<T>(_ rows: [T], _ request: FetchRequest) -> [T] {
        Array(rows.dropFirst(request.offset).prefix(request.limit ?? rows.count))
    }

    private func isBefore(_ a: StoredValue, _ b: StoredValue, _ term: FetchRequest.OrderTerm) -> Bool? {
        let order = compare(a, b)
        if order == 0 { return nil }
        if a == .null { return term.nilsFirst }
        if b == .null { return !term.nilsFirst }
        return term.isDescending ? order > 0 : order < 0
    }

    private func matching(_ request: FetchRequest) throws -> [[StoredValue]] {
        let entity = request.entity
        var found: [(row: [StoredValue], terms: [StoredValue])] = []
        for row in rows[entity] {
            guard try request.condition.map({ try holds($0, row, entity) }) ?? true else { continue }
            found.append((row, try request.order.map { try value($0.value.expression, row, entity) }))
        }
        found.sort { left, right in
            for (index, term) in request.order.enumerated() {
                if let isBefore = isBefore(left.terms[index], right.terms[index], term) { return isBefore }
            }
            let isDescending = request.order.last?.isDescending ?? false
            return (left.row[key(entity)] < right.row[key(entity)]) != isDescending
        }
        let sorted = found.map(\.row)
        return request.isDistinct ? sorted : cut(sorted, request)
    }

    /// A row a group, in ascending order.
    private func answer(_ aggregation: Aggregation, of request: FetchRequest) throws -> [[StoredValue]] {
        let entity = request.entity
        var groups: [[StoredValue]: [[StoredValue]]] = aggregation.groups.isEmpty ? [[]: []] : [:]
        for row in try answer(request) {
            groups[try aggregation.groups.map { try value($0.expression, row, entity) }, default: []].append(row)
        }
        return try groups.map { group, rows in
            try group + aggregation.aggregates.map { try result($0.function, $0.value, $0.isDistinct, rows, entity) }
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension TextMatcher {
    fileprivate func matches(_ utf8: [UInt8]) throws -> Bool {
        try utf8.withUnsafeBytes { bytes in Result { try matches(bytes) } }.get()
    }
}
