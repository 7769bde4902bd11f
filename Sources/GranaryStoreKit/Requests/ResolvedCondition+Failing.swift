// Arithmetic fails where a value does not fit or a divisor is zero. So that a query fails by what it asks and not by the way
// a store goes about it - the order of its tests, the index it takes - the terms of a group that cannot fail are tested
// first, and those that can in the order in which they are written: `b != 0 && a / b > 1` fails nowhere.

extension ResolvedCondition {
    /// Whether testing it can fail for what the rows hold: a regular expression takes too many steps of some text.
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
    /// Whether its condition, order, columns, groups or aggregated values can fail for what the rows hold.
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
        // It is run by itself.
        case .request: false
        }
    }
}

extension Array where Element == ResolvedCondition {
    /// Those that cannot fail, then the others, each in their order.
    package func withFailingLast() -> [ResolvedCondition] {
        guard contains(where: \.mayFail) else { return self }
        return filter { !$0.mayFail } + filter(\.mayFail)
    }
}
