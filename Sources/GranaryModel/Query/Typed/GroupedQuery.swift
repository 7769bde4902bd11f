/// The records of a query group by group: of each group a value, or a tuple of several: group values and aggregates.
///
/// ```swift
/// let genres = try snapshot.fetch(
///     Song.grouped(by: { $0.genre.name }, select: { ($0.genre.name, $0.id.count, $0.plays.sum) })
///         .having { $0.id.count > 10 }
///         .sorted(by: { $0.plays.sum }, .descending)
///         .limit(5))
/// ```
///
/// What is selected, asked by `having` and ordered by is made of group values and aggregates; anything else throws
/// `invalidQuery` when the query is run. Records with nil are a group like any other. Without an order groups come by
/// their values, ascending. Of no records there are no groups. Memory: one tuple a group.
public struct GroupedQuery<Root: Record, Output: Sendable>: Sendable {
    public var query: Query<Root>
    /// How rows are grouped, and what is given of each group.
    public var untyped: AnyGrouping
    package let selection: Selection<Output>

    init(_ query: Query<Root>, by groups: [AnyExpression], _ selection: Selection<Output>) {
        self.query = query
        self.selection = selection
        untyped = AnyGrouping(by: groups, columns: selection.columns)
    }

    /// Keeps the groups of which this holds, in addition to what held before.
    public func having(@ConditionBuilder<Root> _ condition: (Root.Fields) -> Condition<Root>) -> GroupedQuery {
        var grouped = self
        let added = condition(Root.fields).untyped
        grouped.untyped.having = untyped.having.map { AnyCondition.all([$0, added]) } ?? added
        return grouped
    }

    /// Orders the groups; a further call orders what the earlier ones leave equal.
    public func sorted<Term: QueryExpression>(
        by value: (Root.Fields) -> Term, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> GroupedQuery where Term.Root == Root {
        var grouped = self
        grouped.untyped.order.append(Ordering(value(Root.fields).untyped, direction, nils: nils))
        return grouped
    }

    /// At most this many groups.
    public func limit(_ count: Int) -> GroupedQuery {
        var grouped = self
        grouped.untyped.limit = count
        return grouped
    }

    /// Leaves out this many groups from the front.
    public func offset(_ count: Int) -> GroupedQuery {
        var grouped = self
        grouped.untyped.offset = count
        return grouped
    }
}

/// How rows are grouped, and what is given of each group, by names.
public struct AnyGrouping: Sendable, Hashable {
    public var groups: [AnyExpression]
    public var columns: [AnyExpression]
    public var having: AnyCondition?
    public var order: [Ordering] = []
    public var limit: Int?
    public var offset = 0

    public init(by groups: [AnyExpression], columns: [AnyExpression]) {
        self.groups = groups
        self.columns = columns
    }
}

extension Query {
    /// The records group by group: `query.grouped(by: { $0.genre.name }, select: { ($0.genre.name, $0.id.count) })`.
    public var grouped: GroupClause<Root> { GroupClause(query: self) }
}
