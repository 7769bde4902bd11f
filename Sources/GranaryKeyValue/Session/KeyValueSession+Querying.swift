import GranaryStoreKit

extension KeyValueSession {
    func rows(_ request: FetchRequest) throws -> any RowCursor {
        try check()
        if let aggregation = request.aggregation { return try aggregate(request, aggregation) }
        if request.isDistinct { return try DistinctStream(self, request) }
        guard let columns = request.columns else { return try stream(request) }
        let stream = try stream(request, columns: ColumnSet(columns, of: base.table(request.entity)))
        return try ColumnStream(stream, columns, of: request.entity, in: self)
    }

    /// Rows in the order of a request.
    func stream(_ request: FetchRequest, columns: ColumnSet = .all) throws -> RowStream {
        try RowStream(self, plan(request), columns: columns)
    }

    /// Rows in any order. The request has no limit and no offset.
    func unorderedStream(_ request: FetchRequest, columns: ColumnSet) throws -> RowStream {
        try RowStream(self, plan(request, isCount: true), columns: columns)
    }

    func explain(_ request: FetchRequest) throws -> QueryPlan {
        try check()
        if let aggregation = request.aggregation { return try explain(request, aggregation) }
        if request.isDistinct { return try DistinctStream(self, request).explain() }
        return QueryPlan(try plan(request).steps(in: base))
    }

    func count(_ request: FetchRequest) throws -> Int {
        try check()
        if request.isDistinct { return try DistinctStream(self, request).count() }
        let plan = try plan(request, isCount: true)
        let needed = plan.needed ?? Int.max
        guard needed > 0, !plan.ranges.isEmpty else { return 0 }
        var count = 0
        if plan.residual == nil && plan.access == .key && plan.search.isEmpty {
            count = try engine.count(in: plan.keyspace)
        } else if plan.residual == nil {
            // Rows that the search proves need not be read.
            count = try EntryScan(plan, engine, cancellation, keysOnly: true).count(upTo: needed)
        } else {
            var unlimited = plan
            unlimited.limit = nil
            unlimited.offset = 0
            let stream = try RowStream(self, unlimited, columns: ColumnSet())
            while count < needed, try stream.step() { count += 1 }
        }
        return max(0, min(count - request.offset, request.limit ?? Int.max))
    }

    func plan(_ request: FetchRequest, isCount: Bool = false) throws -> Plan {
        try Planner.plan(request, self, isCount: isCount)
    }
}
