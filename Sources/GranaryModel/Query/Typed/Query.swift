/// A question about records of one type: which, in which order, how many.
///
/// ```swift
/// Artist.where { $0.rating >= 4.5 }.sorted(by: \.name).limit(20)
/// ```
///
/// Without an order the records come by key. Ties in an order are broken by key, in the direction of the last term, so
/// that every result is total and repeatable, and limits and offsets mean something. Nils come first ascending and last
/// descending.
public struct Query<Root: Record>: Sendable, Hashable {
    public var condition: AnyCondition?
    public var order: [Ordering] = []
    public var limit: Int?
    public var offset = 0

    /// Every record.
    public init() {}

    /// Records of which this holds, in addition to what held before.
    ///
    /// A Bool is a condition: `Song.all.where { $0.isLive && $0.plays > 3 }`. Nil is not true, and `!` of it is.
    public func `where`(@ConditionBuilder<Root> _ condition: (Root.Fields) -> Condition<Root>) -> Query {
        self.where(condition(Root.fields))
    }

    /// Records of which this holds, in addition to what held before.
    public func `where`(_ condition: Condition<Root>) -> Query {
        var query = self
        query.condition = query.condition.map { AnyCondition.all([$0, condition.untyped]) } ?? condition.untyped
        return query
    }

    /// Orders by a field or an expression; a further call orders what the earlier ones leave equal. What all of them leave
    /// equal comes by key, in the direction of the last one: after `.descending` the greatest key is first.
    ///
    /// ```swift
    /// Song.sorted(by: \.album.title).sorted(by: \.track)
    /// Song.sorted(by: { $0.title.folded(.caseInsensitive) }, .descending, nils: .last)
    /// ```
    public func sorted<Value: QueryExpression>(
        by value: (Root.Fields) -> Value, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> Query where Value.Root == Root {
        var query = self
        query.order.append(Ordering(value(Root.fields).untyped, direction, nils: nils))
        return query
    }

    /// Orders by attribute names separated by commas, descending with `-` in front: `"name,-rating"`. A path leads through
    /// to-one relationships: `"album.title"`. What the names leave equal comes by key, in the direction of the last one.
    ///
    /// A name that does not exist throws `unknownAttribute` when the query is run.
    public func sorted(by text: String) -> Query {
        var query = self
        query.order += Ordering.list(text)
        return query
    }

    /// The order turned round: what came last comes first. Limit and offset stay as they are.
    public func reversed() -> Query {
        var query = self
        query.order = order.reversed(key: Root.entity.key)
        return query
    }

    /// At most this many records. Negative throws `invalidQuery` when the query is run.
    public func limit(_ count: Int) -> Query {
        var query = self
        query.limit = count
        return query
    }

    /// Leaves out this many records from the front. Negative throws `invalidQuery` when the query is run.
    public func offset(_ count: Int) -> Query {
        var query = self
        query.offset = count
        return query
    }
}
