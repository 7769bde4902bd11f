extension OverlayReader {
    package func explain(_ request: FetchRequest) throws -> QueryPlan {
        guard looksAtChanges(request) else { return try below.explain(request) }
        let entity = try entity(at: request.entity)
        if let aggregation = request.aggregation { return try explain(request, aggregation, entity) }
        if request.isDistinct {
            let columns = request.columns ?? entity.columns
            let names = columns.map { $0.expression.name(entity) }
            var sort = QueryPlan.Step(
                .sort,
                terms: try request.distinctTerms(columns, entity).map {
                    names[$0.position] + ($0.isDescending ? " desc" : "")
                })
            sort.limit = request.needed(beside: 0)
            return QueryPlan(try unorderedSteps(request) + [QueryPlan.Step(.distinct, terms: names), sort])
        }
        let pushedDown = try pushDown(request)
        var steps = try self.steps(pushedDown, entity)
        if !pushedDown.isOrdered {
            var sort = QueryPlan.Step(
                .sort,
                terms: request.order.map { $0.value.expression.name(entity) + ($0.isDescending ? " desc" : "") })
            sort.limit = request.needed(beside: 0)
            steps.append(sort)
        }
        return QueryPlan(steps)
    }

    private func explain(_ rows: FetchRequest, _ aggregation: Aggregation, _ entity: Entity) throws -> QueryPlan {
        let steps = try rows.isCut ? explain(rows.rowsAlone).steps : unorderedSteps(rows)
        if aggregation.groups.isEmpty { return QueryPlan(steps) }
        let terms = aggregation.groups.map { $0.expression.name(entity) }
        return QueryPlan(steps + [QueryPlan.Step(.group, terms: terms)])
    }

    private func unorderedSteps(_ request: FetchRequest) throws -> [QueryPlan.Step] {
        let unordered = FetchRequest(entity: request.entity, condition: request.condition)
        return try steps(try pushDown(unordered), try entity(at: request.entity))
    }

    private func steps(_ pushedDown: PushedDownRequest, _ entity: Entity) throws -> [QueryPlan.Step] {
        var steps = try below.explain(pushedDown.below).steps
        if pushedDown.residual != nil { steps.append(QueryPlan.Step(.filter)) }
        if pushedDown.changes.count > 0 {
            steps.append(QueryPlan.Step(.merge, entity.name, terms: ["\(pushedDown.changes.count) pending"]))
        }
        return steps
    }
}
