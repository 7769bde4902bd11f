/// A query as a store gets it: entities and attributes by position, checked, its condition in a form with no negation.
public struct FetchRequest: Sendable, Hashable {
    /// The position of the entity in the store's schema.
    public var entity: Int
    public var condition: ResolvedCondition?
    /// Ties are broken by key in the direction of the last term; with no terms the order is by key, ascending.
    public var order: [OrderTerm]
    /// Not negative.
    public var limit: Int?
    /// Not negative.
    public var offset: Int

    public struct OrderTerm: Sendable, Hashable {
        public var position: Int
        public var isDescending: Bool

        public init(position: Int, isDescending: Bool) {
            self.position = position
            self.isDescending = isDescending
        }
    }

    public init(
        entity: Int, condition: ResolvedCondition? = nil, order: [OrderTerm] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.entity = entity
        self.condition = condition
        self.order = order
        self.limit = limit
        self.offset = offset
    }
}

/// A condition that a store runs. Each term has exactly two outcomes, nil included, and none is negated:
///
/// | term | of nil | with nil |
/// |---|---|---|
/// | `compare(==, v)` | false | `== nil` is true of nil alone |
/// | `compare(!=, v)` | true | `!= nil` is true of all but nil |
/// | `compare(<, <=, >, >=, v)` | false | never given |
/// | `among(values)` | true if nil is listed | |
/// | `notAmong(values)` | true unless nil is listed | |
public indirect enum ResolvedCondition: Sendable, Hashable {
    case always(Bool)
    case compare(position: Int, Comparison, StoredValue)
    /// Values in ascending order, each once.
    case among(position: Int, [StoredValue])
    case notAmong(position: Int, [StoredValue])
    /// Two or more.
    case all([ResolvedCondition])
    /// Two or more.
    case any([ResolvedCondition])
}

extension FetchRequest {
    /// Checks a query against a schema.
    ///
    /// - Throws: `unknownEntity`, `unknownAttribute`, `typeMismatch`, `invalidQuery`, and what an invalid condition holds.
    public init(
        entityNamed name: String, condition: AnyCondition?, order: [Ordering], limit: Int?, offset: Int,
        in schema: Schema
    ) throws {
        let position = try schema.position(ofEntity: name)
        let entity = schema.entities[position]
        guard (limit ?? 0) >= 0, offset >= 0 else {
            throw GranaryError(.invalidQuery, "A limit and an offset are zero or more.", entity: name)
        }
        let resolved = try condition.map { try ResolvedCondition($0, for: entity) }
        let terms = try order.map {
            OrderTerm(
                position: try entity.position(ofAttribute: $0.attribute), isDescending: $0.direction == .descending)
        }
        self.init(
            entity: position, condition: resolved == .always(true) ? nil : resolved, order: terms, limit: limit,
            offset: offset)
    }

    /// Checks a typed query against a schema.
    public init<Root>(_ query: Query<Root>, in schema: Schema) throws {
        try self.init(
            entityNamed: Root.entityName, condition: query.condition, order: query.order, limit: query.limit,
            offset: query.offset, in: schema)
    }
}
