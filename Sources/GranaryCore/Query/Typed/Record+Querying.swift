extension Record {
    /// The query for every record of this type.
    public static var all: Query<Self> { Query() }

    /// The query for the records of which a condition holds.
    public static func `where`(@ConditionBuilder<Self> _ condition: (Fields) -> Condition<Self>) -> Query<Self> {
        Query().where(condition)
    }

    /// The query for the records of which a condition holds.
    public static func `where`(_ condition: Condition<Self>) -> Query<Self> { Query().where(condition) }

    /// The query for every record, ordered by a field or an expression.
    public static func sorted<Value: QueryExpression>(
        by value: (Fields) -> Value, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> Query<Self> where Value.Root == Self {
        Query().sorted(by: value, direction, nils: nils)
    }

    /// The query for every record, ordered by attribute names: `"name,-rating"`.
    public static func sorted(by text: String) -> Query<Self> { Query().sorted(by: text) }

    /// Chosen values of every record.
    public static func select<each Value: QueryExpression>(
        _ values: (Fields) -> (repeat each Value)
    ) -> Projection<Self, repeat (each Value).Value> {
        Query().select(values)
    }

    /// Every record, group by group.
    public static func grouped<each Group: QueryExpression, each Value: QueryExpression>(
        by groups: (Fields) -> (repeat each Group), select values: (Fields) -> (repeat each Value)
    ) -> GroupedQuery<Self, repeat (each Value).Value> {
        Query().grouped(by: groups, select: values)
    }
}
