extension RequestEvaluator {
    /// The plan of a request whose rows a step reads: the further steps come after it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - step: How the rows are read.
    ///   - isFiltered: Whether the condition holds for each row that is read, so that rows are not checked.
    ///   - isOrdered: Whether the rows come in the order of the request, so that they are not sorted.
    /// - Throws: `unknownEntity`.
    public func plan(
        _ request: FetchRequest, reading step: QueryPlan.Step, isFiltered: Bool = false, isOrdered: Bool = false
    ) throws -> QueryPlan {
        let entity = try source.rules.entity(at: request.entity)
        var read = step
        var steps: [QueryPlan.Step] = []
        if request.condition != nil, !isFiltered { steps.append(QueryPlan.Step(.filter)) }
        if request.isDistinct { steps.append(QueryPlan.Step(.distinct)) }
        let isCounted = request.aggregation != nil && !request.isCut
        if isOrdered {
            if steps.isEmpty, request.aggregation == nil { read.limit = request.needed(beside: 0) }
        } else if !isCounted {
            let terms = request.order.map { $0.value.expression.name(entity) + ($0.isDescending ? " desc" : "") }
            var sort = QueryPlan.Step(.sort, terms: terms.isEmpty ? [entity.key] : terms)
            sort.limit = request.needed(beside: 0)
            steps.append(sort)
        }
        if let groups = request.aggregation?.groups, !groups.isEmpty {
            steps.append(QueryPlan.Step(.group, terms: groups.map { $0.expression.name(entity) }))
        }
        return QueryPlan([read] + steps)
    }
}
