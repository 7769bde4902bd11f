import GranaryCore

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
            let stream = try request.rows.isCut ? stream(request.rows) : unorderedStream(request.rows)
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
        guard !request.rows.isCut else { return nil }
        var values: [StoredValue] = []
        for aggregate in request.aggregates {
            guard let value = try valueWithoutRows(aggregate, request.rows) else { return nil }
            values.append(value)
        }
        return values
    }

    private func valueWithoutRows(_ aggregate: AggregateRequest.Aggregate, _ rows: FetchRequest) throws -> StoredValue?
    {
        if aggregate.countsRows {
            guard try plan(rows, isCount: true).residual == nil else { return nil }
            return .integer(Int64(try count(rows)))
        }
        guard aggregate.function == .minimum || aggregate.function == .maximum,
            let position = aggregate.value?.position
        else { return nil }
        var first = FetchRequest(
            entity: rows.entity, condition: rows.condition,
            order: [FetchRequest.OrderTerm(position: position, isDescending: aggregate.function == .maximum)], limit: 1)
        if try store.table(rows.entity).entity.attributes[position].isOptional {
            let isThere = ResolvedCondition.compare(position: position, .notEqual, .null)
            switch rows.condition {
            case nil: first.condition = isThere
            case .all(let parts): first.condition = .all(parts + [isThere])
            case .some(let condition): first.condition = .all([condition, isThere])
            }
        }
        let plan = try plan(first)
        guard plan.isOrdered, plan.residual == nil else { return nil }
        let stream = try RowStream(self, plan)
        return try stream.step() ? StoredValue(stream.position[position]) : .null
    }
}

extension FetchRequest {
    /// Whether not all rows are taken of which the condition holds.
    fileprivate var isCut: Bool { limit != nil || offset > 0 }
}
