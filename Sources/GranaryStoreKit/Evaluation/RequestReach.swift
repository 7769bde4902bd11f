// The entities that a query looks at besides that of its own rows. A path through a reference looks at the target
// entity, a relationship at the entity that refers, a subquery at its own entity. An attribute of the current row looks
// at no other entity.

extension ResolvedCondition {
    /// Whether the condition looks at an entity for which `isWanted` returns true.
    package func looks(at isWanted: (Int) -> Bool) -> Bool {
        target.map(isWanted) ?? false || containsChild { $0.looks(at: isWanted) }
    }
}

extension ResolvedExpression {
    /// Whether the expression looks at an entity for which `isWanted` returns true.
    package func looks(at isWanted: (Int) -> Bool) -> Bool {
        target.map(isWanted) ?? false || containsChild { $0.looks(at: isWanted) }
    }
}

extension ResolvedChild {
    fileprivate func looks(at isWanted: (Int) -> Bool) -> Bool {
        switch self {
        case .condition(let condition): condition.looks(at: isWanted)
        case .expression(let expression): expression.looks(at: isWanted)
        case .request(let request): isWanted(request.entity) || request.looks(at: isWanted)
        }
    }
}

extension FetchRequest {
    /// Whether its condition, order, columns, groups or aggregates look at an entity for which `isWanted` returns true.
    package func looks(at isWanted: (Int) -> Bool) -> Bool {
        condition?.looks(at: isWanted) ?? false
            || order.contains { $0.value.expression.looks(at: isWanted) }
            || columns?.contains { $0.expression.looks(at: isWanted) } ?? false
            || aggregation?.values.contains { $0.expression.looks(at: isWanted) } ?? false
    }
}
