/// Turns names into positions, checks types, and pushes negation down to the terms: once, above the stores.
///
/// `!(a < 5)` becomes `a >= 5 || a == nil`, two searches of an index. SQL's `NOT (a < 5)` would scan and leave nils
/// out. A condition on a path becomes one on the record at its end: `album.artist.name == "X"` is
/// `toOne(album, toOne(artist, name == "X"))`, which a store may answer from either end.
///
/// Its recursion is bounded by ``AnyCondition/maximumDepth``.
package struct QueryResolver {
    /// The greatest number of relationships in one path: a bound, like the depth of conditions.
    static let maximumPathLength = 20

    package let schema: Schema
    /// The condition of the request, whose searches a rank without a search of its own is about.
    private let ranked: AnyCondition.Node?

    /// - Parameter condition: The condition of the request whose parts are resolved, if they may have ranks.
    package init(schema: Schema, ranking condition: AnyCondition.Node? = nil) {
        self.schema = schema
        ranked = condition
    }

    /// The searches of the request's own records, as one.
    var ownSearch: SearchText? { ranked?.ownSearch }

    func entity(_ position: Int) -> Entity { schema.entities[position] }

    package func position(ofEntity name: String) throws -> Int { try schema.position(ofEntity: name) }

    /// References to follow, and an attribute of the entity at their end.
    package struct Path {
        package var references: [Reference] = []
        package var entity: Int
        package var position: Int

        package struct Reference {
            package var position: Int
            /// The entity at the end of the references.
            package var entity: Int
            /// Whether the record of the reference always exists, unless the reference is nil.
            package var isEnforced: Bool
            package var isOptional: Bool
        }
    }

    /// - Throws: `unknownAttribute`; `invalidQuery` if a part before the last one is not a to-one relationship.
    func path(_ name: String, from start: Int) throws -> Path {
        guard name.utf8.contains(UInt8(ascii: ".")) else {
            return Path(entity: start, position: try schema.entities[start].position(ofAttribute: name))
        }
        let (parts, references, end) = try walk(name, from: start)
        var path = Path(
            references: references, entity: end, position: try entity(end).position(ofAttribute: parts.last ?? ""))
        // The key at the end of a reference is the reference itself.
        while let last = path.references.last, last.isEnforced, path.position == entity(path.entity).keyPosition {
            path.references.removeLast()
            path.entity = path.references.last?.entity ?? start
            path.position = last.position
        }
        return path
    }

    /// The to-one relationships at the beginning of a path to a to-many relationship, and that relationship.
    package func relationship(_ name: String, from start: Int) throws -> (
        references: [Path.Reference], entity: Int, Relationship
    ) {
        let (parts, references, end) = try walk(name, from: start)
        let last = parts.last ?? ""
        if let referring = try Relationship(referringName: last, to: entity(end), in: schema) {
            return (references, end, referring)
        }
        return (references, end, try entity(end).relationship(named: last))
    }

    /// A path's parts, the references before the last part, and the entity that they lead to.
    private func walk(_ name: String, from start: Int) throws -> (parts: [String], [Path.Reference], entity: Int) {
        let parts = try parts(ofPath: name, from: start)
        var references: [Path.Reference] = []
        var current = start
        for part in parts.dropLast() {
            let next = try reference(part, of: current, in: name)
            references.append(next)
            current = next.entity
        }
        return (parts, references, current)
    }

    package func parts(ofPath name: String, from start: Int) throws -> [String] {
        var parts: [String] = []
        var rest = name[...]
        while let point = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            parts.append(String(rest[..<point]))
            rest = rest[rest.utf8.index(after: point)...]
        }
        parts.append(String(rest))
        guard parts.count <= QueryResolver.maximumPathLength + 1 else {
            throw GranaryError(
                .invalidQuery,
                "A path goes through more than \(QueryResolver.maximumPathLength) relationships. Ask in several queries.",
                entity: entity(start).name)
        }
        return parts
    }

    private func reference(_ part: String, of current: Int, in name: String) throws -> Path.Reference {
        let owner = entity(current)
        let position = try owner.position(ofAttribute: part)
        let attribute = owner.attributes[position]
        guard let reference = attribute.reference else {
            throw GranaryError(
                .invalidQuery,
                "\"\(name)\" goes through \(owner.name).\(part), which is no to-one relationship. Use `contains` or an aggregate for to-many ones.",
                entity: owner.name, attributes: [part])
        }
        return Path.Reference(
            position: position, entity: try self.position(ofEntity: reference.entity),
            isEnforced: reference.onDelete != .noAction, isOptional: attribute.isOptional)
    }

    /// A condition on the record at the end of references.
    ///
    /// - Parameters:
    ///   - holdsOfNil: Whether the condition is true if the record does not exist.
    ///   - make: The condition itself, or its complement.
    func through(
        _ references: [Path.Reference], holdsOfNil: Bool, negated: Bool,
        _ make: (_ negated: Bool) throws -> ResolvedCondition
    ) throws -> ResolvedCondition {
        if references.isEmpty { return try make(negated) }
        var result = try make(holdsOfNil ? !negated : negated)
        for (index, reference) in references.enumerated().reversed() {
            let isNegated = holdsOfNil && index == 0
            switch result {
            case .always(false): result = .always(isNegated)
            case .always(true) where reference.isEnforced && !reference.isOptional: result = .always(!isNegated)
            case .always(true) where reference.isEnforced:
                result = .compare(position: reference.position, isNegated ? .equal : .notEqual, .null)
            default:
                result = .toOne(
                    position: reference.position, entity: reference.entity, result, isNegated: isNegated)
            }
        }
        return result
    }
}

extension FetchRequest {
    /// Checks a query against a schema.
    ///
    /// - Throws: `unknownEntity`, `unknownAttribute`, `typeMismatch`, `invalidQuery`, and the error of an invalid
    ///   condition.
    public init(
        entityNamed name: String, condition: AnyCondition?, order: [Ordering], limit: Int?, offset: Int,
        in schema: Schema
    ) throws {
        try self.init(
            entityNamed: name, node: condition?.root, order: order, limit: limit, offset: offset,
            QueryResolver(schema: schema))
    }

    package init(
        entityNamed name: String, node: AnyCondition.Node?, order: [Ordering], limit: Int?, offset: Int,
        _ resolver: QueryResolver
    ) throws {
        let resolver = QueryResolver(schema: resolver.schema, ranking: node)
        let position = try resolver.position(ofEntity: name)
        guard (limit ?? 0) >= 0, offset >= 0 else {
            throw GranaryError(.invalidQuery, "A limit and an offset are zero or more.", entity: name)
        }
        let resolved = try node.map { try resolver.condition($0, of: position) }
        let terms = try resolver.orderTerms(order, of: position)
        self.init(
            entity: position, condition: resolved == .always(true) ? nil : resolved, order: terms, limit: limit,
            offset: offset)
    }
}
