extension QueryResolver {
    package func condition(_ node: AnyCondition.Node, of entity: Int, negated: Bool = false) throws -> ResolvedCondition
    {
        switch node {
        case .always(let value): return .always(value != negated)
        case .not(let inner): return try condition(inner, of: entity, negated: !negated)
        case .all(let nodes): return try group(nodes, isAll: !negated, negated: negated, entity)
        case .any(let nodes): return try group(nodes, isAll: negated, negated: negated, entity)
        case .invalid(let code, let message, let attribute):
            throw GranaryError(
                code, message, entity: self.entity(entity).name, attributes: attribute.map { [$0] } ?? [])
        case .among(let name, let values): return try among(name, values, of: entity, negated: negated)
        case .compare(let name, let comparison, let value):
            return try compare(name, comparison, value, of: entity, negated: negated)
        case .relation(let left, let comparison, let right):
            return try relation(left, comparison, right, of: entity, negated: negated)
        case .listed(let expression, let values):
            return try listed(expression, values, of: entity, negated: negated)
        case .text(let expression, let match): return try text(expression, match, of: entity, negated: negated)
        case .exists(let relationship, let inner):
            return try exists(relationship, inner, of: entity, negated: negated)
        case .search(let path, let search):
            return try self.search(search, at: path, of: entity, negated: negated)
        case .amongRows(let expression, let query):
            return try amongRows(expression, query, of: entity, negated: negated)
        }
    }

    private func group(
        _ nodes: [AnyCondition.Node], isAll: Bool, negated: Bool, _ entity: Int
    ) throws -> ResolvedCondition {
        var parts: [ResolvedCondition] = []
        for node in nodes {
            let part = try condition(node, of: entity, negated: negated)
            switch part {
            case .always(let value):
                // A constant that decides ends the group; any other constant is dropped. The remaining parts are still
                // checked.
                if value != isAll {
                    for other in nodes { _ = try condition(other, of: entity, negated: negated) }
                    return .always(value)
                }
            case .all(let inner) where isAll: parts += inner
            case .any(let inner) where !isAll: parts += inner
            default: parts.append(part)
            }
        }
        parts = QueryResolver.joined(parts, isAll: isAll).withFailingLast()
        if parts.isEmpty { return .always(isAll) }
        if parts.count == 1 { return parts[0] }
        return isAll ? .all(parts) : .any(parts)
    }

    /// Conditions on the record of the same reference are joined into one, because the reference names only one record.
    private static func joined(_ parts: [ResolvedCondition], isAll: Bool) -> [ResolvedCondition] {
        var result: [ResolvedCondition] = []
        var places: [Int: Int] = [:]
        for part in parts {
            guard case .toOne(let position, let entity, let inner, false) = part else {
                result.append(part)
                continue
            }
            guard let place = places[position], case .toOne(_, _, let earlier, _) = result[place] else {
                places[position] = result.count
                result.append(part)
                continue
            }
            func list(_ condition: ResolvedCondition) -> [ResolvedCondition] {
                switch condition {
                case .all(let parts) where isAll: parts
                case .any(let parts) where !isAll: parts
                default: [condition]
                }
            }
            let both = joined(list(earlier) + list(inner), isAll: isAll)
            let one = both.count == 1 ? both[0] : isAll ? .all(both.withFailingLast()) : .any(both.withFailingLast())
            result[place] = .toOne(position: position, entity: entity, one, isNegated: false)
        }
        return result
    }

    private func among(_ name: String, _ values: [StoredValue], of entity: Int, negated: Bool) throws
        -> ResolvedCondition
    {
        let path = try path(name, from: entity)
        try refuseExternal(path)
        let owner = self.entity(path.entity)
        let attribute = owner.attributes[path.position]
        let listsNil = values.contains(.null)
        return try through(path.references, holdsOfNil: listsNil != negated, negated: negated) { negated in
            let exact = try values.compactMap {
                try attribute.exactValue(of: $0.nearest(in: attribute.type), in: owner)
            }
            let sorted = Set(exact).sorted()
            if sorted.isEmpty { return .always(negated) }
            return negated
                ? .notAmong(position: path.position, sorted) : .among(position: path.position, sorted)
        }
    }

    func compare(
        _ name: String, _ comparison: Comparison, _ value: StoredValue, of entity: Int, negated: Bool
    ) throws -> ResolvedCondition {
        let path = try path(name, from: entity)
        if value != .null || (comparison != .equal && comparison != .notEqual) { try refuseExternal(path) }
        let owner = self.entity(path.entity)
        let holds = value == .null ? comparison == .equal : comparison == .notEqual
        return try through(path.references, holdsOfNil: holds != negated, negated: negated) { negated in
            try comparing(path.position, comparison, value, negated: negated, owner)
        }
    }

    private func comparing(
        _ position: Int, _ comparison: Comparison, _ value: StoredValue, negated: Bool, _ entity: Entity
    ) throws -> ResolvedCondition {
        let attribute = entity.attributes[position]
        func term(_ comparison: Comparison, _ value: StoredValue) -> ResolvedCondition {
            .compare(position: position, comparison, value)
        }
        if value == .null {
            switch (comparison, negated) {
            case (.equal, false), (.notEqual, true): return attribute.isOptional ? term(.equal, .null) : .always(false)
            case (.notEqual, false), (.equal, true):
                return attribute.isOptional ? term(.notEqual, .null) : .always(true)
            default: return .always(negated)
            }
        }
        let wanted = negated ? comparison.complement : comparison
        var result: ResolvedCondition
        switch try attribute.exactBound(comparison: wanted, of: value.nearest(in: attribute.type), in: entity) {
        case .constant(let holds): result = .always(holds)
        case .bound(let comparison, let value): result = term(comparison, value)
        }
        // For nil only != is true; the complement of an order is also true for nil.
        let holdsOfNil = wanted == .notEqual || (negated && comparison != .equal && comparison != .notEqual)
        if attribute.isOptional, case .always(let holds) = result {
            result = holds == holdsOfNil ? result : term(holds ? .notEqual : .equal, .null)
        } else if attribute.isOptional && holdsOfNil && wanted != .notEqual {
            result = .any([result, term(.equal, .null)])
        }
        return result
    }

    private func text(_ node: AnyExpression.Node, _ match: TextMatch, of entity: Int, negated: Bool) throws
        -> ResolvedCondition
    {
        func checked(_ expression: TypedExpression, _ owner: Int) throws -> ResolvedExpression {
            guard expression.type.storage == .text else {
                throw GranaryError(
                    .typeMismatch, "A text pattern is asked of \(expression.type). Ask it of text.",
                    entity: self.entity(owner).name)
            }
            return expression.expression
        }
        if case .attribute(let name) = node {
            let path = try path(name, from: entity)
            return try through(path.references, holdsOfNil: negated, negated: negated) { negated in
                .text(try checked(attribute(path.position, of: path.entity), path.entity), match, isNegated: negated)
            }
        }
        return .text(try checked(try expression(node, of: entity), entity), match, isNegated: negated)
    }

    private func exists(_ name: String, _ inner: AnyCondition.Node?, of entity: Int, negated: Bool) throws
        -> ResolvedCondition
    {
        if let split = try existsSplit(name, inner, of: entity) {
            return try condition(split, of: entity, negated: negated)
        }
        let (references, _, relationship) = try relationship(name, from: entity)
        let target = try target(of: relationship)
        let condition = try target.condition(inner.map { try self.condition($0, of: target.entity) })
        return try through(references, holdsOfNil: negated, negated: negated) { negated in
            if condition == .always(false) { return .always(negated) }
            return .toMany(
                entity: target.source, position: target.position, condition ?? .always(true), isNegated: negated)
        }
    }

    private func amongRows(_ node: AnyExpression.Node, _ query: AnySubquery, of entity: Int, negated: Bool) throws
        -> ResolvedCondition
    {
        var request = try FetchRequest(
            entityNamed: query.entity, node: query.condition, order: query.order, limit: query.limit,
            offset: query.offset, self)
        let column = try expression(query.column, of: request.entity)
        try request.select([column], isDistinct: query.isDistinct, self.entity(request.entity))
        // The set of values is the same unless a limit or an offset leaves some out.
        if request.limit == nil && request.offset == 0 { request.isDistinct = false }
        func checked(_ value: TypedExpression) throws -> ResolvedExpression {
            guard value.type.isComparable(with: column.type) else {
                throw mismatch("A condition looks for \(value.type) among \(column.type).", entity)
            }
            return value.expression
        }
        return .amongRows(try checked(try expression(node, of: entity)), request, isNegated: negated)
    }

    func mismatch(_ message: String, _ entity: Int) -> GranaryError {
        GranaryError(.typeMismatch, message, entity: self.entity(entity).name)
    }
}

/// The target of a to-many relationship.
package struct RelationshipTarget {
    /// The entity whose records refer to the owner, and the position of the reference.
    package var source: Int
    package var position: Int
    /// In a many-to-many relationship, the position of the link's reference to the other side.
    package var through: Int?
    /// Whether that reference may be without a record.
    package var isOptional = false
    /// The entity of the related records.
    package var entity: Int

    /// Turns a condition on the related record into one on the record that refers to the owner.
    package func condition(_ condition: ResolvedCondition?) throws -> ResolvedCondition? {
        guard let through, let condition, condition != .always(true) else { return condition }
        if condition == .always(false) { return condition }
        return .toOne(position: through, entity: entity, condition, isNegated: false)
    }

    func expression(_ expression: TypedExpression) -> TypedExpression {
        guard let through else { return expression }
        return TypedExpression(
            .toOne(position: through, entity: entity, expression.expression), expression.type,
            isOptional: expression.isOptional || isOptional)
    }
}

extension QueryResolver {
    package func target(of relationship: Relationship) throws -> RelationshipTarget {
        let source = try position(ofEntity: relationship.entity)
        let owner = entity(source)
        let position = try owner.position(ofAttribute: relationship.attribute)
        guard let name = relationship.through else {
            return RelationshipTarget(source: source, position: position, through: nil, entity: source)
        }
        let through = try owner.position(ofAttribute: name)
        let attribute = owner.attributes[through]
        return RelationshipTarget(
            source: source, position: position, through: through,
            isOptional: attribute.isOptional || attribute.reference?.onDelete == .noAction,
            entity: try self.position(ofEntity: attribute.reference?.entity ?? ""))
    }
}
