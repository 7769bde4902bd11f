// Replaces the parts of a condition or expression by names, one level of the tree at a time.

extension AnyCondition.Node {
    /// The same condition with the parts about the same record replaced.
    package func map(
        _ expression: (AnyExpression.Node) throws -> AnyExpression.Node,
        condition: (AnyCondition.Node) throws -> AnyCondition.Node
    ) rethrows -> AnyCondition.Node {
        switch self {
        case .always, .compare, .among, .exists, .search, .invalid: self
        case .relation(let left, let comparison, let right):
            .relation(try expression(left), comparison, try expression(right))
        case .listed(let value, let values): .listed(try expression(value), try values.map(expression))
        case .text(let text, let match): .text(try expression(text), match)
        case .amongRows(let value, let query): .amongRows(try expression(value), query)
        case .all(let nodes): .all(try nodes.map(condition))
        case .any(let nodes): .any(try nodes.map(condition))
        case .not(let inner): .not(try condition(inner))
        }
    }
}

extension AnyExpression.Node {
    /// The same expression with the parts about the same record replaced.
    package func map(_ expression: (AnyExpression.Node) throws -> AnyExpression.Node) rethrows -> AnyExpression.Node {
        switch self {
        case .attribute, .value, .literal, .aggregate, .rank, .invalid: self
        case .arithmetic(let operation, let left, let right):
            .arithmetic(operation, try expression(left), try expression(right))
        case .function(let function, let argument): .function(function, try expression(argument))
        case .ifNil(let first, let second): .ifNil(try expression(first), try expression(second))
        }
    }
}
