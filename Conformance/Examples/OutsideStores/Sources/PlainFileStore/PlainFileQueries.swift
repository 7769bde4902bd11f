import GranaryStoreKit

/// What the store answers by itself: rows in the order of their keys, numbers of rows, and plans. Another order, columns,
/// distinct rows and aggregates are made of the rows by `RequestEvaluator`.
extension StateReading {
    func rows(_ request: FetchRequest) throws -> any RowCursor {
        try check()
        guard let isBackwards = try readsBackwards(request) else { return try RequestEvaluator(self).rows(request) }
        let condition = try RowCondition(request.condition, of: request.entity, in: self)
        let search = try RowSearch(request.condition, of: request.entity, rules)
        var keys = search.keys(in: state.tables[request.entity])
        var (toSkip, toGive) = (request.offset, request.limit ?? .max)
        return StoredRowCursor(self) {
            while toGive > 0, let key = isBackwards ? keys.popLast() : keys.popFirst() {
                try self.check()
                guard let row = try self.row(key, of: request.entity), try condition.holds(for: row) else { continue }
                if toSkip > 0 {
                    toSkip -= 1
                } else {
                    toGive -= 1
                    return row
                }
            }
            return nil
        }
    }

    func count(_ request: FetchRequest) throws -> Int {
        try check()
        _ = try rules.entity(at: request.entity)
        guard request.condition == nil, !request.isDistinct else { return try RequestEvaluator(self).count(request) }
        return request.cut(state.tables[request.entity].rows.count)
    }

    func explain(_ request: FetchRequest) throws -> QueryPlan {
        try check()
        let search = try RowSearch(request.condition, of: request.entity, rules)
        let isBackwards = try readsBackwards(request)
        var step = QueryPlan.Step(
            search.isScan ? .scan : .search, try rules.entity(at: request.entity).name,
            index: search.isScan ? nil : search.index, terms: search.terms)
        step.isBackwards = isBackwards ?? false
        return try RequestEvaluator(self).plan(
            request, reading: step, isFiltered: search.isWhole, isOrdered: isBackwards != nil)
    }

    /// Whether the rows of a request are read against the order of their keys; nil if they do not come in either order.
    private func readsBackwards(_ request: FetchRequest) throws -> Bool? {
        let key = try rules.entity(at: request.entity).keyPosition
        if request.aggregation != nil || request.isDistinct || request.columns != nil { return nil }
        guard let first = request.order.first else { return false }
        return first.plainPosition == key ? first.isDescending : nil
    }
}
