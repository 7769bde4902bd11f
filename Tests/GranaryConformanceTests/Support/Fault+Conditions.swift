import GranaryCore

// Conditions and expressions as a store with the fault misunderstands them.
extension Fault {
    func broken(_ condition: ResolvedCondition) -> ResolvedCondition {
        switch condition {
        case .always: condition
        case .all(let parts): .all(parts.map(broken))
        case .any(let parts) where self == .unionLosesSecondHalf: .any(parts.prefix((parts.count + 1) / 2).map(broken))
        case .any(let parts): .any(parts.map(broken))
        case .compare(let position, .notEqual, let value) where self == .notEqualLosesNil && value != .null:
            .all([condition, .compare(position: position, .notEqual, .null)])
        case .compare(let position, .lessOrEqual, let value) where self == .lessOrEqualIsLess:
            .compare(position: position, .less, value)
        case .compare: condition
        case .among(let position, let values) where self == .amongLosesNil && values.contains(.null):
            values.count == 1 ? .always(false) : .among(position: position, values.filter { $0 != .null })
        case .among, .notAmong: condition
        case .relation(let left, let comparison, let right, let isNegated):
            .relation(broken(left), comparison, broken(right), isNegated: isNegated)
        case .listed(let expression, let values, let isNegated):
            .listed(broken(expression), values, isNegated: isNegated)
        case .text(let expression, let match, let isNegated): text(broken(expression), match, isNegated)
        case .amongRows(let expression, let request, let isNegated):
            .amongRows(broken(expression), subquery(request), isNegated: isNegated)
        case .toOne(let position, let entity, let inner, let isNegated):
            toOne(position, entity, broken(inner), isNegated)
        case .toMany(let entity, let position, let inner, let isNegated):
            toMany(entity, position, broken(inner), isNegated)
        }
    }

    private func text(_ expression: ResolvedExpression, _ match: TextMatch, _ isNegated: Bool) -> ResolvedCondition {
        var match = match
        if self == .foldsCaseAlone { match.folding.remove(.diacriticInsensitive) }
        let condition = ResolvedCondition.text(expression, match, isNegated: isNegated)
        guard self == .textLosesNil && isNegated else { return condition }
        return .all([condition, .relation(expression, .notEqual, .value(.null), isNegated: false)])
    }

    private func subquery(_ request: FetchRequest) -> FetchRequest {
        var request = request
        if self == .subqueryIgnoresLimit { request.limit = nil }
        request.condition = request.condition.map(broken)
        request.columns = request.columns?.map(broken)
        return request
    }

    private func toOne(_ position: Int, _ entity: Int, _ inner: ResolvedCondition, _ isNegated: Bool)
        -> ResolvedCondition
    {
        let condition = ResolvedCondition.toOne(position: position, entity: entity, inner, isNegated: isNegated)
        guard self == .pathLosesNil && isNegated else { return condition }
        return .all([condition, .compare(position: position, .notEqual, .null)])
    }

    private func toMany(_ entity: Int, _ position: Int, _ inner: ResolvedCondition, _ isNegated: Bool)
        -> ResolvedCondition
    {
        let condition = ResolvedCondition.toMany(entity: entity, position: position, inner, isNegated: isNegated)
        guard self == .noneNeedsSome && isNegated else { return condition }
        return .all([condition, .toMany(entity: entity, position: position, .always(true), isNegated: false)])
    }

    func broken(_ expression: TypedExpression) -> TypedExpression {
        var expression = expression
        expression.expression = broken(expression.expression)
        return expression
    }

    func broken(_ expression: ResolvedExpression) -> ResolvedExpression {
        switch expression {
        case .attribute, .value: return expression
        case .toOne(let position, let entity, let inner):
            return .toOne(position: position, entity: entity, broken(inner))
        case .arithmetic(let operation, let left, let right, let kind):
            return .arithmetic(operation, broken(left), broken(right), kind)
        case .date(let component, let inner, let offset): return .date(component, broken(inner), offset: offset)
        case .folded(let inner, let folding):
            return .folded(broken(inner), self == .foldsCaseAlone ? [.caseInsensitive] : folding)
        case .length(let inner): return .length(broken(inner))
        case .json(let inner, let path, let kind): return .json(broken(inner), path, kind)
        case .real(let inner): return .real(broken(inner))
        case .ifNil(let first, let second): return .ifNil(broken(first), broken(second))
        case .aggregate(var aggregate):
            if self == .relatedIgnoresCondition { aggregate.condition = nil }
            aggregate.condition = aggregate.condition.map(broken)
            aggregate.expression = aggregate.expression.map(broken)
            return .aggregate(aggregate)
        }
    }
}
