import GranaryCore

// Conditions and expressions as a store with the fault misunderstands them.
extension Fault {
    func broken(_ condition: ResolvedCondition) -> ResolvedCondition {
        switch condition {
        case .any(let parts) where self == .unionLosesSecondHalf: .any(parts.prefix((parts.count + 1) / 2).map(broken))
        case .compare(let position, .notEqual, let value) where self == .notEqualLosesNil && value != .null:
            .all([condition, .compare(position: position, .notEqual, .null)])
        case .compare(let position, .lessOrEqual, let value) where self == .lessOrEqualIsLess:
            .compare(position: position, .less, value)
        case .among(let position, let values) where self == .amongLosesNil && values.contains(.null):
            values.count == 1 ? .always(false) : .among(position: position, values.filter { $0 != .null })
        case .text(let expression, let match, let isNegated): text(broken(expression), match, isNegated)
        case .toOne(let position, let entity, let inner, let isNegated):
            toOne(position, entity, broken(inner), isNegated)
        case .toMany(let entity, let position, let inner, let isNegated):
            toMany(entity, position, broken(inner), isNegated)
        default: condition.map(broken, condition: broken, request: subquery)
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
        case .function(.folded, let inner) where self == .foldsCaseAlone:
            return .function(.folded(.caseInsensitive), broken(inner))
        case .aggregate(var aggregate) where self == .relatedIgnoresCondition:
            aggregate.condition = nil
            return ResolvedExpression.aggregate(aggregate).map(broken, condition: broken)
        default: return expression.map(broken, condition: broken)
        }
    }
}
