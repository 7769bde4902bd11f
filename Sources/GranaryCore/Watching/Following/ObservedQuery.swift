/// Something that can be asked again and again: what it looks at, and how it is asked.
struct ObservedQuery<Value: Sendable>: Sendable {
    /// Checks it against a schema.
    let prepare: @Sendable (Schema, RecordTypes) throws -> Prepared

    struct Prepared: Sendable {
        var readSet: ReadSet
        var filter: RowFilter?
        /// Asks once. For one observation: it may remember what it has answered.
        var read: @Sendable (ReadContext) throws -> Answer
    }

    struct Answer: Sendable {
        var value: Value
        var fingerprint: RowDigest.Fingerprint
        /// The keys of the records given, where a ``RowFilter`` wants them.
        var keys: KeyHashes?

        func map<T: Sendable>(_ transform: (Value) throws -> T) rethrows -> ObservedQuery<T>.Answer {
            ObservedQuery<T>.Answer(value: try transform(value), fingerprint: fingerprint, keys: keys)
        }
    }

    /// The same with its answers made into something else.
    func map<T: Sendable>(_ transform: @escaping @Sendable (Value) throws -> T) -> ObservedQuery<T> {
        ObservedQuery<T> { schema, types in
            let prepared = try prepare(schema, types)
            return ObservedQuery<T>.Prepared(readSet: prepared.readSet, filter: prepared.filter) { context in
                try prepared.read(context).map(transform)
            }
        }
    }
}

/// The queries that can be observed.
enum ObservedQueries {
    /// A query that reads the rows of a request.
    ///
    /// - Parameters:
    ///   - ownCount: How many of a row's first cells its hash is of; nil for all.
    ///   - related: What else is looked at: relationships that are loaded with the rows.
    static func prepared<Value: Sendable>(
        _ request: FetchRequest, in schema: Schema, asRecords: Bool = true, ownCount: Int? = nil,
        related: ReadSet? = nil, _ read: @escaping @Sendable (_ rows: ObservedRows) throws -> Value
    ) -> ObservedQuery<Value>.Prepared {
        let seeds = RowDigest.Seeds()
        let filter = asRecords && related == nil ? RowFilter(request, in: schema) : nil
        var readSet = ReadSet(request)
        if let related { readSet.add(related) }
        return ObservedQuery<Value>.Prepared(readSet: readSet, filter: filter) { context in
            let rows = ObservedRows(request, in: context, seeds, ownCount: ownCount, keepsKeys: filter != nil)
            let value = try read(rows)
            return ObservedQuery<Value>.Answer(value: value, fingerprint: rows.fingerprint, keys: rows.keys)
        }
    }

    static func records<R: Record, Output>(_ loaded: LoadedQuery<R, Output>) -> ObservedQuery<[Output]> {
        ObservedQuery { schema, types in
            _ = try types.position(of: R.self, in: schema)
            let readSet = try loaded.related.readSet(in: schema, types)
            return prepared(try FetchRequest(loaded.query, in: schema), in: schema, related: readSet) { rows in
                try rows.records(loaded.related)
            }
        }
    }

    static func records(_ query: DynamicQuery) -> ObservedQuery<[DynamicRecord]> {
        ObservedQuery { schema, _ in
            let request = try FetchRequest(query, in: schema)
            let entity = schema.entities[request.entity]
            return prepared(request, in: schema) { rows in
                var records: [DynamicRecord] = []
                try rows.forEach { row, _ in
                    records.append(DynamicRecord(entity, entity.attributes.indices.map { StoredValue(row[$0]) }))
                }
                return records
            }
        }
    }

    static func tuples<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) -> ObservedQuery<[Output]> {
        ObservedQuery { schema, _ in
            let request = try FetchRequest(projection, in: schema)
            let name = schema.entities[request.entity].name
            return prepared(request, in: schema, asRecords: false) { rows in
                var tuples: [Output] = []
                try rows.forEach { row, _ in tuples.append(try projection.selection.value(of: row, name)) }
                return tuples
            }
        }
    }

    /// Rows of groups, or the one row of aggregates.
    static func groups(_ query: DynamicQuery, _ grouping: AnyGrouping) -> ObservedQuery<[[StoredValue]]> {
        ObservedQuery { schema, _ in
            let resolved = try ResolvedGrouping(grouping, of: try FetchRequest(query, in: schema), in: schema)
            let seeds = RowDigest.Seeds()
            return ObservedQuery<[[StoredValue]]>.Prepared(readSet: ReadSet(resolved.request), filter: nil) {
                let rows = try GroupRows(resolved).read(try $0.rows(resolved.request))
                var digest = RowDigest(seeds)
                for row in rows { digest.add(row) }
                return ObservedQuery<[[StoredValue]]>.Answer(value: rows, fingerprint: digest.fingerprint, keys: nil)
            }
        }
    }

    static func count<R: Record>(_ query: Query<R>) -> ObservedQuery<Int> {
        ObservedQuery { schema, types in
            _ = try types.position(of: R.self, in: schema)
            let request = try FetchRequest(query, in: schema)
            var looked = request
            (looked.columns, looked.order) = ([], [])
            let seeds = RowDigest.Seeds()
            return ObservedQuery<Int>.Prepared(readSet: ReadSet(looked), filter: nil) { context in
                let count = try context.count(query)
                var digest = RowDigest(seeds)
                digest.add([.integer(Int64(count))])
                return ObservedQuery<Int>.Answer(value: count, fingerprint: digest.fingerprint, keys: nil)
            }
        }
    }
}
