import GranaryCore

extension Session {
    func rows(_ request: FetchRequest) throws -> any RowCursor {
        try check()
        if request.isDistinct { return try DistinctStream(self, request) }
        let stream = try stream(request)
        guard let columns = request.columns else { return stream }
        return try ColumnStream(stream, columns, of: request.entity, in: self)
    }

    /// Whole rows in the order of a request.
    func stream(_ request: FetchRequest) throws -> RowStream { try RowStream(self, plan(request)) }

    /// Whole rows in any order. The request has no limit and no offset.
    func unorderedStream(_ request: FetchRequest) throws -> RowStream {
        try RowStream(self, plan(request, isCount: true))
    }

    func explain(_ request: FetchRequest) throws -> QueryPlan {
        try check()
        return QueryPlan(try plan(request).steps)
    }

    func explain(_ request: AggregateRequest) throws -> QueryPlan {
        try check()
        let entity = try entity(at: request.rows.entity)
        let group = QueryPlan.Step(.group, terms: request.groups.map { $0.expression.name(entity) })
        if let index = try indexOfCounts(request) {
            var scan = QueryPlan.Step(
                .scan, entity.name, index: try store.table(request.rows.entity).indexes[index].name)
            scan.isIndexOnly = true
            return QueryPlan([scan, group])
        }
        let isWhole = request.rows.limit == nil && request.rows.offset == 0
        let steps = try plan(request.rows, isCount: isWhole).steps
        return QueryPlan(request.groups.isEmpty ? steps : steps + [group])
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
            // What the search proves need not be read.
            let scan = try EntryScan(plan, engine, cancellation)
            while count < needed, try scan.advance() != nil { count += 1 }
        } else {
            var unlimited = plan
            unlimited.limit = nil
            unlimited.offset = 0
            let stream = try RowStream(self, unlimited)
            while count < needed, try stream.step() { count += 1 }
        }
        return max(0, min(count - request.offset, request.limit ?? Int.max))
    }

    func plan(_ request: FetchRequest, isCount: Bool = false) throws -> Plan {
        Planner.plan(request, try store.table(request.entity), isCount: isCount)
    }
}
