// To compute the difference of two answers, each row needs an identity: the key of a record, also for chosen values;
// the values of a distinct row; the group values of a group.

/// The results of a request, with the identity of each row.
struct KeyedOutputs<Root: Sendable, Output: Sendable> {
    var outputs: [Output] = []
    var rows = KeyedRows()
    /// The records alone; empty for chosen values.
    var records: [Root] = []
    /// For each row its section value, if sections were requested.
    var sections: [StoredValue] = []
    /// Whether the keys of the rows are those of records.
    var hasRecordKeys = true
}

extension ObservedQueries {
    /// The results of a request, each time with the identity of each row.
    ///
    /// - Parameter section: A value of each record to be read with it.
    static func keyed<Root, Output, Value: Sendable>(
        _ request: Request<Root, Output>, section: AnyExpression? = nil,
        _ make: @escaping @Sendable (KeyedOutputs<Root, Output>) throws -> Value
    ) -> ObservedQuery<Value> {
        ObservedQuery { schema, types in
            let fetch = try types.checked(request, in: schema)
            switch request.making {
            case .records(let related):
                return try records(fetch, related, section, in: schema, types, make)
            case .values(let selection):
                guard section == nil else { throw FetchedSection.ofValues(request.untyped.entity) }
                let entity = request.untyped.entity
                if let grouping = request.untyped.grouping {
                    let resolved = try ResolvedGrouping(
                        grouping, of: fetch, in: schema, ranking: request.untyped.condition)
                    return try groups(resolved) { rows, hashes in
                        var keyed = KeyedOutputs<Root, Output>()
                        keyed.outputs = try selection.values(of: rows.map(\.columns), entity)
                        keyed.hasRecordKeys = false
                        keyed.rows.hashes = hashes
                        for row in rows {
                            keyed.rows.keys.append(
                                StoredValue(distinguishing: row.order.suffix(grouping.groups.count)))
                        }
                        return try make(keyed)
                    }
                }
                return try values(fetch, selection, in: schema, make)
            }
        }
    }

    private static func records<Root, Output, Value: Sendable>(
        _ fetch: FetchRequest, _ related: LoadedRelationships<Root, Output>, _ section: AnyExpression?,
        in schema: Schema, _ types: RecordTypes,
        _ make: @escaping @Sendable (KeyedOutputs<Root, Output>) throws -> Value
    ) throws -> ObservedQuery<Value>.Prepared {
        let readSet = try related.readSet(of: fetch.entity, in: schema, types)
        var fetch = fetch
        // A record with another section is not an updated record: its hash covers only its own values.
        var ownCount: Int?
        if let section {
            // All attributes at their positions, followed by the section's value.
            let attributes = schema.entities[fetch.entity].attributes
            ownCount = attributes.count
            try fetch.select(
                attributes.map { AnyExpression.attribute($0.name) } + [section], isDistinct: false, in: schema)
        }
        return prepared(fetch, in: schema, ownCount: ownCount, related: readSet) { [ownCount] observed in
            var keyed = KeyedOutputs<Root, Output>()
            var sections: [StoredValue] = []
            (keyed.outputs, keyed.rows, keyed.records) = try observed.keyedRecords(related) { row in
                if let ownCount { sections.append(StoredValue(row[ownCount])) }
            }
            keyed.sections = sections
            return try make(keyed)
        }
    }

    private static func values<Root, Output, Value: Sendable>(
        _ fetch: FetchRequest, _ selection: Selection<Output>, in schema: Schema,
        _ make: @escaping @Sendable (KeyedOutputs<Root, Output>) throws -> Value
    ) throws -> ObservedQuery<Value>.Prepared {
        var fetch = fetch
        let entity = schema.entities[fetch.entity]
        let count = selection.columns.count
        let isDistinct = fetch.isDistinct
        if !isDistinct {
            // The key is read after the chosen values.
            let type = entity.attributes[entity.keyPosition].type
            fetch.columns?.append(TypedExpression(.attribute(entity.keyPosition), type, isOptional: false))
        }
        return prepared(fetch, in: schema, asRecords: false, ownCount: count) { observed in
            var keyed = KeyedOutputs<Root, Output>()
            keyed.hasRecordKeys = !isDistinct
            try observed.forEach { row, hash in
                keyed.outputs.append(try selection.value(of: row, entity.name))
                if isDistinct {
                    var values: [StoredValue] = []
                    for position in 0..<count { values.append(StoredValue(row[position])) }
                    keyed.rows.keys.append(StoredValue(distinguishing: values[...]))
                } else {
                    keyed.rows.keys.append(StoredValue(row[count]))
                }
                keyed.rows.hashes.append(hash)
            }
            return try make(keyed)
        }
    }
}

extension StoredValue {
    /// A value that is equal for equal rows only.
    fileprivate init(distinguishing row: ArraySlice<StoredValue>) {
        var bytes: [UInt8] = []
        func append(_ kind: UInt8, _ count: UInt64, _ contents: [UInt8] = []) {
            bytes.append(kind)
            withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: contents)
        }
        for value in row {
            switch value {
            case .null: append(0, 0)
            case .integer(let number): append(1, UInt64(bitPattern: number))
            case .real(let number): append(2, number.bitPattern)
            case .text(let utf8): append(3, UInt64(utf8.count), Array(utf8))
            case .bytes(let contents): append(4, UInt64(contents.count), Array(contents))
            }
        }
        self = .bytes(bytes)
    }
}
