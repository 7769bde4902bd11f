// A path of a condition on related records may go on after the to-many relationship: `ANY songs.album.title == "x"` asks
// for a song whose album has the title. Where it goes through which relationship only the schema says.

extension QueryResolver {
    /// The condition of ``AnyCondition/Node/exists(relationship:_:)`` with a relationship that is the end of its path: what
    /// follows is moved into the condition. Nil if nothing follows.
    func existsSplit(_ name: String, _ inner: AnyCondition.Node?, of start: Int) throws -> AnyCondition.Node? {
        let parts = try parts(ofPath: name, from: start)
        var current = start
        for (index, part) in parts.enumerated().dropLast() {
            let owner = entity(current)
            if let attribute = owner.attributes.first(where: { $0.name == part }) {
                guard let reference = attribute.reference else { return nil }
                current = try position(ofEntity: reference.entity)
                continue
            }
            guard let relationship = owner.relationships.first(where: { $0.name == part }) else { return nil }
            let target = try target(of: relationship).entity
            let rest = parts[(index + 1)...].joined(separator: ".")
            let isToOne = try leadsToOne(rest, from: target)
            let condition: AnyCondition.Node =
                isToOne
                ? inner.map { $0.reached(through: rest) } ?? .compare(attribute: rest, .notEqual, .null)
                : .exists(relationship: rest, inner)
            return .exists(relationship: parts[...index].joined(separator: "."), condition)
        }
        return nil
    }

    private func leadsToOne(_ path: String, from start: Int) throws -> Bool {
        var current = start
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let attribute = entity(current).attributes.first { $0.name == part }
            guard let reference = attribute?.reference else { return false }
            current = try position(ofEntity: reference.entity)
        }
        return true
    }
}

extension AnyCondition.Node {
    /// The same condition on a record that a path of to-one relationships leads to.
    fileprivate func reached(through path: String) -> AnyCondition.Node {
        func far(_ name: String) -> String { "\(path).\(name)" }
        return switch self {
        case .always, .invalid: self
        case .compare(let name, let comparison, let value): .compare(attribute: far(name), comparison, value)
        case .among(let name, let values): .among(attribute: far(name), values)
        case .relation(let left, let comparison, let right):
            .relation(left.reached(through: path), comparison, right.reached(through: path))
        case .listed(let expression, let values):
            .listed(expression.reached(through: path), values.map { $0.reached(through: path) })
        case .text(let expression, let match): .text(expression.reached(through: path), match)
        case .exists(let relationship, let inner): .exists(relationship: far(relationship), inner)
        case .amongRows(let expression, let query): .amongRows(expression.reached(through: path), query)
        case .all(let nodes): .all(nodes.map { $0.reached(through: path) })
        case .any(let nodes): .any(nodes.map { $0.reached(through: path) })
        case .not(let inner): .not(inner.reached(through: path))
        }
    }
}

extension AnyExpression.Node {
    fileprivate func reached(through path: String) -> AnyExpression.Node {
        switch self {
        case .attribute(let name): .attribute("\(path).\(name)")
        case .value, .literal, .invalid: self
        case .arithmetic(let operation, let left, let right):
            .arithmetic(operation, left.reached(through: path), right.reached(through: path))
        case .function(let function, let argument): .function(function, argument.reached(through: path))
        case .ifNil(let first, let second):
            .ifNil(first.reached(through: path), second.reached(through: path))
        case .aggregate(let function, let inner, let relationship, let condition, let isDistinct):
            .aggregate(
                function, of: inner, over: relationship.map { "\(path).\($0)" }, where: condition,
                isDistinct: isDistinct)
        }
    }
}
