// Stacks and contexts are observed by the same queries.

extension ObservedQueries {
    /// The groups of a query, a tuple a group.
    static func tuples<R: Record, each Value: AttributeValue>(
        _ grouped: GroupedQuery<R, repeat each Value>
    ) -> ObservedQuery<[(repeat each Value)]> {
        groups(DynamicQuery(grouped.query), grouped.untyped).map { rows in
            try rows.map { row in
                var columns = StoredColumnReader(row, R.entityName)
                return (repeat try columns.next((each Value).self))
            }
        }
    }

    /// Aggregates of all records of a query.
    static func aggregates<R: Record, each Value: QueryExpression>(
        _ query: Query<R>, _ values: (R.Fields) -> (repeat each Value)
    ) -> ObservedQuery<(repeat (each Value).Value)> {
        let grouping = AnyGrouping(by: [], columns: Query<R>.untyped(repeat each values(R.fields)))
        return groups(DynamicQuery(query), grouping).map { rows in
            var columns = StoredColumnReader(rows.first ?? [], R.entityName)
            return (repeat try columns.next((each Value).Value.self))
        }
    }
}
