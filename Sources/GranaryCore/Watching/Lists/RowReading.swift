// A list of a million rows keeps the key and a hash of each row, and the records of a few batches. A batch is read when
// one of its records is first asked for, in the state that the store then has: it may be newer than the list, and the
// list follows with the next change. No read stays open between calls, so that files do not grow because of a list.

/// Reads the records of places in a list.
struct RowReading<Output: Sendable>: Sendable {
    /// Reads a part of a section: for each place its output, or nil if the record is gone.
    let read: @Sendable (ReadContext, FetchedRows<Output>, _ section: Int, _ items: Range<Int>) throws -> [Output?]
    /// Whether batches end at the end of a section.
    let isBySection: Bool
}

extension Request where Root: Record {
    /// The outputs for keys, in the order of the keys; nil for a record that is gone or no longer belongs to the answer.
    func outputs(_ keys: ArraySlice<StoredValue>, in context: ReadContext) throws -> [Output?] {
        var outputs: [Output?] = []
        outputs.reserveCapacity(keys.count)
        var rest = keys
        while !rest.isEmpty {
            let some = rest.prefix(1000)
            rest = rest.dropFirst(some.count)
            var request = self
            request.untyped.narrow(.among(Root.entity.key, Array(some)))
            request.untyped.order = []
            (request.untyped.limit, request.untyped.offset) = (nil, 0)
            let read = try ObservedQueries.keyed(request) { ($0.rows.keys, $0.outputs) }
                .prepare(context.schema, context.types).read(context).value
            let found = Dictionary(zip(read.0, read.1)) { first, _ in first }
            outputs += some.map { found[$0] }
        }
        return outputs
    }

    /// - Throws: `invalidQuery` for a request whose results are not one for each record, or are more than the record.
    func requireList() throws {
        func refuse(_ message: String) -> GranaryError {
            GranaryError(.invalidQuery, message, entity: untyped.entity)
        }
        if untyped.grouping != nil || untyped.isDistinct {
            throw refuse(
                "A list that is read in batches has one result for each record. Use `observe` for groups and distinct values."
            )
        }
        if case .records(let related) = making, !related.isEmpty {
            throw refuse(
                "A list that is read in batches loads no relationships. Leave out `with`, and load them for the records that are shown."
            )
        }
    }
}

extension ObservedQueries {
    /// The keys of a request's results, and a hash of each row. Nothing else of the rows is kept.
    ///
    /// - Parameter section: A value of each record that gives its section.
    static func keys<Root: Record, Output, Value: Sendable>(
        _ request: Request<Root, Output>, section: AnyExpression? = nil,
        _ make: @escaping @Sendable (KeyedRows, SectionTally) throws -> Value
    ) -> ObservedQuery<Value> {
        ObservedQuery { schema, types in
            try request.requireList()
            var fetch = try types.checked(request, in: schema)
            let entity = schema.entities[fetch.entity]
            var keyPlace = entity.keyPosition
            var ownCount: Int?
            var isOfRecords = true
            if case .values(let selection) = request.making {
                guard section == nil else { throw FetchedSection.ofValues(request.untyped.entity) }
                // The key is read after the chosen values.
                let type = entity.attributes[entity.keyPosition].type
                fetch.columns?.append(TypedExpression(.attribute(entity.keyPosition), type, isOptional: false))
                (keyPlace, ownCount, isOfRecords) = (selection.columns.count, selection.columns.count, false)
            } else if let section {
                // All attributes at their positions, followed by the section's value.
                ownCount = entity.attributes.count
                try fetch.select(
                    entity.attributes.map { AnyExpression.attribute($0.name) } + [section], isDistinct: false,
                    in: schema)
            }
            return prepared(fetch, in: schema, asRecords: isOfRecords, ownCount: ownCount) {
                [keyPlace, ownCount] observed in
                var rows = KeyedRows()
                var tally = SectionTally()
                try observed.forEach { row, hash in
                    rows.keys.append(StoredValue(row[keyPlace]))
                    rows.hashes.append(hash)
                    if section != nil, let ownCount { tally.add(row[ownCount]) }
                }
                return try make(rows, tally)
            }
        }
    }

    /// The number of records in each section, by grouped counts.
    static func counts<Root: Record, Output>(
        _ request: Request<Root, Output>, by section: AnyExpression, _ direction: SortDirection
    ) -> ObservedQuery<FetchedRows<Output>> {
        ObservedQuery { schema, types in
            let untyped = request.untyped
            guard untyped.grouping == nil, !untyped.isDistinct, untyped.limit == nil, untyped.offset == 0 else {
                throw GranaryError(
                    .invalidQuery,
                    "Sections by counts are of all records of a condition. Leave out groups, `distinct`, `limit` and `offset`.",
                    entity: untyped.entity)
            }
            let fetch = try types.checked(request, in: schema)
            var readSet = ReadSet(fetch)
            if case .records(let related) = request.making,
                let loaded = try related.readSet(of: fetch.entity, in: schema, types)
            {
                readSet.add(loaded)
            }
            var grouping = AnyGrouping(by: [section], columns: [section, .aggregate(.count)])
            grouping.order = [Ordering(section, direction)]
            var counted = fetch
            (counted.columns, counted.order) = (nil, [])
            let resolved = try ResolvedGrouping(grouping, of: counted, in: schema, ranking: untyped.condition)
            var prepared = try groups(resolved) { rows, _ in
                FetchedRows<Output>(
                    counts: rows.compactMap { row in
                        guard row.columns.count == 2, case .integer(let count) = row.columns[1] else { return nil }
                        return (row.columns[0], Int(count))
                    })
            }
            prepared.readSet.add(readSet)
            // Equal counts do not mean equal records: each answer counts as new.
            let read = prepared.read
            prepared.read = { context in
                var answer = try read(context)
                answer.fingerprint.first = UInt64.random(in: 0...UInt64.max)
                return answer
            }
            return prepared
        }
    }
}
