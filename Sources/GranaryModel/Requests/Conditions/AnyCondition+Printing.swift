extension AnyCondition: CustomStringConvertible {
    /// The condition in source form, with values such as dates and decimals in their stored form.
    public var description: String { root.text(isOutermost: true) }
}

extension AnyExpression: CustomStringConvertible {
    public var description: String { root.text }
}

extension AnyCondition.Node {
    func text(isOutermost: Bool) -> String {
        func group(_ nodes: [AnyCondition.Node], _ separator: String) -> String {
            let joined = nodes.map { $0.text(isOutermost: false) }.joined(separator: separator)
            return isOutermost ? joined : "(\(joined))"
        }
        return switch self {
        case .always(let value): value ? "true" : "false"
        case .compare(let attribute, let comparison, let value): "\(attribute) \(comparison.rawValue) \(value)"
        case .among(let attribute, let values):
            "\(attribute) in [\(values.map(\.description).joined(separator: ", "))]"
        case .relation(let left, let comparison, let right): "\(left.text) \(comparison.rawValue) \(right.text)"
        case .listed(let expression, let values):
            "\(expression.text) in [\(values.map(\.text).joined(separator: ", "))]"
        case .text(let expression, let match): "\(expression.text) \(match)"
        case .exists(let relationship, nil): "\(relationship) is not empty"
        case .exists(let relationship, let inner?): "any \(relationship) (\(inner.text(isOutermost: true)))"
        case .amongRows(let expression, let query): "\(expression.text) in (\(query))"
        case .search(let path, let search): "search(\(path.isEmpty ? "" : path + ", ")\(search))"
        case .all(let nodes): group(nodes, " && ")
        case .any(let nodes): group(nodes, " || ")
        case .not(let inner): "!\(inner.text(isOutermost: false))"
        case .invalid(let code, _, _): "<\(code)>"
        }
    }
}

extension AnyExpression.Node {
    /// The expression in source form.
    package var text: String {
        if let negated { return "-\(negated.text)" }
        switch self {
        case .attribute(let name): return name
        case .value(let value): return "\(value)"
        case .literal(let literal): return "\(literal)"
        case .arithmetic(let operation, let left, let right):
            return "(\(left.text) \(operation.rawValue) \(right.text))"
        case .ifNil(let first, let second): return "(\(first.text) ?? \(second.text))"
        case .function(let function, let argument): return function.text(of: argument.text)
        case .aggregate(let function, let inner, let relationship, let condition, let isDistinct):
            let source = relationship.map { $0 + "." } ?? ""
            var inside = inner?.text ?? ""
            if isDistinct { inside = "distinct \(inside)" }
            if let condition { inside += "\(inside.isEmpty ? "" : " ")where \(condition.text(isOutermost: true))" }
            return "\(source)\(function.rawValue)(\(inside))"
        case .rank(let search): return "rank(\(search?.description ?? ""))"
        case .invalid(let code, _, _): return "<\(code)>"
        }
    }
}

extension AnyExpression.Literal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): "\"\(text)\""
        case .date(let seconds): "date(\(seconds))"
        }
    }
}

extension TextMatch: CustomStringConvertible {
    public var description: String {
        let name = kind == .equal ? "==" : kind.rawValue
        return "\(name)\(folding) \"\(String(decoding: pattern, as: UTF8.self))\""
    }
}

extension AnySubquery: CustomStringConvertible {
    public var description: String {
        var text = "\(isDistinct ? "distinct " : "")\(column.text) of \(entity)"
        if let condition { text += " where \(condition.text(isOutermost: true))" }
        if !order.isEmpty { text += " sorted by \(order.map(\.description).joined(separator: ", "))" }
        if let limit { text += " limit \(limit)" }
        if offset != 0 { text += " offset \(offset)" }
        return text
    }
}

extension StoredValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "nil"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let utf8): "\"\(String(decoding: utf8, as: UTF8.self))\""
        case .bytes(let bytes): "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }
}
