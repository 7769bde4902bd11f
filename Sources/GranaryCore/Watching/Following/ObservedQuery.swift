/// A query that can be run again and again: what it reads, and how it is run.
struct ObservedQuery<Value: Sendable>: Sendable {
    /// Checks the query against a schema.
    let prepare: @Sendable (Schema, RecordTypes) throws -> Prepared

    struct Prepared: Sendable {
        var readSet: ReadSet
        var filter: RowFilter?
        /// Runs the query once, for one observation. It may remember its last answer.
        var read: @Sendable (ReadContext) throws -> Answer
    }

    struct Answer: Sendable {
        var value: Value
        var fingerprint: RowDigest.Fingerprint
        /// The keys of the resulting records, if a ``RowFilter`` needs them.
        var keys: KeyHashes?

        func map<T: Sendable>(_ transform: (Value) throws -> T) rethrows -> ObservedQuery<T>.Answer {
            ObservedQuery<T>.Answer(value: try transform(value), fingerprint: fingerprint, keys: keys)
        }
    }

    /// The same query with transformed answers.
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
    ///   - ownCount: The number of a row's first cells that its hash covers; nil for all.
    ///   - related: What the query reads in addition: relationships that are loaded with the rows.
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

    /// The results of a request.
    static func outputs<Root, Output>(_ request: Request<Root, Output>) -> ObservedQuery<[Output]> {
        ObservedQuery { schema, types in
            let fetch = try types.checked(request, in: schema)
            switch request.making {
            case .records(let related):
                let readSet = try related.readSet(of: fetch.entity, in: schema, types)
                return prepared(fetch, in: schema, related: readSet) { try $0.records(related) }
            case .values(let selection):
                let entity = request.untyped.entity
                if let grouping = request.untyped.grouping {
                    let resolved = try ResolvedGrouping(
                        grouping, of: fetch, in: schema, ranking: request.untyped.condition)
                    return try groups(resolved) { rows, _ in
                        try selection.values(of: rows.map(\.columns), entity)
                    }
                }
                return prepared(fetch, in: schema, asRecords: false) { rows in
                    var values: [Output] = []
                    try rows.forEach { row, _ in values.append(try selection.value(of: row, entity)) }
                    return values
                }
            }
        }
    }

    /// Aggregates of all records of a request.
    static func aggregates<Root, Output>(_ request: Request<Root, Output>) -> ObservedQuery<Output> {
        ObservedQuery<Output> { schema, types in
            let (groups, selection) = try request.aggregating
            return try outputs(groups).map { outputs in
                try outputs.first ?? selection.value(of: [], request.untyped.entity)
            }.prepare(schema, types)
        }
    }

    /// Groups, or the one row of aggregates.
    static func groups<Value: Sendable>(
        _ resolved: ResolvedGrouping,
        _ make: @escaping @Sendable (_ rows: [GroupRow], _ hashes: [UInt64]) throws -> Value
    ) throws -> ObservedQuery<Value>.Prepared {
        let seeds = RowDigest.Seeds()
        return ObservedQuery<Value>.Prepared(readSet: ReadSet(resolved.request), filter: nil) {
            let rows = try GroupRows(resolved).read(try $0.rows(resolved.request))
            var digest = RowDigest(seeds)
            let hashes = rows.map { digest.add($0.columns) }
            return ObservedQuery<Value>.Answer(
                value: try make(rows, hashes), fingerprint: digest.fingerprint, keys: nil)
        }
    }

    /// The number of results of a request.
    static func count<Root, Output>(_ request: Request<Root, Output>) -> ObservedQuery<Int> {
        ObservedQuery { schema, types in
            var looked = try types.checked(request, in: schema)
            if let grouping = request.untyped.grouping {
                looked = try ResolvedGrouping(grouping, of: looked, in: schema, ranking: request.untyped.condition)
                    .request
            } else if !looked.isDistinct {
                (looked.columns, looked.order) = ([], [])
            }
            let seeds = RowDigest.Seeds()
            return ObservedQuery<Int>.Prepared(readSet: ReadSet(looked), filter: nil) { context in
                let count = try request.count(in: context)
                var digest = RowDigest(seeds)
                digest.add([.integer(Int64(count))])
                return ObservedQuery<Int>.Answer(value: count, fingerprint: digest.fingerprint, keys: nil)
            }
        }
    }
}

extension RecordTypes {
    /// A request for rows, checked against a schema.
    func checked<Root, Output>(_ request: Request<Root, Output>, in schema: Schema) throws -> FetchRequest {
        if let type = Root._recordType { _ = try position(of: type, in: schema) }
        return try FetchRequest(request.untyped, in: schema)
    }
}
