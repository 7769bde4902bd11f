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
    /// What a row given consists of; nil for every attribute in its place.
    public var columns: [TypedExpression]?
    /// Whether rows with equal columns are given once, the first. Then each order term is one of the columns, ties are
    /// broken by the columns in their order, ascending, and limit and offset count distinct rows.
    public var isDistinct = false
    /// Aggregates in the place of the rows. Limit and offset, where given, are taken before aggregating; there are no columns.
    public var aggregation: Aggregation?

    public struct OrderTerm: Sendable, Hashable {
        public var value: TypedExpression
        public var isDescending: Bool
        /// Whether nil comes before every value. By default ascending yes, descending no.
        public var nilsFirst: Bool

        public init(_ value: TypedExpression, isDescending: Bool, nilsFirst: Bool? = nil) {
            self.value = value
            self.isDescending = isDescending
            self.nilsFirst = nilsFirst ?? !isDescending
        }

        /// By a plain attribute, whose type a store knows by itself.
        package init(position: Int, isDescending: Bool) {
            self.init(TypedExpression(.attribute(position), .int64, isOptional: true), isDescending: isDescending)
        }

        /// Whether nils come where they do by default, which is where an index has them.
        public var hasDefaultNils: Bool { nilsFirst != isDescending || !value.isOptional }
        /// The position, if the term is a plain attribute with nils where they are by default.
        public var plainPosition: Int? { hasDefaultNils ? value.position : nil }
    }

    public init(
        entity: Int, condition: ResolvedCondition? = nil, order: [OrderTerm] = [], limit: Int? = nil, offset: Int = 0,
        aggregation: Aggregation? = nil
    ) {
        self.entity = entity
        self.condition = condition
        self.order = order
        self.limit = limit
        self.offset = offset
        self.aggregation = aggregation
    }

    /// The same rows, aggregated.
    public func aggregated(groups: [TypedExpression] = [], _ aggregates: [Aggregation.Aggregate]) -> FetchRequest {
        var request = self
        request.aggregation = Aggregation(groups: groups, aggregates: aggregates)
        return request
    }

    /// The same request without its aggregation.
    package var rowsAlone: FetchRequest {
        var request = self
        request.aggregation = nil
        return request
    }

    /// Whether not all rows are taken of which the condition holds.
    package var isCut: Bool { limit != nil || offset > 0 }
}

/// The aggregates to compute from the rows of a request, over all of them or for each group.
///
/// A store answers with a row a group: the group's values, then the aggregates. Groups come in any order; core orders
/// them, filters them and cuts them to a limit. Without groups there is exactly one row, also without records.
public struct Aggregation: Sendable, Hashable {
    public var groups: [TypedExpression]
    public var aggregates: [Aggregate]

    public struct Aggregate: Sendable, Hashable {
        public var function: AggregateFunction
        /// Nil to count rows.
        public var value: TypedExpression?
        /// Whether equal values count once.
        public var isDistinct: Bool

        public init(_ function: AggregateFunction, _ value: TypedExpression?, isDistinct: Bool = false) {
            self.function = function
            self.value = value
            self.isDistinct = isDistinct
        }
    }

    /// The expressions computed for each row: the values to group by, and the values to aggregate.
    package var values: [TypedExpression] { groups + aggregates.compactMap(\.value) }
    /// Whether nothing but the number of all rows together is asked for.
    package var countsRowsAlone: Bool { groups.isEmpty && aggregates.allSatisfy(\.countsRows) }

    public init(groups: [TypedExpression] = [], aggregates: [Aggregate]) {
        self.groups = groups
        self.aggregates = aggregates
    }
}
