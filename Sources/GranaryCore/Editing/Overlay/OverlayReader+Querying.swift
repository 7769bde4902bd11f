extension OverlayReader {
    package func rows(_ request: FetchRequest) throws -> any RowCursor {
        guard looksAtChanges(request) else { return try below.rows(request) }
        if let aggregation = request.aggregation { return try aggregate(request, aggregation) }
        if request.isDistinct { return try distinctRows(request) }
        let rows = try wholeRows(request)
        guard let columns = request.columns else { return rows }
        return try ColumnRows(rows, columns, of: request.entity, in: self)
    }

    /// Rows with every attribute at its position, in the order of a request, with its limit and offset applied.
    func wholeRows(_ request: FetchRequest) throws -> any RowCursor {
        let pushedDown = try pushDown(request)
        let rows = try MergedRows(self, request, pushedDown)
        return pushedDown.isOrdered ? rows : LateSortedRows(rows, try SortedRows(request, in: self))
    }

    private func distinctRows(_ request: FetchRequest) throws -> DistinctRows {
        let distinct = try DistinctRows(request, in: self)
        let rows = try unorderedRows(request)
        while let row = try rows.step() { try distinct.add(row) }
        return distinct
    }

    /// Every row that meets a request's condition, in any order.
    func unorderedRows(_ request: FetchRequest) throws -> MergedRows {
        let unordered = FetchRequest(entity: request.entity, condition: request.condition)
        return try MergedRows(self, unordered, try pushDown(unordered))
    }

    package func count(_ request: FetchRequest) throws -> Int {
        guard looksAtChanges(request) else { return try below.count(request) }
        if request.isDistinct { return try distinctRows(request).count }
        // The order and the columns do not change the number of rows.
        var counted = FetchRequest(
            entity: request.entity, condition: request.condition, limit: request.limit, offset: request.offset)
        guard looksAtChanges(counted) else { return try below.count(counted) }
        guard let reached = try reachedRows(of: counted) else {
            let needed = counted.needed(beside: 0) ?? Int.max
            let rows = try unorderedRows(counted)
            var count = 0
            while count < needed, try rows.step() != nil { count += 1 }
            return counted.cut(count)
        }
        let condition = counted.condition
        counted.offset = 0
        if leaveOut(reached, of: &counted) {
            counted.limit = request.needed(beside: 0)
            let shown = try withExtendedLifetime(reached) {
                try number(reached.shown, condition, of: request.entity)
            }
            return request.cut(try below.count(counted) + shown)
        }
        // This limit is enough even if none of these records counts.
        counted.limit = request.needed(beside: reached.count)
        return request.cut(try below.count(counted) + difference(reached, counted))
    }

    /// The number of the given records that meet the condition here, minus the number of those that meet it below.
    private func difference(_ reached: PendingRows, _ request: FetchRequest) throws -> Int {
        if areBasesBelow, let bounds = request.condition.flatMap(ValueBounds.init) {
            let keyPosition = try entity(at: request.entity).keyPosition
            if let order = reached.order(by: bounds.position, keyPosition: keyPosition) {
                return withExtendedLifetime(reached) { order.difference(bounds) }
            }
        }
        let (condition, entity) = (request.condition, request.entity)
        let unchanged = OverlayReader(below, PendingChanges(schema), schema)
        let shown = try withExtendedLifetime(reached) { try number(reached.shown, condition, of: entity) }
        if areBasesBelow {
            return shown
                - (try withExtendedLifetime(reached) {
                    try unchanged.number(reached.replaced, condition, of: entity)
                })
        }
        // Copied, because the condition may look up other records.
        let stored = try reached.keys.compactMap { key in
            try below.row(RecordChange.Place(entity: request.entity, key: key))
        }
        return shown
            - (try withExtendedLifetime(stored) {
                try unchanged.number(ContiguousArray(stored.map(\.cells)), condition, of: entity)
            })
    }

    /// The number of rows that meet a condition.
    private func number(
        _ rows: ContiguousArray<UnsafePointer<Cell>>, _ condition: ResolvedCondition?, of entity: Int
    ) throws -> Int {
        guard let condition else { return rows.count }
        let program = try ConditionProgram(condition, of: entity, in: self)
        return try rows.count { try program.holds($0) }
    }
}

/// Rows in an order that depends on changed entities. All rows are read when the first one is requested.
private final class LateSortedRows: RowCursor {
    private let source: MergedRows
    private let sorted: SortedRows
    private var isRead = false

    init(_ source: MergedRows, _ sorted: SortedRows) {
        self.source = source
        self.sorted = sorted
    }

    func next() throws -> Row? {
        if !isRead {
            isRead = true
            while let row = try source.step() { try sorted.add(row) }
        }
        return try sorted.next()
    }
}
