// Queries of the related records, in the order of reading: `artist.songs.sorted(by: \.title).limit(10)`. They come in the
// relationship's order until another is asked for; see ``RelatedRecords/all``.
extension RelatedRecords {
    /// The request for the related records ordered by a field or an expression, in place of the relationship's order.
    public func sorted<Value: QueryExpression>(
        by value: (Target.Fields) -> Value, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> Query<Target> where Value.Root == Target {
        all.sorted(by: value, direction, nils: nils)
    }

    /// The request for the related records ordered by attribute names, `"name,-rating"`, in place of the relationship's order.
    public func sorted(by text: String) -> Query<Target> { all.sorted(by: text) }

    /// The request for the first `count` related records in the relationship's order.
    public func limit(_ count: Int) -> Query<Target> { all.limit(count) }

    /// The request for the related records after the first `count` in the relationship's order.
    public func offset(_ count: Int) -> Query<Target> { all.offset(count) }

    /// The first related record in the relationship's order, or nil.
    public func first(in context: ReadContext) throws -> Target? { try first(1, in: context).first }

    /// The first `count` related records in the relationship's order. The cost grows with `count`, not with the list.
    public func first(_ count: Int, in context: ReadContext) throws -> [Target] {
        // Of a list the links are read until there are enough, where a query looks up the place of each record.
        guard relationship.isOrderedByLinks, (1...10_000).contains(count),
            let links = try links(in: context.schema).first(count, in: context)
        else { return try context.fetch(all.limit(count)) }
        let isListed = AnyCondition.among(Target.entity.key, links.map(\.member))
        let records = try context.fetch(Target.where(Condition(isListed)))
        // A link may name no record where its rule lets it.
        guard records.count == links.count else { return try context.fetch(all.limit(count)) }
        return try links.arranged(records) { try StoredValue(encoding: $0.id) }
    }

    /// The last related record in the relationship's order, or nil.
    public func last(in context: ReadContext) throws -> Target? { try all.last(in: context) }
}
