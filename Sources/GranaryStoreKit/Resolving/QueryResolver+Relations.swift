// Comparisons of expressions. If they turn out to be an attribute beside a value, they are treated like plain
// comparisons, which an index can answer.

extension QueryResolver {
    func relation(
        _ left: AnyExpression.Node, _ comparison: Comparison, _ right: AnyExpression.Node, of entity: Int, negated: Bool
    ) throws -> ResolvedCondition {
        // A single form, for which indexes are looked up: the expression is on the left.
        if left.isConstant && !right.isConstant {
            return try relation(right, comparison.mirrored, left, of: entity, negated: negated)
        }
        switch (left, right) {
        case (.attribute(let name), .literal(let literal)):
            let type = try type(ofPath: name, from: entity)
            return try compare(name, comparison, try value(literal, as: type, entity), of: entity, negated: negated)
        case (.attribute(let name), .value(let value)):
            return try compare(name, comparison, value, of: entity, negated: negated)
        default: break
        }
        var (first, second) = try pair(left, right, of: entity)
        if first.type.isExactNumber, second.type.isExactNumber, !first.type.isComparable(with: second.type) {
            (first, second) = (first.asDecimal, second.asDecimal)
        }
        guard first.type.isComparable(with: second.type) else {
            throw mismatch("A condition compares \(first.type) with \(second.type).", entity)
        }
        if case .value(let a) = first.expression, case .value(let b) = second.expression {
            return .always(comparison.holds(a, b) != negated)
        }
        return .relation(first.expression, comparison, second.expression, isNegated: negated)
    }

    func listed(_ node: AnyExpression.Node, _ nodes: [AnyExpression.Node], of entity: Int, negated: Bool) throws
        -> ResolvedCondition
    {
        let expression = try expression(node, of: entity)
        let constant = constantType(beside: node, expression, entity)
        var values: [StoredValue] = []
        var others: [ResolvedCondition] = []
        for other in nodes {
            switch other {
            case .value(let value): values.append(value.nearest(in: constant))
            case .literal(let literal): values.append(try value(literal, as: constant, entity))
            default: others.append(try relation(node, .equal, other, of: entity, negated: negated))
            }
        }
        var parts = others
        if case .attribute(let name) = node {
            parts.append(try condition(.among(attribute: name, values), of: entity, negated: negated))
        } else {
            let sorted = Set(try values.compactMap { try exact($0, in: expression, entity) }).sorted()
            parts.append(
                sorted.isEmpty ? .always(negated) : .listed(expression.expression, sorted, isNegated: negated))
        }
        if parts.count == 1 { return parts[0] }
        return negated ? .all(parts) : .any(parts)
    }

    /// A value to search for in an expression, in its storage class: for an integer that is 1 or 2.5, only 1 is
    /// searched for.
    private func exact(_ value: StoredValue, in expression: TypedExpression, _ entity: Int) throws -> StoredValue? {
        let kind = expression.type.storage
        let isNumber =
            switch value {
            case .integer: true
            case .real(let real): !real.isNaN
            default: false
            }
        guard value == .null || value.kind == kind || isNumber && expression.type.isPlainNumber else {
            throw mismatch("A condition looks for \(expression.type) among values of kind \(value.kind).", entity)
        }
        return value.exact(in: kind)
    }

    /// Two expressions, where a value or literal takes the type of the other one.
    func pair(
        _ left: AnyExpression.Node, _ right: AnyExpression.Node, of entity: Int
    ) throws -> (TypedExpression, TypedExpression) {
        if left.isConstant && !right.isConstant {
            let second = try expression(right, of: entity)
            return (try expression(left, of: entity, expecting: constantType(beside: right, second, entity)), second)
        }
        let first = try expression(left, of: entity)
        let expected = right.isConstant ? constantType(beside: left, first, entity) : first.type
        return (first, try expression(right, of: entity, expecting: expected))
    }

    /// The type of a value or literal beside an expression: the type of the expression, but Float beside an expression
    /// that is computed only from Floats. Such an expression is computed with doubles, but has the type Float in the
    /// typed form, and so has the value compared with it.
    func constantType(beside node: AnyExpression.Node, _ expression: TypedExpression, _ entity: Int)
        -> AttributeType
    {
        expression.type == .double && isOfFloats(node, entity) ? .float : expression.type
    }

    private func isOfFloats(_ node: AnyExpression.Node, _ entity: Int) -> Bool {
        switch node {
        case .value, .literal, .rank, .invalid: return false
        case .attribute(let name): return (try? type(ofPath: name, from: entity)) == .float
        case .function(.absolute, let argument): return isOfFloats(argument, entity)
        case .function: return false
        case .aggregate(.minimum, of: let inner?, over: let name?, _, _),
            .aggregate(.maximum, of: let inner?, over: let name?, _, _):
            guard let relationship = try? relationship(name, from: entity).2,
                let target = try? target(of: relationship)
            else { return false }
            return isOfFloats(inner, target.entity)
        case .aggregate: return false
        case .ifNil(let first, let second), .arithmetic(_, let first, let second):
            return (first.isConstant || isOfFloats(first, entity)) && (second.isConstant || isOfFloats(second, entity))
                && !(first.isConstant && second.isConstant)
        }
    }

    private func type(ofPath name: String, from entity: Int) throws -> AttributeType {
        let path = try path(name, from: entity)
        return self.entity(path.entity).attributes[path.position].type
    }
}

extension AnyExpression.Node {
    var isConstant: Bool {
        switch self {
        case .value, .literal: true
        default: false
        }
    }
}

extension AttributeType {
    /// Whether values of the two types can be compared: numbers with numbers, text with text, and otherwise only equal
    /// types.
    func isComparable(with other: AttributeType) -> Bool {
        if self == other { return true }
        if isPlainNumber && other.isPlainNumber { return true }
        return storage == .text && other.storage == .text
    }

    /// Integers and doubles whose stored form is the number itself.
    var isPlainNumber: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double: true
        default: false
        }
    }

    /// Integers and decimals, with and without places.
    var isExactNumber: Bool { isPlainInteger || isScaled || self == .decimal }

    /// Plain integers.
    var isPlainInteger: Bool { isPlainNumber && storage == .integer }
}
