/// One state of each part, read as one store.
///
/// A request about one part goes to the store of that part. A condition about records of other parts becomes one about
/// their keys first. What is left, such as an order by an attribute of another part, is answered from the rows.
class PartedReader: StoreReader, RowSource, WordCounting {
    let map: PartedSchema
    let rules: SchemaRules
    /// The reader of each part; for a part that is written to, its writer.
    let readers: [any StoreReader]
    let transactionNumber: UInt64
    private let cancellation: CancellationFlag
    /// A condition about more records than this is answered from the rows, which costs no more.
    private static let mostKeys = 100_000

    final var lent: StoredRow?
    final private(set) var version = 0
    private(set) final var isEnded = false

    init(
        _ map: PartedSchema, _ rules: SchemaRules, _ readers: [any StoreReader], number: UInt64,
        _ cancellation: CancellationFlag
    ) {
        (self.map, self.rules, self.readers, self.cancellation) = (map, rules, readers, cancellation)
        transactionNumber = number
    }

    final var schema: Schema { map.schema }

    /// Ends earlier cursors.
    final func beginStatement() { version &+= 1 }

    func end() {
        isEnded = true
        for reader in readers { reader.end() }
    }

    /// Marks the reader as ended, for a writer whose parts have committed.
    final func didEnd() { isEnded = true }

    final func check() throws {
        if isEnded { throw GranaryError.transactionEnded }
        if cancellation.isSet { throw GranaryError.readCancelled }
    }

    // MARK: Rows

    final func find(_ key: Cell, in entity: Int) throws -> Row? {
        let place = try map.place(of: entity)
        return try readers[place.part].find(key, in: place.position)
    }

    final func lastAssignedKey(of entity: Int) throws -> Int64 {
        let place = try map.place(of: entity)
        return try readers[place.part].lastAssignedKey(of: place.position)
    }

    final func rows(_ request: FetchRequest) throws -> any RowCursor {
        try check()
        _ = try map.place(of: request.entity)
        let request = try joined(request)
        guard map.isWithinPart(request) else { return try RequestEvaluator(self).rows(request) }
        return PartedCursor(try readers[map.places[request.entity].part].rows(map.local(request)), self)
    }

    final func count(_ request: FetchRequest) throws -> Int {
        try check()
        _ = try map.place(of: request.entity)
        let request = try joined(request)
        guard map.isWithinPart(request) else { return try RequestEvaluator(self).count(request) }
        return try readers[map.places[request.entity].part].count(map.local(request))
    }

    final func explain(_ request: FetchRequest) throws -> QueryPlan {
        try check()
        let place = try map.place(of: request.entity)
        var others: [FetchRequest] = []
        let request = try joined(request) { others.append($0) }
        var plan =
            map.isWithinPart(request)
            ? try readers[place.part].explain(map.local(request))
            : try RequestEvaluator(self).plan(
                request, reading: QueryPlan.Step(.scan, schema.entities[request.entity].name))
        // What is asked of the other parts first is beneath the step that it is for.
        let prepared = try others.flatMap { other in
            try explain(other).steps.map { step in
                var step = step
                step.depth += 1
                return step
            }
        }
        plan.steps.insert(contentsOf: prepared, at: min(1, plan.steps.count))
        return plan
    }

    // MARK: Rows, for requests about several parts

    final func row(_ key: StoredValue, of entity: Int) throws -> StoredRow? {
        try key.withCell { try storedRow($0, of: entity) }
    }

    /// A copy of the row with a key.
    final func storedRow(_ key: Cell, of entity: Int) throws -> StoredRow? {
        guard let row = try find(key, in: entity) else { return nil }
        return StoredRow(row)
    }

    final func forEachRow(
        of entity: Int, where condition: ResolvedCondition?, _ body: (StoredRow) throws -> Void
    ) throws {
        // What is about this part alone leaves rows out already. The caller checks the whole condition again, and what
        // can fail only there, in its order.
        var request = FetchRequest(entity: entity)
        let own = condition?.conjuncts.filter { condition in
            var alone = request
            alone.condition = condition
            return !condition.mayFail && map.isWithinPart(alone)
        }
        if let own, let first = own.first { request.condition = own.count == 1 ? first : .all(own) }
        let cursor = try rows(request)
        while let row = try cursor.next() { try body(StoredRow(row)) }
    }

    // MARK: Conditions about other parts

    /// A request in which conditions about records of other parts are conditions about their keys.
    ///
    /// - Parameter note: Called with each request that another part is asked.
    private func joined(
        _ request: FetchRequest, _ note: (FetchRequest) -> Void = { _ in }
    ) throws -> FetchRequest {
        guard !map.isWithinPart(request), map.places.indices.contains(request.entity) else { return request }
        var request = request
        request.condition = try request.condition.map { try joined($0, request.entity, note) }
        return request
    }

    // The depth is bounded where conditions and expressions are resolved.
    private func joined(
        _ condition: ResolvedCondition, _ entity: Int, _ note: (FetchRequest) -> Void
    ) throws -> ResolvedCondition {
        if condition.mayFail { return condition }
        let part = try map.place(of: entity).part
        switch condition {
        case .toOne(let position, let target, let inner, let isNegated) where map.places[target].part != part:
            let key = schema.entities[target].keyPosition
            guard let keys = try values(at: key, of: FetchRequest(entity: target, condition: inner), note) else {
                break
            }
            return PartedReader.isListed(position, keys, isNegated)
        case .toMany(let source, let position, let inner, let isNegated) where map.places[source].part != part:
            let key = schema.entities[entity].keyPosition
            guard let keys = try values(at: position, of: FetchRequest(entity: source, condition: inner), note)
            else { break }
            return PartedReader.isListed(key, keys, isNegated)
        case .amongRows(let expression, let rows, let isNegated)
        where map.places.indices.contains(rows.entity) && map.places[rows.entity].part != part:
            guard let values = try values(of: rows, note) else { break }
            return .listed(expression, values, isNegated: isNegated)
        default: break
        }
        let inner = condition.target ?? entity
        return try condition.map {
            try joined($0, entity, note)
        } condition: {
            try joined($0, inner, note)
        } request: {
            try joined($0, note)
        }
    }

    private func joined(
        _ expression: ResolvedExpression, _ entity: Int, _ note: (FetchRequest) -> Void
    ) throws -> ResolvedExpression {
        let inner = expression.target ?? entity
        return try expression.map {
            try joined($0, inner, note)
        } condition: {
            try joined($0, inner, note)
        }
    }

    private static func isListed(
        _ position: Int, _ values: [StoredValue], _ isNegated: Bool
    ) -> ResolvedCondition {
        if values.isEmpty { return .always(isNegated) }
        return isNegated ? .notAmong(position: position, values) : .among(position: position, values)
    }

    /// The values of an attribute in the rows of a request, without nil, ascending, each once; nil if there are too many.
    private func values(
        at position: Int, of request: FetchRequest, _ note: (FetchRequest) -> Void
    ) throws -> [StoredValue]? {
        var request = request
        let attribute = schema.entities[request.entity].attributes[position]
        request.columns = [
            TypedExpression(.attribute(position), attribute.type, isOptional: attribute.isOptional)
        ]
        return try values(of: request, note)?.filter { $0 != .null }
    }

    /// The values of a request's single column, ascending, each once; nil if there are too many.
    private func values(
        of request: FetchRequest, _ note: (FetchRequest) -> Void
    ) throws -> [StoredValue]? {
        note(request)
        var values: Set<StoredValue> = []
        let cursor = try rows(request)
        while let row = try cursor.next() {
            values.insert(StoredValue(row[0]))
            guard values.count <= PartedReader.mostKeys else { return nil }
        }
        return values.sorted()
    }

    // MARK: Words

    final func wordStatistics(_ question: WordQuestion, of entity: Int) throws -> WordStatistics? {
        let place = try map.place(of: entity)
        return try (readers[place.part] as? any WordCounting)?.wordStatistics(question, of: place.position)
    }

    final func words(_ asked: AskedWord, of entity: Int, limit: Int) throws -> [TermSuggestion]? {
        let place = try map.place(of: entity)
        return try (readers[place.part] as? any WordCounting)?.words(asked, of: place.position, limit: limit)
    }

    final func wordIndexSize(of entity: Int) throws -> WordIndexSize? {
        let place = try map.place(of: entity)
        return try (readers[place.part] as? any WordCounting)?.wordIndexSize(of: place.position)
    }

    // MARK: History

    /// The entries of all parts in the order of their numbers. Each part keeps what a commit has changed in it.
    final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        guard limit > 0 else { return [] }
        var found: [UInt64: (entry: HistoryEntry, changes: [RecordChange])] = [:]
        for (part, reader) in readers.enumerated() {
            for entry in try reader.history(after: number, limit: limit) {
                let changes = map.changes(try RecordChange.decode(entry.changes, reader.schema), ofPart: part)
                found[entry.number, default: (entry, [])].changes += changes
            }
        }
        return found.values.sorted { $0.entry.number < $1.entry.number }.prefix(limit).map { entry, changes in
            var entry = entry
            entry.changes = RecordChange.encode(changes.sorted { $0.place < $1.place }, schema)
            return entry
        }
    }
}

/// A cursor of a part, which any write of the transaction ends.
private final class PartedCursor: RowCursor {
    private let rows: any RowCursor
    private let reader: PartedReader
    private let version: Int

    init(_ rows: any RowCursor, _ reader: PartedReader) {
        (self.rows, self.reader, version) = (rows, reader, reader.version)
    }

    func next() throws -> Row? {
        if reader.isEnded { throw GranaryError.transactionEnded }
        guard reader.version == version else { throw GranaryError.cursorInvalidated }
        return try rows.next()
    }
}
