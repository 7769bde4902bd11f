extension AnyCondition {
    public static func always(_ value: Bool) -> AnyCondition { AnyCondition(.always(value), depth: 1, terms: 1) }

    public static func compare(_ attribute: String, _ comparison: Comparison, _ value: StoredValue) -> AnyCondition {
        AnyCondition(.compare(attribute: attribute, comparison, value), depth: 1, terms: 1)
    }

    public static func among(_ attribute: String, _ values: [StoredValue]) -> AnyCondition {
        guard values.count <= maximumListedValues else { return tooLong(attribute: attribute) }
        return AnyCondition(.among(attribute: attribute, values), depth: 1, terms: 1)
    }

    static func among(_ attribute: String, encoded values: [Result<StoredValue, any Error>]) -> AnyCondition {
        var stored: [StoredValue] = []
        stored.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .success(let value): stored.append(value)
            case .failure(let error):
                let known = error as? GranaryError
                return .invalid(
                    known ?? GranaryError(.range, "A value cannot be compared: \(type(of: error))."),
                    attribute: attribute)
            }
        }
        return among(attribute, stored)
    }

    private static func tooLong(attribute: String?) -> AnyCondition {
        .invalid(
            .invalidQuery,
            "A list has more than the \(maximumListedValues) values that `in` takes. Split it.",
            attribute: attribute)
    }

    /// A comparison of two expressions. With an attribute on one side and a value on the other it is
    /// ``compare(_:_:_:)``. A comparison that tests whether a count is 0 is ``exists(_:_:)``.
    public static func relation(
        _ left: AnyExpression, _ comparison: Comparison, _ right: AnyExpression
    ) -> AnyCondition {
        switch (left.root, right.root) {
        case (.invalid(let code, let message, let attribute), _), (_, .invalid(let code, let message, let attribute)):
            return .invalid(code, message, attribute: attribute ?? left.root.attribute ?? right.root.attribute)
        case (.attribute(let name), .value(let value)): return .compare(name, comparison, value)
        case (.value(let value), .attribute(let name)): return .compare(name, comparison.mirrored, value)
        case (.attribute(let name), .literal(.date(let seconds))): return .compare(name, comparison, .real(seconds))
        case (.literal(.date(let seconds)), .attribute(let name)):
            return .compare(name, comparison.mirrored, .real(seconds))
        default:
            if let existence = existence(left, comparison, right) { return existence }
            return AnyCondition(
                .relation(left.root, comparison, right.root), depth: max(left.depth, right.depth) + 1,
                terms: left.terms + right.terms - 1)
        }
    }

    /// True if an expression equals one of these values. Lists of plain values over an attribute may have 100 000,
    /// others 10 000.
    public static func listed(_ expression: AnyExpression, _ values: [AnyExpression]) -> AnyCondition {
        guard values.count <= maximumListedValues else { return tooLong(attribute: nil) }
        let all = [expression] + values
        for case .invalid(let code, let message, let attribute) in all.map(\.root) {
            return .invalid(code, message, attribute: attribute)
        }
        if case .attribute(let name) = expression.root {
            let plain = values.compactMap { value -> StoredValue? in
                switch value.root {
                case .value(let stored): stored
                case .literal(.date(let seconds)): .real(seconds)
                default: nil
                }
            }
            if plain.count == values.count { return .among(name, plain) }
        }
        return AnyCondition(
            .listed(expression.root, values.map(\.root)), depth: (all.map(\.depth).max() ?? 0) + 1,
            terms: expression.terms + values.reduce(0) { $0 + $1.terms - 1 } + 1)
    }

    /// True for text that matches a pattern; false for nil.
    public static func text(_ expression: AnyExpression, _ match: TextMatch) -> AnyCondition {
        if case .invalid(let code, let message, let attribute) = expression.root {
            return .invalid(code, message, attribute: attribute)
        }
        return AnyCondition(
            .text(expression.root, match), depth: expression.depth + 1, terms: expression.terms)
    }

    /// True for records whose searchable attributes have the words of a search.
    ///
    /// - Parameters:
    ///   - search: The words.
    ///   - path: The path to another record or to one attribute; empty for the record itself.
    public static func search(_ search: SearchText, of path: String = "") -> AnyCondition {
        if case .invalid(let reason) = search.root {
            return .invalid(.invalidQuery, reason, attribute: path.isEmpty ? nil : path)
        }
        return AnyCondition(.search(path: path, search), depth: 1, terms: 1)
    }

    /// True if a condition holds for at least one record of the to-many relationship at a path.
    public static func exists(_ relationship: String, _ condition: AnyCondition? = nil) -> AnyCondition {
        if let condition, case .invalid = condition.root { return condition }
        return AnyCondition(
            .exists(relationship: relationship, condition?.root), depth: (condition?.depth ?? 0) + 1,
            terms: (condition?.terms ?? 0) + 1)
    }

    public static func not(_ condition: AnyCondition) -> AnyCondition {
        switch condition.root {
        case .not(let inner): AnyCondition(inner, depth: condition.depth - 1, terms: condition.terms)
        case .always(let value): .always(!value)
        case .invalid: condition
        default: AnyCondition(.not(condition.root), depth: condition.depth + 1, terms: condition.terms)
        }
    }

    /// True if all conditions are true. Without conditions, true. Nested conjunctions are joined into one.
    public static func all(_ conditions: [AnyCondition]) -> AnyCondition {
        joined(conditions, empty: true) {
            if case .all(let children) = $0 { children } else { nil }
        } make: {
            .all($0)
        }
    }

    /// True if at least one condition is true. Without conditions, false. Nested disjunctions are joined into one.
    public static func any(_ conditions: [AnyCondition]) -> AnyCondition {
        joined(conditions, empty: false) {
            if case .any(let children) = $0 { children } else { nil }
        } make: {
            .any($0)
        }
    }

    private static func joined(
        _ conditions: [AnyCondition], empty: Bool, children: (Node) -> [Node]?, make: ([Node]) -> Node
    ) -> AnyCondition {
        if conditions.count == 1 { return conditions[0] }
        guard !conditions.isEmpty else { return .always(empty) }
        if let invalid = conditions.first(where: { if case .invalid = $0.root { true } else { false } }) {
            return invalid
        }
        var nodes: [Node] = []
        var depth = 0
        var terms = 0
        for condition in conditions {
            terms += condition.terms
            if let inner = children(condition.root) {
                nodes.append(contentsOf: inner)
                depth = max(depth, condition.depth - 1)
            } else {
                nodes.append(condition.root)
                depth = max(depth, condition.depth)
            }
        }
        return AnyCondition(make(nodes), depth: depth + 1, terms: terms)
    }
}

extension AnyExpression.Node {
    /// The attribute, if the expression is just an attribute.
    fileprivate var attribute: String? { if case .attribute(let name) = self { name } else { nil } }
}
