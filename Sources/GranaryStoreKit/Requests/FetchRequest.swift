/// A query in the form for stores: entities and attributes by position, checked, with a condition without negations.
public struct FetchRequest: Sendable, Hashable {
    /// The position of the entity in the store's schema.
    public var entity: Int
    public var condition: ResolvedCondition?
    /// Ties are broken by key in the direction of the last term. Without terms the order is by key, ascending.
    public var order: [OrderTerm]
    /// Not negative.
    public var limit: Int?
    /// Not negative.
    public var offset: Int
    /// The columns of a row; nil for every attribute at its position.
    public var columns: [TypedExpression]?
    /// Whether rows with equal columns are given only once. Then each order term is one of the columns, ties are broken
    /// by the columns in order, ascending, and limit and offset count distinct rows.
    public var isDistinct = false
    /// Aggregates instead of the rows. Limit and offset, if given, are applied before aggregating; there are no
    /// columns.
    public var aggregation: Aggregation?

    public struct OrderTerm: Sendable, Hashable {
        public var value: TypedExpression
        public var isDescending: Bool
        /// Whether nil comes before every value. The default is true for ascending and false for descending terms.
        public var nilsFirst: Bool

        public init(_ value: TypedExpression, isDescending: Bool, nilsFirst: Bool? = nil) {
            self.value = value
            self.isDescending = isDescending
            self.nilsFirst = nilsFirst ?? !isDescending
        }

        /// A term for a plain attribute, whose type a store knows.
        package init(position: Int, isDescending: Bool) {
            self.init(TypedExpression(.attribute(position), .int64, isOptional: true), isDescending: isDescending)
        }

        /// Whether nils come at their default position, which is their position in an index.
        public var hasDefaultNils: Bool { nilsFirst != isDescending || !value.isOptional }
        /// The position, if the term is a plain attribute with nils at their default position.
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

    /// Whether a limit or an offset may leave rows out.
    package var isCut: Bool { limit != nil || offset > 0 }
}

/// The aggregates to compute from the rows of a request, over all of them or for each group.
///
/// A store answers with one row for each group: the group's values, then the aggregates. Groups come in any order; core
/// orders them, filters them and cuts them to a limit. Without groups there is exactly one row, even if there are no
/// records.
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
    /// Whether only the total number of rows is requested.
    package var countsRowsAlone: Bool { groups.isEmpty && aggregates.allSatisfy(\.countsRows) }

    public init(groups: [TypedExpression] = [], aggregates: [Aggregate]) {
        self.groups = groups
        self.aggregates = aggregates
    }
}
