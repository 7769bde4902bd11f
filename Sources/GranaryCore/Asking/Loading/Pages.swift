// A page after a position is a few searches of an index, however far on it is. For an order (a, b) with the key as the last
// tie-breaker the rows after (a1, b1, k1) are, in order: those with a = a1, b = b1 and a key beyond k1; those with a = a1 and
// b beyond b1; those with a beyond a1. Where nil comes last, those with nil are asked for apart. Each is an equality prefix
// and one range, which a planner answers from an index where one is there, and is asked for only until the page is full.

/// A part of a query's records, with the places where it begins and ends.
public struct Page<R: Sendable>: Sendable {
    public var records: [R]
    /// Where the first record is; nil of an empty page.
    public var start: PagePosition?
    /// Where the last record is; nil of an empty page.
    public var end: PagePosition?
    /// Whether there are records beyond, in the direction that was asked for.
    public var hasMore: Bool
}

/// A record's place in the order of a query: the values it is ordered by, and its key.
///
/// It stays meaningful when the record is changed or deleted, and can be handed out and taken back as text (`Codable`).
public struct PagePosition: Sendable, Hashable, Codable {
    var values: [StoredValue]
    /// The order it is a place in, so that it is not used with another.
    var order: [Ordering]
}

extension RecordRequest {
    /// The records after a place, in the query's order; the first ones after nil. Each comes with what the request loads.
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
    /// Cost: that of one page, also far from the beginning, if an index gives the order. If records are inserted or
    /// deleted meanwhile, no other record is skipped, and none comes twice.
    ///
    /// - Throws: `invalidQuery` if the place was made for another order, if it was altered and is no longer valid, or
    ///   if the query has an offset or a limit.
    public func page(in context: ReadContext, after position: PagePosition? = nil, size: Int) throws -> Page<Output> {
        try loaded.page(in: context, from: position, isBackwards: false, size: size)
    }

    /// The records directly before a place, in the query's order. Before nil, the last records of the query.
    public func page(in context: ReadContext, before position: PagePosition?, size: Int) throws -> Page<Output> {
        try loaded.page(in: context, from: position, isBackwards: true, size: size)
    }
}

extension Query {
    /// How the store would answer for the page after a place: the steps of each request it may take to fill it.
    ///
    /// - Throws: As the page itself.
    public func explain(in context: ReadContext, after position: PagePosition, size: Int) throws -> QueryPlan {
        try context.explainPage(DynamicQuery(self), from: position, isBackwards: false, size: size)
    }

    /// How the store would answer for the page before a place.
    public func explain(in context: ReadContext, before position: PagePosition, size: Int) throws -> QueryPlan {
        try context.explainPage(DynamicQuery(self), from: position, isBackwards: true, size: size)
    }
}

extension LoadedQuery {
    fileprivate func page(
        in context: ReadContext, from position: PagePosition?, isBackwards: Bool, size: Int
    ) throws -> Page<Output> {
        let page: Page<Root> = try context.page(
            DynamicQuery(query), from: position, isBackwards: isBackwards, size: size,
            append: { row, records in try Root._append(row, to: &records) },
            key: { try StoredValue(encoding: $0.id) })
        return Page(
            records: try load(page.records, in: context), start: page.start, end: page.end, hasMore: page.hasMore)
    }
}

extension DynamicQuery {
    /// The records after a place, in the query's order; the first ones after nil.
    ///
    /// - Throws: `invalidQuery` if the place is one in another order, or the query has an offset or a limit.
    public func page(
        in context: ReadContext, after position: PagePosition? = nil, size: Int
    ) throws -> Page<DynamicRecord> {
        try page(in: context, from: position, isBackwards: false, size: size)
    }

    /// The records before a place: the last of them, in the query's order. Before nil, the last of all.
    public func page(
        in context: ReadContext, before position: PagePosition?, size: Int
    ) throws -> Page<DynamicRecord> {
        try page(in: context, from: position, isBackwards: true, size: size)
    }

    private func page(
        in context: ReadContext, from position: PagePosition?, isBackwards: Bool, size: Int
    ) throws -> Page<DynamicRecord> {
        let entity = context.schema.entities[try context.schema.position(ofEntity: self.entity)]
        return try context.page(
            self, from: position, isBackwards: isBackwards, size: size,
            append: { row, records in records.append(DynamicRecord(entity, row: row)) }, key: { $0.key })
    }
}

extension ReadContext {
    fileprivate func explainPage(
        _ query: DynamicQuery, from position: PagePosition, isBackwards: Bool, size: Int
    ) throws -> QueryPlan {
        let pages = try Pages(query, in: schema)
        let size = try pages.checked(size)
        return QueryPlan(
            try pages.requests(from: position, isBackwards: isBackwards).flatMap { request in
                var request = request
                request.limit = size + 1
                return try explain(request).steps
            })
    }

    /// A page of a query by names. The caller makes the records.
    ///
    /// - Parameters:
    ///   - append: Makes a record of a row and adds it to those before.
    ///   - key: A record's key.
    fileprivate func page<R: Sendable>(
        _ query: DynamicQuery, from position: PagePosition?, isBackwards: Bool, size: Int,
        append: (borrowing Row, inout [R]) throws -> Void, key: (R) throws -> StoredValue
    ) throws -> Page<R> {
        let pages = try Pages(query, in: schema)
        let size = try pages.checked(size)
        var records: [R] = []
        // Most pages are full. One record more tells whether there are others beyond.
        records.reserveCapacity(min(size, 1_000) + 1)
        // Counted apart: asking an array costs more where its type is not known.
        var count = 0
        // Of the first row, and of the last one of a full page.
        var (near, far): (PagePosition?, PagePosition?)
        for request in try pages.requests(from: position, isBackwards: isBackwards) {
            guard count <= size else { break }
            var request = request
            request.limit = size + 1 - count
            let cursor = try rows(request)
            // A row points into its cursor: also the one that an error is about.
            defer { withExtendedLifetime(cursor) {} }
            while let row = try cursor.next() {
                count += 1
                if count == 1 { near = pages.position(of: row) }
                if count == size { far = pages.position(of: row) }
                do {
                    try append(row, &records)
                } catch {
                    throw schema.explain(error, request.entity, row)
                }
            }
        }
        let hasMore = count > size
        if hasMore { records.removeLast() }
        guard let first = records.first, let last = records.last else {
            return Page(records: [], start: nil, end: nil, hasMore: hasMore)
        }
        let start = try near ?? pages.position(of: try key(first), in: self)
        let end = try far ?? pages.position(of: try key(last), in: self)
        if isBackwards { records.reverse() }
        return Page(
            records: records, start: isBackwards ? end : start, end: isBackwards ? start : end, hasMore: hasMore)
    }
}

/// The requests that a page is made of.
private struct Pages {
    private let entity: String
    private let base: FetchRequest
    private let order: [Ordering]
    /// The whole order, ending with the key.
    private let terms: [FetchRequest.OrderTerm]
    private let keyPosition: Int
    /// Where a row holds the values it is ordered by; nil if one of them is computed.
    private let positions: [Int]?

    init(_ query: DynamicQuery, in schema: Schema) throws {
        entity = query.entity
        base = try FetchRequest(query, in: schema)
        guard query.limit == nil, query.offset == 0 else {
            throw GranaryError(
                .invalidQuery,
                "A query read in pages cannot have a limit or an offset. Leave them out, and give the size of a page.",
                entity: query.entity)
        }
        order = query.order
        let described = schema.entities[base.entity]
        keyPosition = described.keyPosition
        let key = TypedExpression(.attribute(keyPosition), described.attributes[keyPosition].type, isOptional: false)
        terms = base.order + [FetchRequest.OrderTerm(key, isDescending: base.order.last?.isDescending ?? false)]
        let plain = terms.compactMap(\.value.position)
        positions = plain.count == terms.count ? plain : nil
    }

    /// A size to which one can be added: no page has more records.
    func checked(_ size: Int) throws -> Int {
        guard size >= 0 else {
            throw GranaryError(.invalidQuery, "The size of a page is negative. Ask for zero or more.", entity: entity)
        }
        return min(size, Int.max - 1)
    }

    /// The place of a row; nil if the row does not hold it.
    func position(of row: borrowing Row) -> PagePosition? {
        guard let positions else { return nil }
        var values: [StoredValue] = []
        for position in positions { values.append(StoredValue(row[position])) }
        return PagePosition(values: values, order: order)
    }

    /// The place of a record that is there.
    func position(of key: StoredValue, in context: ReadContext) throws -> PagePosition {
        var request = FetchRequest(
            entity: base.entity,
            condition: .compare(position: keyPosition, .equal, key))
        request.columns = terms.map(\.value)
        let values = try context.rows(request).firstRow { row in terms.indices.map { StoredValue(row[$0]) } }
        guard let values else {
            throw GranaryError(
                .recordNotFound, "A record of the page was deleted while it was read. Ask for the page again.",
                entity: entity)
        }
        return PagePosition(values: values, order: order)
    }

    func requests(from position: PagePosition?, isBackwards: Bool) throws -> [FetchRequest] {
        var ordered = base
        ordered.order = isBackwards ? terms.map(\.reversed) : terms
        guard let position else { return [ordered] }
        // Whether the order was asked for does not matter.
        guard position.order == order || position.order.settled == order.settled,
            position.values.count == terms.count
        else {
            throw GranaryError(
                .invalidQuery,
                "This page position was made for a different sort order. Use one from this query's pages.",
                entity: entity)
        }
        guard zip(terms, position.values).allSatisfy({ term, value in term.value.canBe(value) }) else {
            throw GranaryError(
                .invalidQuery, "This page position does not fit the query's order. Use one from this query's pages.",
                entity: entity)
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

    /// The conditions for values that come after one, or before it, in the order of what they find: a range, and apart from
    /// it nil, so that each is one range of an index. None if nothing can come.
    fileprivate func beyond(_ other: StoredValue, isBackwards: Bool) -> [ResolvedCondition] {
        let isUpwards = isDescending == isBackwards
        let nilsAfter = nilsFirst == isBackwards
        if other == .null { return nilsAfter ? [] : [value.compared(.notEqual, .null)] }
        let greater = value.compared(isUpwards ? .greater : .less, other)
        return nilsAfter && value.isOptional ? [greater, value.equals(.null)] : [greater]
    }
}

extension TypedExpression {
    /// Whether a value that came from outside is of the expression's type.
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
