import GranaryStoreKit

extension Plan {
    /// First the steps that read, then those that process the rows. Steps for each row, and steps done for planning,
    /// are indented.
    func steps(in base: StoreBase) -> [QueryPlan.Step] {
        guard !ranges.isEmpty else {
            return [QueryPlan.Step(.nothing, table.entity.name)]
                + preparations.flatMap { $0.plan.steps(in: base).indented }
        }
        var steps = reading
        steps += preparations.filter(\.isSearched).flatMap { $0.plan.steps(in: base).indented }
        if let residual {
            steps.append(QueryPlan.Step(.filter))
            steps += preparations.filter { !$0.isSearched }.flatMap { $0.plan.steps(in: base).indented }
            steps += residual.lookUps(in: base).indented
        }
        // Rows that are only counted are not sorted.
        if !isOrdered && !isCount { steps.append(sorting) }
        return steps
    }

    private var reading: [QueryPlan.Step] {
        let entity = table.entity
        if !union.isEmpty {
            var steps = union.map { scan in
                var step = QueryPlan.Step(
                    .search, entity.name, index: table.name(of: scan.access), terms: scan.search.text(entity))
                step.isIndexOnly = scan.access != .key
                return step
            }
            if residual != nil || !isCount {
                var lookUp = QueryPlan.Step(.lookUp, entity.name, index: "key")
                lookUp.isBackwards = isReverse
                steps.append(lookUp)
            }
            return steps
        }
        let index = access == .key && search.isEmpty ? nil : table.name(of: access)
        var read = QueryPlan.Step(
            search.isEmpty ? .scan : .search, entity.name, index: index, terms: search.text(entity))
        read.isBackwards = isReverse
        read.isIndexOnly = isCount && residual == nil && access != .key
        if residual == nil && isOrdered { read.limit = needed }
        return [read]
    }

    private var sorting: QueryPlan.Step {
        // The final key is always present and need not be named, unless it is the whole order.
        let named = order.count > 1 && order.last?.isDescending == order[order.count - 2].isDescending
        let terms = (named ? order.dropLast() : order[...]).map {
            $0.name(table.entity) + ($0.isDescending ? " desc" : "")
        }
        var sort = QueryPlan.Step(.sort, terms: terms)
        sort.limit = needed
        return sort
    }
}

extension Table {
    fileprivate func name(of access: Plan.Access) -> String {
        switch access {
        case .key: "key"
        case .index(let number): indexes[number].name
        }
    }
}

extension [QueryPlan.Step] {
    fileprivate var indented: [QueryPlan.Step] {
        map { step in
            var step = step
            step.depth += 1
            return step
        }
    }
}

extension ResolvedCondition {
    /// The reads of other entities for each row that is checked.
    fileprivate func lookUps(in base: StoreBase) -> [QueryPlan.Step] {
        var inner: [QueryPlan.Step] = []
        forEachChild { inner += $0.lookUps(in: base) }
        return switch self {
        case .toOne(_, let entity, _, _): [base.tables[entity].lookUp] + inner.indented
        case .toMany(let entity, let position, _, _): [base.tables[entity].referrers(by: position)] + inner.indented
        default: inner
        }
    }
}

extension ResolvedExpression {
    fileprivate func lookUps(in base: StoreBase) -> [QueryPlan.Step] {
        var inner: [QueryPlan.Step] = []
        forEachChild { inner += $0.lookUps(in: base) }
        return switch self {
        case .toOne(_, let entity, _): [base.tables[entity].lookUp] + inner.indented
        case .aggregate(let aggregate):
            [base.tables[aggregate.entity].referrers(by: aggregate.position)] + inner.indented
        default: inner
        }
    }
}

extension ResolvedChild {
    fileprivate func lookUps(in base: StoreBase) -> [QueryPlan.Step] {
        switch self {
        case .condition(let condition): condition.lookUps(in: base)
        case .expression(let expression): expression.lookUps(in: base)
        // The rows of a subquery are read once; it has a plan of its own.
        case .request: []
        }
    }
}

extension Table {
    /// One row by its key.
    fileprivate var lookUp: QueryPlan.Step { QueryPlan.Step(.lookUp, entity.name, index: "key") }

    /// The rows whose attribute at a position has one value.
    fileprivate func referrers(by position: Int) -> QueryPlan.Step {
        let index = index(beginningWith: position).map { indexes[$0].name }
        return QueryPlan.Step(
            index == nil ? .scan : .search, entity.name, index: index,
            terms: ["\(entity.attributes[position].name) = ?"])
    }
}
