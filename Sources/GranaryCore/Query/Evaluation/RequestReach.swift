// Which entities a query looks at beside the rows it is about: a path through a reference looks at the entity it leads to, a
// relationship at the entity that refers, a query within a query at its own. An attribute of the row at hand looks at none.

extension ResolvedCondition {
    /// Whether the condition looks at an entity for which this holds.
    package func looks(at isWanted: (Int) -> Bool) -> Bool {
        switch self {
        case .always, .compare, .among, .notAmong: false
        case .relation(let left, _, let right, _): left.looks(at: isWanted) || right.looks(at: isWanted)
        case .listed(let expression, _, _), .text(let expression, _, _): expression.looks(at: isWanted)
        case .amongRows(let expression, let request, _):
            expression.looks(at: isWanted) || isWanted(request.entity) || request.looks(at: isWanted)
        case .toOne(_, let entity, let inner, _), .toMany(let entity, _, let inner, _):
            isWanted(entity) || inner.looks(at: isWanted)
        case .all(let parts), .any(let parts): parts.contains { $0.looks(at: isWanted) }
        }
    }
}

extension ResolvedExpression {
    /// Whether the expression looks at an entity for which this holds.
    package func looks(at isWanted: (Int) -> Bool) -> Bool {
        switch self {
        case .attribute, .value: false
        case .toOne(_, let entity, let inner): isWanted(entity) || inner.looks(at: isWanted)
        case .arithmetic(_, let left, let right, _), .ifNil(let left, let right):
            left.looks(at: isWanted) || right.looks(at: isWanted)
        case .date(_, let inner, _), .folded(let inner, _), .length(let inner), .json(let inner, _, _),
            .real(let inner):
            inner.looks(at: isWanted)
        case .aggregate(let aggregate):
            isWanted(aggregate.entity) || aggregate.condition?.looks(at: isWanted) ?? false
                || aggregate.expression?.expression.looks(at: isWanted) ?? false
        }
    }
}

extension FetchRequest {
    /// Whether its condition, order or columns look at an entity for which this holds.
    package func looks(at isWanted: (Int) -> Bool) -> Bool {
        condition?.looks(at: isWanted) ?? false
            || order.contains { $0.value.expression.looks(at: isWanted) }
            || columns?.contains { $0.expression.looks(at: isWanted) } ?? false
    }
}

extension AggregateRequest {
    /// Whether its rows' condition and order, its groups or its aggregates look at an entity for which this holds.
    package func looks(at isWanted: (Int) -> Bool) -> Bool {
        rows.looks(at: isWanted) || groups.contains { $0.expression.looks(at: isWanted) }
            || aggregates.contains { $0.value?.expression.looks(at: isWanted) ?? false }
    }
}
