// Stacks and contexts are observed by the same queries.

extension ObservedQueries {
    /// The groups of a query, a tuple a group.
    static func tuples<R: Record, Output>(
        _ grouped: GroupedQuery<R, Output>
    ) -> ObservedQuery<[Output]> {
        groups(DynamicQuery(grouped.query), grouped.untyped).map { rows in
            try grouped.selection.values(of: rows, R.entityName)
        }
    }

    /// Aggregates of all records of a query.
    static func aggregates<R: Record, each Value: QueryExpression>(
        _ query: Query<R>, _ values: (R.Fields) -> (repeat each Value)
    ) -> ObservedQuery<(repeat (each Value).Value)> {
        let selection = Selection(tuple: repeat each values(R.fields))
        return groups(DynamicQuery(query), AnyGrouping(by: [], columns: selection.columns)).map { rows in
            try selection.value(of: rows.first ?? [], R.entityName)
        }
    }
}
