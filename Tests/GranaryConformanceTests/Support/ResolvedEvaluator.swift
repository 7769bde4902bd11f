import ConformanceKit
import ConformanceModels
import GranaryCore
import TestSupport

/// Conditions and expressions as stores get them, evaluated row by row as their documentation says.
struct ResolvedEvaluator {
    let state: ReferenceState
    /// Looked at now and then.
    let cancellation: CancellationFlag

    func holds(_ condition: ResolvedCondition, _ row: [StoredValue], of entity: Int) throws -> Bool {
        switch condition {
        case .always(let value): return value
        case .compare(let position, let comparison, let value):
            return ReferenceOrder.holds(comparison, row[position], value)
        case .among(let position, let values): return values.contains(row[position])
        case .notAmong(let position, let values): return !values.contains(row[position])
        case .relation(let left, let comparison, let right, let isNegated):
            let (left, right) = (try value(left, row, of: entity), try value(right, row, of: entity))
            return ReferenceOrder.holds(comparison, left, right) != isNegated
        case .listed(let expression, let values, let isNegated):
            return values.contains(try value(expression, row, of: entity)) != isNegated
        case .text(let expression, let match, let isNegated):
            guard case .text(let text) = try value(expression, row, of: entity) else { return isNegated }
            let matcher = try TextMatcher(match)
            return try text.withUnsafeBytes { try matcher.matches($0) } != isNegated
        case .amongRows(let expression, let request, let isNegated):
            let value = try value(expression, row, of: entity)
            return try rows(request).contains { ReferenceOrder.compare($0[0], value) == 0 } != isNegated
        case .toOne(let position, let target, let inner, let isNegated):
            guard row[position] != .null, let record = state.row(row[position], in: target) else { return isNegated }
            return try holds(inner, record, of: target) != isNegated
        case .toMany(let source, let position, let inner, let isNegated):
            return try referring(source, position, row, of: entity).contains { try holds(inner, $0, of: source) }
                != isNegated
        case .all(let parts): return try parts.allSatisfy { try holds($0, row, of: entity) }
        case .any(let parts): return try parts.contains { try holds($0, row, of: entity) }
        }
    }

    func value(_ expression: ResolvedExpression, _ row: [StoredValue], of entity: Int) throws -> StoredValue {
        func inner(_ expression: ResolvedExpression) throws -> StoredValue {
            try value(expression, row, of: entity)
        }
        switch expression {
        case .attribute(let position): return row[position]
        case .value(let value): return value
        case .toOne(let position, let target, let expression):
            guard row[position] != .null, let record = state.row(row[position], in: target) else { return .null }
            return try value(expression, record, of: target)
        case .arithmetic(let operation, let left, let right, let kind):
            return try apply(operation, try inner(left), try inner(right), as: kind)
        case .function(let function, let argument): return try function.naiveValue(of: inner(argument))
        case .ifNil(let first, let second):
            let value = try inner(first)
            return value == .null ? try inner(second) : value
        case .given(let condition, let expression):
            return try holds(condition, row, of: entity) ? try inner(expression) : .null
        case .words(let question, let texts): return try question.naiveAnswer(try texts.map(inner))
        case .aggregate(let aggregate):
            let rows = try referring(aggregate.entity, aggregate.position, row, of: entity).filter { related in
                try aggregate.condition.map { try holds($0, related, of: aggregate.entity) } ?? true
            }
            return try result(aggregate.function, aggregate.expression, aggregate.isDistinct, rows, aggregate.entity)
        }
    }

    /// The rows whose attribute at a position names this one.
    private func referring(_ source: Int, _ position: Int, _ row: [StoredValue], of entity: Int) throws
        -> [[StoredValue]]
    {
        try cancellation.check()
        let key = row[state.keyPosition(entity)]
        return state.tables[source].values.filter { $0[position] == key }
    }

    private func result(
        _ function: AggregateFunction, _ expression: TypedExpression?, _ isDistinct: Bool, _ rows: [[StoredValue]],
        _ entity: Int
    ) throws -> StoredValue {
        guard let expression else { return .integer(Int64(rows.count)) }
        let values = try rows.map { try value(expression.expression, $0, of: entity) }
        return try ReferenceAggregate.result(function, values, expression.type, isDistinct: isDistinct)
    }
}

// Whole requests.
extension ResolvedEvaluator {
    func rows(_ request: FetchRequest) throws -> [[StoredValue]] {
        if let aggregation = request.aggregation { return try aggregates(aggregation, of: request.rowsAlone) }
        if let condition = request.condition { try checkPatterns(condition) }
        let rows = try sorted(try matching(request), request)
        guard let columns = request.columns else { return cut(rows, request) }
        if request.isDistinct { return try distinct(rows, columns, request) }
        return try cut(rows, request).map { try values(columns, $0, of: request.entity) }
    }

    private func aggregates(_ aggregation: Aggregation, of request: FetchRequest) throws -> [[StoredValue]] {
        let entity = request.entity
        for value in aggregation.values { try checkPatterns(value.expression) }
        let rows = try rows(request)
        var groups: [[StoredValue]: [[StoredValue]]] = aggregation.groups.isEmpty ? [[]: []] : [:]
        for row in rows { groups[try values(aggregation.groups, row, of: entity), default: []].append(row) }
        return try groups.map { key, rows in
            try key
                + aggregation.aggregates.map { try result($0.function, $0.value, $0.isDistinct, rows, entity) }
        }
    }

    private func checkPatterns(_ expression: ResolvedExpression) throws {
        if case .given(let condition, _) = expression { try checkPatterns(condition) }
    }

    /// A pattern that is none is refused whether a record is looked at or not.
    private func checkPatterns(_ condition: ResolvedCondition) throws {
        switch condition {
        case .text(_, let match, _): _ = try TextPattern(match)
        case .toOne(_, _, let inner, _), .toMany(_, _, let inner, _): try checkPatterns(inner)
        case .all(let parts), .any(let parts): for part in parts { try checkPatterns(part) }
        case .always, .compare, .among, .notAmong, .relation, .listed, .amongRows: break
        }
    }

    private func matching(_ request: FetchRequest) throws -> [[StoredValue]] {
        var seen = 0
        return try state.tables[request.entity].values.filter { row in
            seen += 1
            if seen % 64 == 0 { try cancellation.check() }
            do {
                return try request.condition.map { try holds($0, row, of: request.entity) } ?? true
            } catch let error as GranaryError where error.entity == nil {
                throw error.about(state.schema.entities[request.entity])
            }
        }
    }

    private func values(_ columns: [TypedExpression], _ row: [StoredValue], of entity: Int) throws -> [StoredValue] {
        try columns.map { try value($0.expression, row, of: entity) }
    }

    private func sorted(_ rows: [[StoredValue]], _ request: FetchRequest) throws -> [[StoredValue]] {
        let key = state.keyPosition(request.entity)
        let isDescending = request.order.last?.isDescending ?? false
        return try rows.map { row in (row, try terms(row, request)) }.sorted { left, right in
            let order = compare(left.1, right.1, request)
            if order != 0 { return order < 0 }
            let byKey = ReferenceOrder.compare(left.0[key], right.0[key])
            return isDescending ? byKey > 0 : byKey < 0
        }.map(\.0)
    }

    private func terms(_ row: [StoredValue], _ request: FetchRequest) throws -> [StoredValue] {
        try request.order.map { try value($0.value.expression, row, of: request.entity) }
    }

    private func compare(_ left: [StoredValue], _ right: [StoredValue], _ request: FetchRequest) -> Int {
        for (position, term) in request.order.enumerated() {
            let order = ReferenceOrder.compare(
                left[position], right[position], isDescending: term.isDescending, nilsFirst: term.nilsFirst)
            if order != 0 { return order }
        }
        return 0
    }

    private func distinct(_ rows: [[StoredValue]], _ columns: [TypedExpression], _ request: FetchRequest) throws
        -> [[StoredValue]]
    {
        var found: [(row: [StoredValue], terms: [StoredValue])] = []
        var seen: Set<[StoredValue]> = []
        for row in rows {
            let values = try values(columns, row, of: request.entity)
            if seen.insert(values).inserted { found.append((values, try terms(row, request))) }
        }
        found.sort { left, right in
            let order = compare(left.terms, right.terms, request)
            if order != 0 { return order < 0 }
            for (a, b) in zip(left.row, right.row) where a != b { return ReferenceOrder.compare(a, b) < 0 }
            return false
        }
        return cut(found.map(\.row), request)
    }

    private func cut(_ rows: [[StoredValue]], _ request: FetchRequest) -> [[StoredValue]] {
        let rest = rows.dropFirst(request.offset)
        return Array(request.limit.map { rest.prefix($0) } ?? rest)
    }
}
