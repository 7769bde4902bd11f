// The single place that lists the parts of conditions and expressions. Code that only traverses a tree (to find
// something in it, to collect what it reads, to replace something) uses these functions; a `switch` elsewhere is about
// meaning.

/// A part of a resolved condition or expression.
package enum ResolvedChild {
    case condition(ResolvedCondition)
    case expression(ResolvedExpression)
    /// The subquery of `amongRows`. It is resolved on its own.
    case request(FetchRequest)
}

extension ResolvedCondition {
    /// The entity of the records in its conditions and expressions; nil if these are about the current record.
    package var target: Int? {
        switch self {
        case .toOne(_, let entity, _, _), .toMany(let entity, _, _, _): entity
        default: nil
        }
    }

    /// Whether `holds` returns true for a child. Children are tested in order, until it returns true for one.
    package func containsChild(where holds: (ResolvedChild) throws -> Bool) rethrows -> Bool {
        switch self {
        case .always, .compare, .among, .notAmong: false
        case .relation(let left, _, let right, _): try holds(.expression(left)) || holds(.expression(right))
        case .listed(let expression, _, _), .text(let expression, _, _): try holds(.expression(expression))
        case .amongRows(let expression, let request, _):
            try holds(.expression(expression)) || holds(.request(request))
        case .toOne(_, _, let inner, _), .toMany(_, _, let inner, _): try holds(.condition(inner))
        case .all(let parts), .any(let parts): try parts.contains { try holds(.condition($0)) }
        }
    }

    package func forEachChild(_ body: (ResolvedChild) throws -> Void) rethrows {
        _ = try containsChild {
            try body($0)
            return false
        }
    }

    /// The same condition with its children replaced.
    package func map(
        _ expression: (ResolvedExpression) throws -> ResolvedExpression,
        condition: (ResolvedCondition) throws -> ResolvedCondition,
        request: (FetchRequest) throws -> FetchRequest
    ) rethrows -> ResolvedCondition {
        switch self {
        case .always, .compare, .among, .notAmong: self
        case .relation(let left, let comparison, let right, let isNegated):
            .relation(try expression(left), comparison, try expression(right), isNegated: isNegated)
        case .listed(let inner, let values, let isNegated): .listed(try expression(inner), values, isNegated: isNegated)
        case .text(let inner, let match, let isNegated): .text(try expression(inner), match, isNegated: isNegated)
        case .amongRows(let inner, let rows, let isNegated):
            .amongRows(try expression(inner), try request(rows), isNegated: isNegated)
        case .toOne(let position, let entity, let inner, let isNegated):
            .toOne(position: position, entity: entity, try condition(inner), isNegated: isNegated)
        case .toMany(let entity, let position, let inner, let isNegated):
            .toMany(entity: entity, position: position, try condition(inner), isNegated: isNegated)
        case .all(let parts): .all(try parts.map(condition))
        case .any(let parts): .any(try parts.map(condition))
        }
    }
}

extension ResolvedExpression {
    /// The entity of the records in its children; nil if these are about the current record.
    package var target: Int? {
        switch self {
        case .toOne(_, let entity, _): entity
        case .aggregate(let aggregate): aggregate.entity
        default: nil
        }
    }

    /// Whether `holds` returns true for a child. Children are tested in order, until it returns true for one.
    package func containsChild(where holds: (ResolvedChild) throws -> Bool) rethrows -> Bool {
        switch self {
        case .attribute, .value: return false
        case .toOne(_, _, let inner), .function(_, let inner): return try holds(.expression(inner))
        case .arithmetic(_, let left, let right, _), .ifNil(let left, let right):
            return try holds(.expression(left)) || holds(.expression(right))
        case .given(let condition, let inner): return try holds(.condition(condition)) || holds(.expression(inner))
        case .words(_, let texts): return try texts.contains { try holds(.expression($0)) }
        case .aggregate(let aggregate):
            if let condition = aggregate.condition, try holds(.condition(condition)) { return true }
            guard let value = aggregate.expression else { return false }
            return try holds(.expression(value.expression))
        }
    }

    package func forEachChild(_ body: (ResolvedChild) throws -> Void) rethrows {
        _ = try containsChild {
            try body($0)
            return false
        }
    }

    /// The same expression with its children replaced.
    package func map(
        _ expression: (ResolvedExpression) throws -> ResolvedExpression,
        condition: (ResolvedCondition) throws -> ResolvedCondition
    ) rethrows -> ResolvedExpression {
        switch self {
        case .attribute, .value: return self
        case .toOne(let position, let entity, let inner):
            return .toOne(position: position, entity: entity, try expression(inner))
        case .arithmetic(let operation, let left, let right, let kind):
            return .arithmetic(operation, try expression(left), try expression(right), kind)
        case .function(let function, let inner): return .function(function, try expression(inner))
        case .ifNil(let first, let second): return .ifNil(try expression(first), try expression(second))
        case .given(let given, let inner): return .given(try condition(given), try expression(inner))
        case .words(let question, let texts): return .words(question, try texts.map(expression))
        case .aggregate(var aggregate):
            aggregate.condition = try aggregate.condition.map(condition)
            if let value = aggregate.expression {
                aggregate.expression?.expression = try expression(value.expression)
            }
            return .aggregate(aggregate)
        }
    }
}
