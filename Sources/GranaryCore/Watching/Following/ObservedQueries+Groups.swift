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
    static func aggregates<R: Record, Output>(_ chosen: Projection<R, Output>) -> ObservedQuery<Output> {
        ObservedQuery<[[StoredValue]]> { schema, types in
            try groups(DynamicQuery(chosen.query), try chosen.aggregating).prepare(schema, types)
        }.map { rows in
            try chosen.selection.value(of: rows.first ?? [], R.entityName)
        }
    }
}
