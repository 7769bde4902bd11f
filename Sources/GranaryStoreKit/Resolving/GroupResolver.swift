// The expressions of a grouped query consist of group values and aggregates. Each of these becomes an attribute of a
// separate entity, whose records are the rows that a store answers with. The remaining expressions and conditions are
// about that entity, and run on those rows by the same code as everywhere. The entity has the name of the queried
// entity, because errors show it.

/// A grouped query in the form for stores, and what core does with the answer.
package struct ResolvedGrouping {
    package var request: FetchRequest
    /// The entity of the groups.
    package var schema: Schema
    package var columns: [TypedExpression]
    package var having: ResolvedCondition?
    package var order: [FetchRequest.OrderTerm]
    package var limit: Int?
    package var offset: Int
}

extension ResolvedGrouping {
    /// - Parameter condition: The condition of the rows, for ranks.
    /// - Throws: `unknownAttribute`, `typeMismatch`; `invalidQuery` for anything but a group's value or an aggregate.
    package init(
        _ grouping: AnyGrouping, of rows: FetchRequest, in schema: Schema, ranking condition: AnyCondition? = nil
    ) throws {
        guard (grouping.limit ?? 0) >= 0, grouping.offset >= 0 else {
            throw GranaryError(
                .invalidQuery, "A limit and an offset are zero or more.", entity: schema.entities[rows.entity].name)
        }
        let source = QueryResolver(schema: schema, ranking: condition?.root)
        var collector = GroupCollector(grouping.groups, of: rows.entity, source)
        let columns = try grouping.columns.map { try collector.rewritten($0.root) }
        let having = try grouping.having.map { try collector.rewritten($0.root) }
        let order = try grouping.order.map { ordering in
            var ordering = ordering
            ordering.expression = try collector.rewritten(ordering.expression)
            return ordering
        }
        request = try collector.request(rows)
        self.schema = Schema(entities: [collector.entity])
        let resolver = QueryResolver(schema: self.schema)
        self.columns = try columns.map { try resolver.expression($0, of: 0) }
        self.having = try having.map { try resolver.condition($0, of: 0) }
        self.order = try order.map { try resolver.orderTerm($0, of: 0) }
        for position in grouping.groups.indices {
            self.order.append(
                FetchRequest.OrderTerm(resolver.attribute(position, of: 0), isDescending: false))
        }
        (limit, offset) = (grouping.limit, grouping.offset)
    }
}

/// Collects the groups' values and the aggregates of a grouped query, and replaces them by names of its own.
private struct GroupCollector {
    private let source: Int
    private let resolver: QueryResolver
    private let groups: [AnyExpression.Node]
    private var aggregates: [AnyExpression.Node] = []
    private var resolvedGroups: [TypedExpression] = []
    private var resolved: [Aggregation.Aggregate] = []

    init(_ groups: [AnyExpression], of source: Int, _ resolver: QueryResolver) {
        self.groups = groups.map(\.root)
        self.source = source
        self.resolver = resolver
    }

    mutating func request(_ rows: FetchRequest) throws -> FetchRequest {
        resolvedGroups = try groups.map { try resolver.expression($0, of: source) }
        return rows.aggregated(groups: resolvedGroups, resolved)
    }

    /// The entity of the groups. The names of its attributes cannot be those of a schema.
    var entity: Entity {
        var attributes: [Attribute] = []
        for (index, group) in resolvedGroups.enumerated() {
            attributes.append(Attribute("group \(index)", group.type, isOptional: group.isOptional))
        }
        for (index, aggregate) in resolved.enumerated() {
            let type = aggregate.value.flatMap { aggregate.function.resultType(of: $0.type) } ?? .int64
            attributes.append(
                Attribute(
                    "aggregate \(index)", type, isOptional: aggregate.function != .count && aggregate.function != .sum))
        }
        return Entity(
            resolver.schema.entities[source].name, key: attributes.first?.name ?? "", attributes: attributes)
    }

    // The depth is bounded by AnyCondition.maximumDepth.
    mutating func rewritten(_ node: AnyExpression.Node) throws -> AnyExpression.Node {
        if let group = groups.firstIndex(of: node) { return .attribute("group \(group)") }
        switch node {
        case .attribute(let name): throw neither(name)
        case .aggregate(let function, let inner, nil, let condition, let isDistinct):
            if let known = aggregates.firstIndex(of: node) { return .attribute("aggregate \(known)") }
            aggregates.append(node)
            resolved.append(try aggregate(function, inner, condition, isDistinct))
            return .attribute("aggregate \(aggregates.count - 1)")
        case .aggregate: throw neither(node.text)
        default: return try node.map { try rewritten($0) }
        }
    }

    mutating func rewritten(_ node: AnyCondition.Node) throws -> AnyCondition.Node {
        switch node {
        case .compare(let name, let comparison, let value):
            return .relation(try rewritten(.attribute(name)), comparison, .value(value))
        case .among(let name, let values):
            return .listed(try rewritten(.attribute(name)), values.map { .value($0) })
        case .exists(let relationship, _): throw neither(relationship)
        case .search: throw neither("search(...)")
        case .amongRows(let expression, _): throw neither(expression.text)
        default:
            return try node.map {
                try rewritten($0)
            } condition: {
                try rewritten($0)
            }
        }
    }

    private func aggregate(
        _ function: AggregateFunction, _ inner: AnyExpression.Node?, _ condition: AnyCondition.Node?, _ isDistinct: Bool
    ) throws -> Aggregation.Aggregate {
        var value = try inner.map { try resolver.expression($0, of: source) }
        _ = try resolver.resultType(function, of: value, source)
        if let condition = try condition.map({ try resolver.condition($0, of: source) }), condition != .always(true) {
            // The value is nil for records that do not meet the condition, and aggregates skip nil. Records are counted as ones.
            let counted = value ?? TypedExpression(.value(.integer(1)), .int64, isOptional: false)
            value = TypedExpression(.given(condition, counted.expression), counted.type, isOptional: true)
        }
        // If a value is never nil, there are as many values as rows.
        if function == .count, !isDistinct, value?.isOptional != true { return .init(.count, nil) }
        return .init(function, value, isDistinct: isDistinct)
    }

    private func neither(_ name: String) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "\"\(name)\" is neither what is grouped by nor an aggregate. Group by it, or take its minimum, say.",
            entity: resolver.entity(source).name)
    }
}
