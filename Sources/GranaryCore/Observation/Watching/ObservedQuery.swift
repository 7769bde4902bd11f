/// Something that can be asked again and again: what it looks at, and how it is asked.
struct ObservedQuery<Value: Sendable>: Sendable {
    /// Checks it against a schema.
    let prepare: @Sendable (Schema, RecordTypes) throws -> Prepared

    struct Prepared: Sendable {
        var footprint: Footprint
        var filter: RowFilter?
        /// Asks once. For one observation: it may remember what it has answered.
        var read: @Sendable (StoreSession) throws -> Answer
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
            return ObservedQuery<T>.Prepared(footprint: prepared.footprint, filter: prepared.filter) { session in
                try prepared.read(session).map(transform)
            }
        }
    }
}

/// The queries that can be observed.
enum ObservedQueries {
    /// Goes through the rows of a request, each with a hash.
    ///
    /// - Parameter ownCount: How many of a row's first cells the hash is of; nil for all.
    static func prepared<Value: Sendable>(
        _ request: FetchRequest, in schema: Schema, asRecords: Bool = true, ownCount: Int? = nil,
        _ read: @escaping @Sendable (_ forEach: ((borrowing Row, UInt64) throws -> Void) throws -> Void) throws -> Value
    ) -> ObservedQuery<Value>.Prepared {
        let seeds = RowDigest.Seeds()
        let filter = asRecords ? RowFilter(request, in: schema) : nil
        let keyPosition = schema.entities[request.entity].keyPosition
        return ObservedQuery<Value>.Prepared(footprint: Footprint(request), filter: filter) { session in
            var digest = RowDigest(seeds)
            var keys = filter.map { _ in KeyHashes() }
            let bytes = CellBytes()
            let cursor = try session.rows(request)
            do {
                let value = try read { body in
                    while let row = try cursor.next() {
                        var hash = digest.add(row)
                        if let ownCount { hash = digest.hash(row, first: ownCount) }
                        keys?.insert(row[keyPosition], bytes)
                        try body(row, hash)
                    }
                }
                return ObservedQuery<Value>.Answer(value: value, fingerprint: digest.fingerprint, keys: keys)
            } catch {
                throw session.explain(error, request.entity)
            }
        }
    }

    static func records<R: Record>(_ query: Query<R>) -> ObservedQuery<[R]> {
        ObservedQuery { schema, types in
            _ = try types.position(of: R.self, in: schema)
            return prepared(try FetchRequest(query, in: schema), in: schema) { forEach in
                var records: [R] = []
                try forEach { row, _ in records.append(try R(row: row)) }
                return records
            }
        }
    }

    static func records(_ query: DynamicQuery) -> ObservedQuery<[DynamicRecord]> {
        ObservedQuery { schema, _ in
            let request = try FetchRequest(query, in: schema)
            let entity = schema.entities[request.entity]
            return prepared(request, in: schema) { forEach in
                var records: [DynamicRecord] = []
                try forEach { row, _ in
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
            return prepared(request, in: schema, asRecords: false) { forEach in
                var tuples: [Output] = []
                try forEach { row, _ in
                    var columns = ColumnReader(row, name)
                    tuples.append(try projection.selection.read(&columns))
                }
                return tuples
            }
        }
    }

    /// Rows of groups, or the one row of aggregates.
    static func groups(_ query: DynamicQuery, _ grouping: AnyGrouping) -> ObservedQuery<[[StoredValue]]> {
        ObservedQuery { schema, _ in
            let resolved = try ResolvedGrouping(grouping, of: try FetchRequest(query, in: schema), in: schema)
            let seeds = RowDigest.Seeds()
            return ObservedQuery<[[StoredValue]]>.Prepared(footprint: Footprint(resolved.request), filter: nil) {
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
            return ObservedQuery<Int>.Prepared(footprint: Footprint(looked), filter: nil) { session in
                let count = try session.count(query)
                var digest = RowDigest(seeds)
                digest.add([.integer(Int64(count))])
                return ObservedQuery<Int>.Answer(value: count, fingerprint: digest.fingerprint, keys: nil)
            }
        }
    }
}
