import GranaryStoreKit

// Three ways, the first that fits:
// - Without groups, a number of rows that a search proves, and the least or greatest value that an index has at an end of
//   the search, are answered without reading the rows.
// - The number of rows for each value that an index begins with is read from the index.
// - Else every row is read and taken in.

extension Session {
    func aggregate(_ request: AggregateRequest) throws -> any RowCursor {
        try check()
        if let values = try valuesWithoutRows(request) { return ValueStream(self, values) }
        let groups = try GroupTable(request, in: self)
        if let index = try indexOfCounts(request) {
            let table = try store.table(request.rows.entity)
            try IndexRuns(self, table, table.indexes[index]).forEach { groups.add($1, of: $0) }
        } else {
            let values = request.groups + request.aggregates.compactMap(\.value)
            let columns = ColumnSet(values, of: try store.table(request.rows.entity))
            let stream =
                try request.rows.isCut
                ? stream(request.rows, columns: columns) : unorderedStream(request.rows, columns: columns)
            while try stream.step() { try groups.add(stream.position) }
        }
        return GroupStream(self, groups)
    }

    /// The number of the index that answers the request by itself.
    func indexOfCounts(_ request: AggregateRequest) throws -> Int? {
        guard request.groups.count == 1, let position = request.groups[0].position, request.rows.condition == nil,
            !request.rows.isCut, request.aggregates.allSatisfy(\.countsRows)
        else { return nil }
        return try store.table(request.rows.entity).index(beginningWith: position)
    }

    private func valuesWithoutRows(_ request: AggregateRequest) throws -> [StoredValue]? {
        guard request.groups.isEmpty else { return nil }
        if request.aggregates.allSatisfy(\.countsRows) {
            let count = try count(request.rows)
            return request.aggregates.map { _ in .integer(Int64(count)) }
        }
        guard request.isOfEnds else { return nil }
        var values: [StoredValue] = []
        for aggregate in request.aggregates {
            guard let plan = try planOfEnd(aggregate, request.rows) else { return nil }
            if aggregate.countsRows {
                values.append(.integer(Int64(try count(request.rows))))
            } else {
                let stream = try RowStream(self, plan)
                let position = aggregate.value?.position ?? 0
                values.append(try stream.step() ? StoredValue(stream.position[position]) : .null)
            }
        }
        return values
    }

    /// How rows are counted without reading them, or the least or the greatest value is found at an end of an index; nil
    /// if they are not.
    private func planOfEnd(_ aggregate: AggregateRequest.Aggregate, _ rows: FetchRequest) throws -> Plan? {
        if aggregate.countsRows {
            let counted = try plan(rows, isCount: true)
            return counted.residual == nil ? counted : nil
        }
        guard let position = aggregate.value?.position else { return nil }
        var first = FetchRequest(
            entity: rows.entity, condition: rows.condition,
            order: [FetchRequest.OrderTerm(position: position, isDescending: aggregate.function == .maximum)], limit: 1)
        if try entity(at: rows.entity).attributes[position].isOptional {
            let isThere = ResolvedCondition.compare(position: position, .notEqual, .null)
            switch rows.condition {
            case nil: first.condition = isThere
            case .all(let parts): first.condition = .all(parts + [isThere])
            case .some(let condition): first.condition = .all([condition, isThere])
            }
        }
        let ordered = try plan(first)
        return ordered.isOrdered && ordered.residual == nil ? ordered : nil
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
        if request.groups.isEmpty && request.isOfEnds && !request.aggregates.allSatisfy(\.countsRows) {
            let plans = try request.aggregates.map { try planOfEnd($0, request.rows) }
            let found = plans.compactMap { $0 }
            if found.count == plans.count { return QueryPlan(found.flatMap { $0.steps(in: store) }) }
        }
        var whole = try plan(request.rows, isCount: !request.rows.isCut)
        whole.isCount = request.groups.isEmpty && request.aggregates.allSatisfy(\.countsRows)
        let steps = whole.steps(in: store)
        return QueryPlan(request.groups.isEmpty ? steps : steps + [group])
    }
}

extension FetchRequest {
    /// Whether not all rows are taken of which the condition holds.
    fileprivate var isCut: Bool { limit != nil || offset > 0 }
}

extension AggregateRequest {
    /// Whether only numbers of rows, least and greatest values are asked for, of rows whose condition costs nothing to
    /// plan.
    fileprivate var isOfEnds: Bool {
        let areEnds = aggregates.allSatisfy { aggregate in
            aggregate.countsRows
                || aggregate.value?.position != nil
                    && (aggregate.function == .minimum || aggregate.function == .maximum)
        }
        let conjuncts = rows.condition?.conjuncts ?? []
        return areEnds && !rows.isCut
            && conjuncts.allSatisfy { condition in
                switch condition {
                case .compare, .among: true
                default: false
                }
            }
    }
}
