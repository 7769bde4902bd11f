extension Record {
    /// The query for every record of this type.
    public static var all: Query<Self> { Query() }

    /// The query for the records of which a condition holds.
    public static func `where`(@ConditionBuilder<Self> _ condition: (Fields) -> Condition<Self>) -> Query<Self> {
        Query().where(condition)
    }

    /// The query for the records of which a condition holds.
    public static func `where`(_ condition: Condition<Self>) -> Query<Self> { Query().where(condition) }

    /// The query for every record, ordered by a field or an expression; ties by key, in its direction.
    public static func sorted<Value: QueryExpression>(
        by value: (Fields) -> Value, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> Query<Self> where Value.Root == Self {
        Query().sorted(by: value, direction, nils: nils)
    }

    /// The query for every record, ordered by attribute names: `"name,-rating"`; ties by key, in the direction of the last one.
    public static func sorted(by text: String) -> Query<Self> { Query().sorted(by: text) }

    /// Chosen values of every record: `Song.select { ($0.title, $0.plays) }`.
    public static var select: SelectClause<Self> { all.select }

    /// Every record, group by group: `Song.grouped(by: \.genre, select: { ($0.genre, $0.id.count) })`.
    public static var grouped: GroupClause<Self> { all.grouped }
}
