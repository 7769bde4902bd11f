import GranaryCore

extension Plan {
    /// First what is read, then what is done with it.
    var steps: [QueryPlan.Step] {
        let entity = table.entity
        guard !ranges.isEmpty else { return [QueryPlan.Step(.nothing, entity.name)] }
        var index: String?
        switch access {
        case .key: if !search.isEmpty { index = "key" }
        case .index(let number): index = table.indexes[number].name
        }
        var read = QueryPlan.Step(search.isEmpty ? .scan : .search, entity.name, index: index, terms: search)
        read.isBackwards = isReverse
        if residual == nil && isOrdered { read.limit = needed }
        var steps = [read]
        if residual != nil { steps.append(QueryPlan.Step(.filter)) }
        if !isOrdered {
            // The key at the end is always there and need not be named, unless it is all there is.
            let named = order.count > 1 && order.last?.isDescending == order[order.count - 2].isDescending
            let terms = (named ? order.dropLast() : order[...]).map {
                $0.name(entity) + ($0.isDescending ? " desc" : "")
            }
            var sort = QueryPlan.Step(.sort, terms: terms)
            sort.limit = needed
            steps.append(sort)
        }
        return steps
    }
}
