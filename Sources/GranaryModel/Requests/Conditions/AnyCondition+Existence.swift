extension AnyCondition {
    /// Turns a test of whether a count is 0 into a question that a store answers at the first record that it finds.
    static func existence(
        _ left: AnyExpression, _ comparison: Comparison, _ right: AnyExpression
    ) -> AnyCondition? {
        if let bound = right.smallBound { return existence(left, comparison, bound) }
        if let bound = left.smallBound { return existence(right, comparison.mirrored, bound) }
        return nil
    }

    private static func existence(_ count: AnyExpression, _ comparison: Comparison, _ bound: Int) -> AnyCondition? {
        guard
            case .aggregate(.count, of: nil, over: let relationship?, where: let condition, isDistinct: false) =
                count.root
        else { return nil }
        let exists = AnyCondition(
            .exists(relationship: relationship, condition), depth: count.depth, terms: count.terms)
        switch (comparison, bound) {
        case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): return exists
        case (.equal, 0), (.lessOrEqual, 0), (.less, 1): return .not(exists)
        default: return nil
        }
    }
}

extension AnyExpression {
    /// The value of the expression if it is 0 or 1.
    fileprivate var smallBound: Int? {
        switch root {
        case .value(.integer(0)), .literal(.number("0")): 0
        case .value(.integer(1)), .literal(.number("1")): 1
        default: nil
        }
    }
}
