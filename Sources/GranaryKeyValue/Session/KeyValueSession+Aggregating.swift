import GranaryStoreKit

// Three ways, in this order of preference:
// - Without groups, a number of rows that a search proves, and the least or greatest value that an index has at an end
//   of the search, are found without reading the rows.
// - The number of rows for each first value of an index is read from the index.
// - Otherwise every row is read and added.

extension KeyValueSession {
    func aggregate(_ rows: FetchRequest, _ aggregation: Aggregation) throws -> any RowCursor {
        if let values = try valuesWithoutRows(rows, aggregation) { return ValueStream(self, values) }
        let groups = try GroupTable(aggregation, of: rows.entity, in: self)
        if let index = try indexOfCounts(rows, aggregation) {
            let table = try base.table(rows.entity)
            try IndexRuns(self, table, table.indexes[index]).forEach { groups.add($1, of: $0) }
        } else {
            let columns = ColumnSet(aggregation.values, of: try base.table(rows.entity))
            let stream = try rows.isCut ? stream(rows, columns: columns) : unorderedStream(rows, columns: columns)
            while try stream.step() { try groups.add(stream.position) }
        }
        return GroupStream(self, groups)
    }

    /// The number of the index that answers the request by itself.
    func indexOfCounts(_ rows: FetchRequest, _ aggregation: Aggregation) throws -> Int? {
        guard aggregation.groups.count == 1, let position = aggregation.groups[0].position, rows.condition == nil,
            !rows.isCut, aggregation.aggregates.allSatisfy(\.countsRows)
        else { return nil }
        return try base.table(rows.entity).index(beginningWith: position)
    }

    private func valuesWithoutRows(_ rows: FetchRequest, _ aggregation: Aggregation) throws -> [StoredValue]? {
        guard aggregation.groups.isEmpty else { return nil }
        if aggregation.countsRowsAlone {
            let count = try count(rows)
            return aggregation.aggregates.map { _ in .integer(Int64(count)) }
        }
        guard aggregation.isOfEnds(rows) else { return nil }
        var values: [StoredValue] = []
        for aggregate in aggregation.aggregates {
            guard let plan = try planOfEnd(aggregate, rows) else { return nil }
            if aggregate.countsRows {
                values.append(.integer(Int64(try count(rows))))
            } else {
                let stream = try RowStream(self, plan)
                let position = aggregate.value?.position ?? 0
                values.append(try stream.step() ? StoredValue(stream.position[position]) : .null)
            }
        }
        return values
    }

    /// A plan that counts rows without reading them, or finds the least or greatest value at an end of an index; nil if
    /// that is not possible.
    private func planOfEnd(_ aggregate: Aggregation.Aggregate, _ rows: FetchRequest) throws -> Plan? {
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

    func explain(_ rows: FetchRequest, _ aggregation: Aggregation) throws -> QueryPlan {
        let entity = try entity(at: rows.entity)
        let group = QueryPlan.Step(.group, terms: aggregation.groups.map { $0.expression.name(entity) })
        if let index = try indexOfCounts(rows, aggregation) {
            var scan = QueryPlan.Step(
                .scan, entity.name, index: try base.table(rows.entity).indexes[index].name)
            scan.isIndexOnly = true
            return QueryPlan([scan, group])
        }
        if aggregation.groups.isEmpty && !aggregation.countsRowsAlone && aggregation.isOfEnds(rows) {
            let plans = try aggregation.aggregates.map { try planOfEnd($0, rows) }
            let found = plans.compactMap { $0 }
            if found.count == plans.count { return QueryPlan(found.flatMap { $0.steps(in: base) }) }
        }
        var whole = try plan(rows, isCount: !rows.isCut)
        whole.isCount = aggregation.countsRowsAlone
        let steps = whole.steps(in: base)
        return QueryPlan(aggregation.groups.isEmpty ? steps : steps + [group])
    }
}

extension Aggregation {
    /// Whether only numbers of rows, least and greatest values are requested, of rows whose condition costs nothing to
    /// plan.
    fileprivate func isOfEnds(_ rows: FetchRequest) -> Bool {
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
