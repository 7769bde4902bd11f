// Arithmetic fails where a value does not fit or a divisor is zero. So that a query fails by what it asks and not by the way
// a store goes about it - the order of its tests, the index it takes - the terms of a group that cannot fail are tested
// first, and those that can in the order in which they are written: `b != 0 && a / b > 1` fails nowhere.

extension ResolvedCondition {
    /// Whether testing it can fail for what the rows hold: a regular expression takes too many steps of some text.
    package var mayFail: Bool {
        switch self {
        case .always, .compare, .among, .notAmong: false
        case .relation(let left, _, let right, _): left.mayFail || right.mayFail
        case .listed(let expression, _, _): expression.mayFail
        case .text(let expression, let match, _): match.kind == .matches || expression.mayFail
        case .amongRows(let expression, _, _): expression.mayFail
        case .toOne(_, _, let inner, _), .toMany(_, _, let inner, _): inner.mayFail
        case .all(let parts), .any(let parts): parts.contains(where: \.mayFail)
        }
    }
}

extension ResolvedExpression {
    package var mayFail: Bool {
        switch self {
        case .attribute, .value: false
        case .arithmetic: true
        case .toOne(_, _, let inner), .date(_, let inner, _), .folded(let inner, _), .length(let inner),
            .json(let inner, _, _), .real(let inner):
            inner.mayFail
        case .ifNil(let first, let second): first.mayFail || second.mayFail
        case .aggregate(let aggregate):
            switch aggregate.function {
            case .sum, .average: true
            case .count, .minimum, .maximum:
                aggregate.condition?.mayFail ?? false || aggregate.expression?.expression.mayFail ?? false
            }
        }
    }
}

extension Array where Element == ResolvedCondition {
    /// Those that cannot fail, then the others, each in their order.
    func withFailingLast() -> [ResolvedCondition] {
        guard contains(where: \.mayFail) else { return self }
        return filter { !$0.mayFail } + filter(\.mayFail)
    }
}
