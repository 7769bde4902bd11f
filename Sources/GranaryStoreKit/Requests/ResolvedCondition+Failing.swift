// Arithmetic fails if a value does not fit or a divisor is zero. Whether a query fails must depend on the query and not
// on how a store runs it (the order of its tests, the index it uses). So terms of a group that cannot fail are tested
// first, and the others in the order in which they are written: `b != 0 && a / b > 1` never fails.

extension ResolvedCondition {
    /// Whether testing it can fail because of values in rows; for example, a regular expression may take too many steps
    /// for a text.
    package var mayFail: Bool {
        if case .text(_, let match, _) = self, match.kind == .matches { return true }
        return containsChild { $0.mayFail }
    }
}

extension ResolvedExpression {
    package var mayFail: Bool {
        switch self {
        case .arithmetic: return true
        case .function(let function, _) where function.mayFail: return true
        case .aggregate(let aggregate) where [.sum, .average].contains(aggregate.function): return true
        default: return containsChild { $0.mayFail }
        }
    }
}

extension FetchRequest {
    /// Whether its condition, order, columns, groups or aggregated values can fail because of values in rows.
    package var mayFail: Bool {
        condition?.mayFail ?? false || order.contains { $0.value.expression.mayFail }
            || columns?.contains { $0.expression.mayFail } ?? false
            || aggregation?.values.contains { $0.expression.mayFail } ?? false
    }
}

extension ResolvedChild {
    fileprivate var mayFail: Bool {
        switch self {
        case .condition(let condition): condition.mayFail
        case .expression(let expression): expression.mayFail
        // A subquery is run separately.
        case .request: false
        }
    }
}

extension Array where Element == ResolvedCondition {
    /// The conditions that cannot fail, followed by the others, each group in its order.
    package func withFailingLast() -> [ResolvedCondition] {
        guard contains(where: \.mayFail) else { return self }
        return filter { !$0.mayFail } + filter(\.mayFail)
    }
}
