import GranaryPlatform

/// A state of a store in which the contents of files replace the references in rows.
///
/// A row is read together with its contents. A request that does not choose the attribute does not read its files.
class ExternalReader: StoreReader, LayeredReader, WordCounting {
    let store: ExternalStore
    fileprivate let inner: any StoreReader
    private let cells = ExternalCells()
    /// Whether this reader counts as a reader that prevents the removal of files.
    private var isCounted: Bool

    /// - Parameter isCounted: Whether `beginReading` was called for this reader.
    init(_ inner: any StoreReader, _ store: ExternalStore, isCounted: Bool) {
        (self.inner, self.store, self.isCounted) = (inner, store, isCounted)
    }

    deinit { stopCounting() }

    final var schema: Schema { inner.schema }
    final var transactionNumber: UInt64 { inner.transactionNumber }

    final func find(_ key: Cell, in entity: Int) throws -> Row? {
        guard let row = try inner.find(key, in: entity) else { return nil }
        return try loading(row, of: entity)
    }

    final func rows(_ request: FetchRequest) throws -> any RowCursor {
        let rows = try inner.rows(request)
        let positions = positions(of: request)
        return positions.isEmpty ? rows : ExternalCursor(rows, store, request, positions)
    }

    final func lastAssignedKey(of entity: Int) throws -> Int64 { try inner.lastAssignedKey(of: entity) }
    final func count(_ request: FetchRequest) throws -> Int { try inner.count(request) }
    final func explain(_ request: FetchRequest) throws -> QueryPlan { try inner.explain(request) }
    final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try inner.history(after: number, limit: limit)
    }

    func end() {
        inner.end()
        stopCounting()
    }

    final func stopCounting() {
        if isCounted { store.files.endReading() }
        isCounted = false
    }

    package final func wordStatistics(_ question: WordQuestion, of entity: Int) throws -> WordStatistics? {
        try (inner as? any WordCounting)?.wordStatistics(question, of: entity)
    }

    package final func words(_ asked: AskedWord, of entity: Int, limit: Int) throws -> [TermSuggestion]? {
        try (inner as? any WordCounting)?.words(asked, of: entity, limit: limit)
    }

    package final func wordIndexSize(of entity: Int) throws -> WordIndexSize? {
        try (inner as? any WordCounting)?.wordIndexSize(of: entity)
    }

    /// The reader below, whose rows hold references.
    func engineReader() throws -> any StoreReader { inner }

    /// The files that no row of this state names. Files that are being written at the moment may be included.
    final func unusedFiles() throws -> (count: Int, bytes: Int) {
        let named = Set(try ExternalUses(inner).files.map(\.hexadecimal))
        let unused = try store.files.contents().filter { !named.contains($0.key) }
        return (unused.count, unused.values.reduce(0, +))
    }

    /// A row of the engine with its contents, lent until the next row.
    final func loading(_ row: borrowing Row, of entity: Int) throws -> Row {
        guard schema.entities.indices.contains(entity) else { throw GranaryError.noEntity(at: entity) }
        return try store.load(row, store.positions[entity], into: cells) { [schema] in
            let entity = schema.entities[entity]
            return (entity, entity.attributes[$0].name, entity.keyPosition)
        }
    }

    /// The positions in a request's rows that may hold references.
    private func positions(of request: FetchRequest) -> [Int] {
        guard request.aggregation == nil, schema.entities.indices.contains(request.entity) else { return [] }
        guard let columns = request.columns else { return store.positions[request.entity] }
        return columns.indices.filter { schema.externalAttribute(columns[$0].expression, of: request.entity) != nil }
    }
}

extension Schema {
    /// The external attribute and its entity, if the expression is just such an attribute; otherwise nil.
    fileprivate func externalAttribute(_ expression: ResolvedExpression, of entity: Int) -> (
        entity: Int, position: Int
    )? {
        switch expression {
        case .attribute(let position):
            guard entities.indices.contains(entity), entities[entity].attributes.indices.contains(position) else {
                return nil
            }
            return entities[entity].attributes[position].isExternal ? (entity, position) : nil
        case .toOne(_, let target, let inner): return externalAttribute(inner, of: target)
        default: return nil
        }
    }
}

private final class ExternalCursor: RowCursor {
    private let inner: any RowCursor
    private let store: ExternalStore
    private let request: FetchRequest
    private let positions: [Int]
    private let cells = ExternalCells()

    init(_ inner: any RowCursor, _ store: ExternalStore, _ request: FetchRequest, _ positions: [Int]) {
        (self.inner, self.store, self.request, self.positions) = (inner, store, request, positions)
    }

    func next() throws -> Row? {
        guard let row = try inner.next() else { return nil }
        return try store.load(row, positions, into: cells) { [store, request] position in
            let schema = store.schema
            guard let columns = request.columns else {
                let entity = schema.entities[request.entity]
                return (entity, entity.attributes[position].name, entity.keyPosition)
            }
            let place = schema.externalAttribute(columns[position].expression, of: request.entity)
            let entity = schema.entities[place?.entity ?? request.entity]
            return (entity, entity.attributes[place?.position ?? entity.keyPosition].name, nil)
        }
    }
}

extension ExternalStore {
    /// For an error about a position: the entity, the attribute, and the position of the key in the row if the row has
    /// it.
    typealias Naming = (_ position: Int) -> (entity: Entity, attribute: String, key: Int?)

    /// A row with contents in place of references. It lives as long as the given row, until the next row.
    func load(
        _ row: borrowing Row, _ positions: [Int], into cells: ExternalCells, _ name: Naming
    ) throws -> Row {
        var isBegun = false
        for (number, position) in positions.enumerated() {
            guard let reference = ExternalReference(row[position]) else { continue }
            // The size is checked first: a damaged row may claim any size, and no value exceeds the limit.
            if try files.size(of: reference.name) == reference.size, reference.size <= capabilities.limits.valueSize {
                if !isBegun { cells.begin(row, replacing: positions.count) }
                isBegun = true
                let room = cells.room(position, number: number, size: reference.size)
                if try files.read(reference, into: room) { continue }
            }
            let (entity, attribute, keyPosition) = name(position)
            var key: StoredValue?
            if let keyPosition { key = StoredValue(row[keyPosition]) }
            throw damaged(reference, entity, attribute, key: key)
        }
        return isBegun ? cells.row(row.count) : Row(cells: row.cells, count: row.count)
    }

    private func damaged(
        _ reference: ExternalReference, _ entity: Entity, _ attribute: String, key: StoredValue?
    ) -> GranaryError {
        let size = (try? files.size(of: reference.name)) ?? nil
        var error = GranaryError(
            .corrupt,
            "The file of \(entity.path(of: attribute)) of a record is \(size == nil ? "missing" : "damaged"): \(files.path)/\(reference.name). Restore it from a backup of the store, or write the same value again, in any record. Other records can be read.",
            about: entity, [attribute])
        error.key = key
        return error
    }
}
