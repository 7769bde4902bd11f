extension ReadContext {
    /// The last record of a query by names, or nil.
    public func last(_ query: DynamicQuery) throws -> DynamicRecord? {
        guard query.limit == nil, query.offset == 0 else { return try fetch(query).last }
        var reversed = query
        reversed.order = query.order.reversed(key: try key(of: query))
        return try first(reversed)
    }

    /// The record with the least value, or nil; records with nil do not count. A limit and an offset of the query choose
    /// first, in its own order, among which records to look.
    public func first(_ query: DynamicQuery, minimumOf value: AnyExpression) throws -> DynamicRecord? {
        try first(query.extreme(value, .ascending, key: try key(of: query)))
    }

    /// The record with the greatest value, or nil; records with nil do not count. A limit and an offset of the query choose
    /// first, in its own order, among which records to look.
    public func first(_ query: DynamicQuery, maximumOf value: AnyExpression) throws -> DynamicRecord? {
        try first(query.extreme(value, .descending, key: try key(of: query)))
    }

    /// So many records of a query by names chosen at random, each as likely as any other, in no order.
    ///
    /// Cost: reads the keys of all of them, and the records chosen.
    public func sample(
        _ query: DynamicQuery, count: Int, using generator: inout some RandomNumberGenerator
    ) throws -> [DynamicRecord] {
        try sampleKeys(try FetchRequest(query, in: schema), count: count, using: &generator)
            .compactMap { try find(query.entity, key: $0) }
    }

    /// So many records of a query by names chosen at random.
    public func sample(_ query: DynamicQuery, count: Int) throws -> [DynamicRecord] {
        var generator = SystemRandomNumberGenerator()
        return try sample(query, count: count, using: &generator)
    }

    /// The keys of records of a request chosen at random, in no order.
    func sampleKeys(
        _ request: FetchRequest, count: Int, using generator: inout some RandomNumberGenerator
    ) throws -> [StoredValue] {
        guard count > 0 else { return [] }
        var request = request
        let entity = schema.entities[request.entity]
        let key = TypedExpression(
            .attribute(entity.keyPosition), entity.attributes[entity.keyPosition].type, isOptional: false)
        request.columns = [key]
        if !request.isCut { request.order = [] }
        // Each key after the first ones replaces one of those kept with the right likelihood (reservoir sampling).
        var kept: [StoredValue] = []
        var seen = 0
        let cursor = try rows(request)
        while let row = try cursor.next() {
            seen += 1
            if kept.count < count {
                kept.append(StoredValue(row[0]))
            } else {
                let place = Int.random(in: 0..<seen, using: &generator)
                if place < count { kept[place] = StoredValue(row[0]) }
            }
        }
        kept.shuffle(using: &generator)
        return kept
    }

    private func key(of query: DynamicQuery) throws -> String {
        schema.entities[try schema.position(ofEntity: query.entity)].key
    }
}

// Pages of a query by names: see ``PagePosition``.
extension ReadContext {
    /// The first records of a query by names.
    public func page(_ query: DynamicQuery, size: Int) throws -> Page<DynamicRecord> {
        try page(query, from: nil, isBackwards: false, size: size)
    }

    /// The records after a place, in the query's order; the first ones after nil.
    ///
    /// - Throws: `invalidQuery` if the place is one in another order, or the query has an offset or a limit.
    public func page(_ query: DynamicQuery, after position: PagePosition?, size: Int) throws -> Page<DynamicRecord> {
        try page(query, from: position, isBackwards: false, size: size)
    }

    /// The records before a place: the last of them, in the query's order. Before nil, the last of all.
    public func page(_ query: DynamicQuery, before position: PagePosition?, size: Int) throws -> Page<DynamicRecord> {
        try page(query, from: position, isBackwards: true, size: size)
    }

    private func page(
        _ query: DynamicQuery, from position: PagePosition?, isBackwards: Bool, size: Int
    ) throws -> Page<DynamicRecord> {
        let entity = schema.entities[try schema.position(ofEntity: query.entity)]
        return try page(
            query, from: position, isBackwards: isBackwards, size: size,
            append: { row, records in records.append(DynamicRecord(entity, row: row)) }, key: { $0.key })
    }
}

extension DynamicQuery {
    /// The query whose first record is the one with the least or the greatest value.
    func extreme(_ value: AnyExpression, _ direction: SortDirection, key: String) -> DynamicQuery {
        var chosen = self
        if limit != nil || offset != 0 {
            let rows = AnySubquery(
                entity, column: .attribute(key), condition: condition, order: order, limit: limit, offset: offset)
            chosen = DynamicQuery(entity, where: .amongRows(.attribute(key), rows))
        }
        chosen = chosen.where(.relation(value, .notEqual, .value(.null)))
        chosen.order = [Ordering(value, direction)]
        return chosen
    }
}
