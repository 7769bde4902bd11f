// A page after a position is a few searches of an index, at any distance from the beginning. For an order (a, b) with
// the key as the last tie-breaker the rows after (a1, b1, k1) are, in order: those with a = a1, b = b1 and a key beyond
// k1; those with a = a1 and b beyond b1; those with a beyond a1. Where nil comes last, rows with nil are a search of
// their own. Each search is an equality prefix and one range, which a planner answers from an index if one exists, and
// searches run only until the page is full.

/// A part of a query's records, with the places where it begins and ends.
public struct Page<R: Sendable>: Sendable {
    public var records: [R]
    /// The position of the first record; nil for an empty page.
    public var start: PagePosition?
    /// The position of the last record; nil for an empty page.
    public var end: PagePosition?
    /// Whether more records follow in the direction of reading.
    public var hasMore: Bool
}

/// A record's place in the order of a query: the values it is ordered by, and its key.
///
/// It stays valid when the record is changed or deleted, and can be sent out and read back as text (`Codable`).
public struct PagePosition: Sendable, Hashable, Codable {
    var values: [StoredValue]
    /// The order that this is a place in, so that it is not used with another order.
    var order: [Ordering]
}

extension Request {
    /// The results after a place, in the request's order; the first ones after nil.
    ///
    /// ```swift
    /// var position: PagePosition?
    /// repeat {
    ///     let page = try query.page(in: snapshot, after: position, size: 100)
    ///     show(page.records)
    ///     position = page.hasMore ? page.end : nil
    /// } while position != nil
    /// ```
    ///
    /// Cost: that of one page, also far from the beginning, if an index gives the order; a request for groups makes all
    /// groups. If records are inserted or deleted between two pages, no other record is skipped, and no record comes
    /// twice.
    ///
    /// - Throws: `invalidQuery` if the place was made for another order, if it was altered and is no longer valid, or
    ///   if the request has an offset or a limit.
    public func page(in context: ReadContext, after position: PagePosition? = nil, size: Int) throws -> Page<Output> {
        try page(in: context, from: position, isBackwards: false, size: size)
    }

    /// The results directly before a place, in the request's order. Before nil, the last ones.
    public func page(in context: ReadContext, before position: PagePosition?, size: Int) throws -> Page<Output> {
        try page(in: context, from: position, isBackwards: true, size: size)
    }

    /// How the store would answer for the page after a place: the steps of each search that the page may need.
    ///
    /// - Throws: The same errors as the page itself.
    public func explain(in context: ReadContext, after position: PagePosition, size: Int) throws -> QueryPlan {
        try explainPage(in: context, from: position, isBackwards: false, size: size)
    }

    /// How the store would answer for the page before a place.
    public func explain(in context: ReadContext, before position: PagePosition, size: Int) throws -> QueryPlan {
        try explainPage(in: context, from: position, isBackwards: true, size: size)
    }

    private func explainPage(
        in context: ReadContext, from position: PagePosition, isBackwards: Bool, size: Int
    ) throws -> QueryPlan {
        if untyped.grouping != nil { return try explain(in: context) }
        let pages = try Pages(untyped, try rows(in: context), in: context.schema)
        let size = try checkedSize(size, untyped.entity)
        return QueryPlan(
            try pages.requests(from: position, isBackwards: isBackwards).flatMap { request in
                var request = request
                request.limit = size + 1
                return try context.explain(request).steps
            })
    }

    private func page(
        in context: ReadContext, from position: PagePosition?, isBackwards: Bool, size: Int
    ) throws -> Page<Output> {
        switch making {
        case .records(let related):
            var batch: RecordBatch<Root>?
            var records: [Root] = []
            let pages = try Pages(untyped, try rows(in: context), in: context.schema)
            let entity = context.schema.entities[pages.entity]
            if !related.isEmpty { batch = RecordBatch(of: pages.entity, isWhole: false, in: context.schema) }
            let ends = try pages.read(
                in: context, from: position, isBackwards: isBackwards, size: size,
                keys: { try records.first.map { (try $0._storedKey, try (records.last ?? $0)._storedKey) } }
            ) { row in
                try Root._append(row, entity, to: &records)
                batch?.keep(row)
            }
            batch?.records = records
            var made = try batch.map { try related.joined($0, in: context) } ?? related.all?(records) ?? []
            if isBackwards { made.reverse() }
            return Page(made, ends, isBackwards: isBackwards)
        case .values(let selection):
            if let grouping = untyped.grouping {
                return try page(
                    of: grouping, selection, in: context, from: position, isBackwards: isBackwards, size: size)
            }
            var values: [Output] = []
            let pages = try Pages(untyped, try rows(in: context), in: context.schema)
            let entity = context.schema.entities[pages.entity].name
            let ends = try pages.read(in: context, from: position, isBackwards: isBackwards, size: size) { row in
                values.append(try selection.value(of: row, entity))
            }
            if isBackwards { values.reverse() }
            return Page(values, ends, isBackwards: isBackwards)
        }
    }

    /// Makes all groups, and cuts the page out of them.
    private func page(
        of grouping: AnyGrouping, _ selection: Selection<Output>, in context: ReadContext,
        from position: PagePosition?, isBackwards: Bool, size: Int
    ) throws -> Page<Output> {
        guard grouping.limit == nil, grouping.offset == 0 else { throw cutPage(untyped.entity) }
        let size = try checkedSize(size, untyped.entity)
        let resolved = try ResolvedGrouping(
            grouping, of: try rows(in: context), in: context.schema, ranking: untyped.condition)
        let reader = GroupRows(resolved)
        // The tie-breakers belong to the order, so that a place among records is not accepted among groups.
        let order = grouping.order + grouping.groups.map { Ordering($0) }
        var groups = try reader.read(try context.rows(resolved.request))
        if let position {
            guard position.order == order, position.values.count == resolved.order.count else {
                throw otherOrder(untyped.entity)
            }
            guard zip(resolved.order, position.values).allSatisfy({ $0.value.canBe($1) }) else {
                throw unfitPosition(untyped.entity)
            }
            groups.removeAll { group in
                isBackwards
                    ? !reader.precedes(group.order, position.values) : !reader.precedes(position.values, group.order)
            }
        }
        let shown = isBackwards ? groups.suffix(size) : groups.prefix(size)
        func place(_ group: GroupRow) -> PagePosition { PagePosition(values: group.order, order: order) }
        return Page(
            records: try selection.values(of: shown.map(\.columns), untyped.entity), start: shown.first.map(place),
            end: shown.last.map(place), hasMore: groups.count > size)
    }
}

extension Page {
    fileprivate init(_ records: [R], _ ends: PageEnds, isBackwards: Bool) {
        self.init(
            records: records, start: isBackwards ? ends.far : ends.near, end: isBackwards ? ends.near : ends.far,
            hasMore: ends.hasMore)
    }
}

/// The places of a page's first and last row in the direction of reading.
private struct PageEnds {
    var near: PagePosition?
    var far: PagePosition?
    var hasMore = false
}

/// The size, bounded so that one can be added to it: no page has more records.
private func checkedSize(_ size: Int, _ entity: String) throws -> Int {
    guard size >= 0 else {
        throw GranaryError(.invalidQuery, "The size of a page is negative. Ask for zero or more.", entity: entity)
    }
    return min(size, Int.max - 1)
}

private func cutPage(_ entity: String) -> GranaryError {
    GranaryError(
        .invalidQuery,
        "A query read in pages cannot have a limit or an offset. Leave them out, and give the size of a page.",
        entity: entity)
}

private func otherOrder(_ entity: String) -> GranaryError {
    GranaryError(
        .invalidQuery, "This page position was made for a different sort order. Use one from this query's pages.",
        entity: entity)
}

private func unfitPosition(_ entity: String) -> GranaryError {
    GranaryError(
        .invalidQuery, "This page position does not fit the query's order. Use one from this query's pages.",
        entity: entity)
}

/// The searches that a page consists of.
private struct Pages {
    private let base: FetchRequest
    private let entityName: String
    private let order: [Ordering]
    /// The whole order, ending with the key, or with the distinct values.
    private let terms: [FetchRequest.OrderTerm]
    private let keyPosition: Int
    /// The columns of a row that hold the values it is ordered by; nil if one of them is computed and not read.
    private let positions: [Int]?

    var entity: Int { base.entity }

    init(_ request: AnyRequest, _ rows: FetchRequest, in schema: Schema) throws {
        guard request.limit == nil, request.offset == 0 else { throw cutPage(request.entity) }
        entityName = request.entity
        let described = schema.entities[rows.entity]
        keyPosition = described.keyPosition
        var base = rows
        let isDescending = base.order.last?.isDescending ?? false
        if let columns = base.columns, base.isDistinct {
            order = request.order + (request.columns ?? []).map { Ordering($0) }
            let rest = columns.filter { column in !base.order.contains { $0.value.expression == column.expression } }
            terms = base.order + rest.map { FetchRequest.OrderTerm($0, isDescending: false) }
            positions = terms.map { term in columns.firstIndex { $0.expression == term.value.expression } ?? 0 }
        } else {
            order = request.order
            let key = TypedExpression(
                .attribute(keyPosition), described.attributes[keyPosition].type, isOptional: false)
            terms = base.order + [FetchRequest.OrderTerm(key, isDescending: isDescending)]
            if let columns = base.columns {
                // The ordering values are read after the chosen ones.
                positions = terms.indices.map { columns.count + $0 }
                base.columns = columns + terms.map(\.value)
            } else {
                let plain = terms.compactMap(\.value.position)
                positions = plain.count == terms.count ? plain : nil
            }
        }
        self.base = base
    }

    /// Reads the rows of a page in the direction of reading. One more row is read to learn whether more rows follow; it
    /// is left out.
    ///
    /// - Parameter keys: The keys of the first and the last row that were read, for rows that do not hold their places;
    ///   nil if each row holds its place.
    func read(
        in context: ReadContext, from position: PagePosition?, isBackwards: Bool, size: Int,
        keys: (() throws -> (StoredValue, StoredValue)?)? = nil, _ body: (borrowing Row) throws -> Void
    ) throws -> PageEnds {
        let size = try checkedSize(size, entityName)
        var ends = PageEnds()
        var count = 0
        for request in try requests(from: position, isBackwards: isBackwards) {
            guard count <= size else { break }
            var request = request
            request.limit = size + 1 - count
            let cursor = try context.rows(request)
            // A row points into its cursor. This is also true of the row that an error is about.
            defer { withExtendedLifetime(cursor) {} }
            while let row = try cursor.next() {
                count += 1
                if count > size { break }
                if count == 1 { ends.near = place(of: row) }
                // Which record is the last of a page that is not full becomes known only at the end: then its place is
                // read by its key.
                if count == size || keys == nil { ends.far = place(of: row) }
                do {
                    try body(row)
                } catch {
                    throw context.schema.explain(error, request.entity, row)
                }
            }
        }
        ends.hasMore = count > size
        if (ends.near == nil || ends.far == nil), let (first, last) = try keys?() {
            if ends.near == nil { ends.near = try place(of: first, in: context) }
            if ends.far == nil { ends.far = try place(of: last, in: context) }
        }
        return ends
    }

    /// The place of a row; nil if the row does not hold it.
    private func place(of row: borrowing Row) -> PagePosition? {
        guard let positions else { return nil }
        var values: [StoredValue] = []
        for position in positions { values.append(StoredValue(row[position])) }
        return PagePosition(values: values, order: order)
    }

    /// The place of an existing record.
    private func place(of key: StoredValue, in context: ReadContext) throws -> PagePosition {
        var request = FetchRequest(
            entity: base.entity,
            condition: .compare(position: keyPosition, .equal, key))
        request.columns = terms.map(\.value)
        let values = try context.rows(request).firstRow { row in terms.indices.map { StoredValue(row[$0]) } }
        guard let values else {
            throw GranaryError(
                .recordNotFound, "A record of the page was deleted while it was read. Ask for the page again.",
                entity: entityName)
        }
        return PagePosition(values: values, order: order)
    }

    func requests(from position: PagePosition?, isBackwards: Bool) throws -> [FetchRequest] {
        var ordered = base
        ordered.order = isBackwards ? terms.map(\.reversed) : terms
        guard let position else { return [ordered] }
        // It does not matter whether an order was given or is the default.
        guard position.order == order || position.order.settled == order.settled,
            position.values.count == terms.count
        else {
            throw otherOrder(entityName)
        }
        guard zip(terms, position.values).allSatisfy({ term, value in term.value.canBe(value) }) else {
            throw unfitPosition(entityName)
        }
        return terms.indices.reversed().flatMap { last in
            var equal = base.condition?.conjuncts ?? []
            for index in 0..<last { equal.append(terms[index].value.equals(position.values[index])) }
            return terms[last].beyond(position.values[last], isBackwards: isBackwards).map { beyond in
                let parts = equal + [beyond]
                var request = ordered
                request.condition = parts.count == 1 ? parts[0] : .all(parts.withFailingLast())
                return request
            }
        }
    }
}

extension FetchRequest.OrderTerm {
    fileprivate var reversed: FetchRequest.OrderTerm {
        FetchRequest.OrderTerm(value, isDescending: !isDescending, nilsFirst: !nilsFirst)
    }

    /// The conditions for values that come after, or before, another value in this order: a range, and separately nil,
    /// so that each condition is one range of an index. Empty if no value can follow.
    fileprivate func beyond(_ other: StoredValue, isBackwards: Bool) -> [ResolvedCondition] {
        let isUpwards = isDescending == isBackwards
        let nilsAfter = nilsFirst == isBackwards
        if other == .null { return nilsAfter ? [] : [value.compared(.notEqual, .null)] }
        let greater = value.compared(isUpwards ? .greater : .less, other)
        return nilsAfter && value.isOptional ? [greater, value.equals(.null)] : [greater]
    }
}

extension TypedExpression {
    /// Whether a value from outside has the expression's type.
    fileprivate func canBe(_ value: StoredValue) -> Bool {
        guard value != .null else { return isOptional }
        guard value.kind == type.storage else { return false }
        switch (value, type) {
        case (.real(let number), _): return !number.isNaN
        case (.bytes(let bytes), .uuid): return bytes.count == 16
        case (.bytes(let bytes), .decimal): return bytes.withUnsafeBytes { DecimalEncoding.decode($0) } != nil
        default: return true
        }
    }

    fileprivate func equals(_ other: StoredValue) -> ResolvedCondition { compared(.equal, other) }

    fileprivate func compared(_ comparison: Comparison, _ other: StoredValue) -> ResolvedCondition {
        if let position { return .compare(position: position, comparison, other) }
        return .relation(expression, comparison, .value(other), isNegated: false)
    }
}
