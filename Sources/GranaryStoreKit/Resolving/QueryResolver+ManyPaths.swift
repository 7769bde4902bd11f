// A path of a condition on related records may continue after the to-many relationship: `ANY songs.album.title == "x"`
// asks for a song whose album has the title. Only the schema shows where a path passes through a to-many relationship.

extension QueryResolver {
    /// The condition of ``AnyCondition/Node/exists(relationship:_:)`` with a relationship at the end of its path: the
    /// rest of the path is moved into the condition. Nil if the path has no rest.
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
        case .compare(let name, let comparison, let value): .compare(attribute: far(name), comparison, value)
        case .among(let name, let values): .among(attribute: far(name), values)
        case .exists(let relationship, let inner): .exists(relationship: far(relationship), inner)
        case .search(let name, let search): .search(path: name.isEmpty ? path : far(name), search)
        default:
            map {
                $0.reached(through: path)
            } condition: {
                $0.reached(through: path)
            }
        }
    }
}

extension AnyExpression.Node {
    fileprivate func reached(through path: String) -> AnyExpression.Node {
        switch self {
        case .attribute(let name): .attribute("\(path).\(name)")
        case .aggregate(let function, let inner, let relationship, let condition, let isDistinct):
            .aggregate(
                function, of: inner, over: relationship.map { "\(path).\($0)" }, where: condition,
                isDistinct: isDistinct)
        default: map { $0.reached(through: path) }
        }
    }
}
