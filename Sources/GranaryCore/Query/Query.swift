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
    public func `where`(_ condition: (Root.Fields) -> Condition<Root>) -> Query {
        self.where(condition(Root.fields))
    }

    /// Records of which this holds, in addition to what held before.
    public func `where`(_ condition: Condition<Root>) -> Query {
        var query = self
        query.condition = query.condition.map { AnyCondition.all([$0, condition.untyped]) } ?? condition.untyped
        return query
    }

    /// Orders by a field; a further call orders what the earlier ones leave equal.
    public func sorted<Value>(
        by field: KeyPath<Root.Fields, Field<Root, Value>>, _ direction: SortDirection = .ascending
    ) -> Query {
        var query = self
        query.order.append(Ordering(attribute: Root.fields[keyPath: field].name, direction: direction))
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

extension Record {
    /// The query for every record of this type.
    public static var all: Query<Self> { Query() }

    /// The query for the records of which a condition holds.
    public static func `where`(_ condition: (Fields) -> Condition<Self>) -> Query<Self> { Query().where(condition) }

    /// The query for every record, ordered by a field.
    public static func sorted<Value>(
        by field: KeyPath<Fields, Field<Self, Value>>, _ direction: SortDirection = .ascending
    ) -> Query<Self> {
        Query().sorted(by: field, direction)
    }
}
