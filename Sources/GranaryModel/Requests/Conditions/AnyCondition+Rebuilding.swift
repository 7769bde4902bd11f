// Trees of nodes from a decoder or from inside another query are built again by the builders. This measures them,
// applies the limits, and gives each condition its single form.

extension AnyCondition {
    init(rebuilding node: Node) {
        self =
            switch node {
            case .always(let value): .always(value)
            case .compare(let attribute, let comparison, let value): .compare(attribute, comparison, value)
            case .among(let attribute, let values): .among(attribute, values)
            case .relation(let left, let comparison, let right):
                .relation(AnyExpression(rebuilding: left), comparison, AnyExpression(rebuilding: right))
            case .listed(let expression, let values):
                .listed(AnyExpression(rebuilding: expression), values.map { AnyExpression(rebuilding: $0) })
            case .text(let expression, let match): .text(AnyExpression(rebuilding: expression), match)
            case .exists(let relationship, let inner):
                .exists(relationship, inner.map { AnyCondition(rebuilding: $0) })
            case .amongRows(let expression, let query): .amongRows(AnyExpression(rebuilding: expression), query)
            case .search(let path, let search): .search(search, of: path)
            case .all(let nodes): .all(nodes.map { AnyCondition(rebuilding: $0) })
            case .any(let nodes): .any(nodes.map { AnyCondition(rebuilding: $0) })
            case .not(let inner): .not(AnyCondition(rebuilding: inner))
            case .invalid(let code, let message, let attribute): .invalid(code, message, attribute: attribute)
            }
    }

    /// True if an expression equals one of the values that another query gives; nil matches nil.
    public static func amongRows(_ expression: AnyExpression, _ query: AnySubquery) -> AnyCondition {
        var query = query
        let column = AnyExpression(rebuilding: query.column)
        let condition = query.condition.map { AnyCondition(rebuilding: $0) }
        let order = query.order.map { AnyExpression(rebuilding: $0.expression) }
        let parts = [expression, column] + order
        for case .invalid(let code, let message, let attribute) in parts.map(\.root) {
            return .invalid(code, message, attribute: attribute)
        }
        if let condition, case .invalid = condition.root { return condition }
        query.column = column.root
        query.condition = condition?.root
        for (index, value) in order.enumerated() { query.order[index].expression = value.root }
        // The query counts as one level.
        let inner = max(condition?.depth ?? 0, column.depth, order.map(\.depth).max() ?? 0) + 1
        return AnyCondition(
            .amongRows(expression.root, query), depth: max(expression.depth, inner) + 1,
            terms: parts.reduce(condition?.terms ?? 0) { $0 + $1.terms })
    }
}

extension AnyExpression {
    package init(rebuilding node: Node) {
        self =
            switch node {
            case .attribute(let path): .attribute(path)
            case .value(let value): .value(value)
            case .literal(let literal): .literal(literal)
            case .arithmetic(let operation, let left, let right):
                .arithmetic(AnyExpression(rebuilding: left), operation, AnyExpression(rebuilding: right))
            case .function(let function, let argument): .function(function, AnyExpression(rebuilding: argument))
            case .ifNil(let first, let second):
                .ifNil(AnyExpression(rebuilding: first), AnyExpression(rebuilding: second))
            case .aggregate(let function, let inner, let relationship, let condition, let isDistinct):
                .aggregate(
                    function, of: inner.map { AnyExpression(rebuilding: $0) }, over: relationship,
                    where: condition.map { AnyCondition(rebuilding: $0) }, isDistinct: isDistinct)
            case .rank(let search): .rank(of: search)
            case .invalid(let code, let message, let attribute):
                .invalid(GranaryError(code, message), attribute: attribute)
            }
    }
}
