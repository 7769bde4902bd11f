import GranaryConformance
import GranaryCore

extension BrokenReader {
    func brokenAggregate(_ request: AggregateRequest, _ base: any StoreReader) throws -> any RowCursor {
        var request = request
        request.rows = try broken(request.rows)
        request.groups = request.groups.map { fault.broken($0) }
        for index in request.aggregates.indices {
            let aggregate = request.aggregates[index]
            request.aggregates[index].value = aggregate.value.map { fault.broken($0) }
            switch (fault, aggregate.function) {
            case (.sumsDuplicatesOnce, .sum): request.aggregates[index].isDistinct = true
            case (.countsNil, .count): request.aggregates[index].value = nil
            default: break
            }
        }
        let rows = try base.aggregate(request).all()
        switch fault {
        case .groupsLoseNil: return ListCursor(rows.filter { !$0.prefix(request.groups.count).contains(.null) })
        case .averageIsWhole: return ListCursor(rows.map { row in wholeAverages(row, request) })
        case .sumsAsTheyCome where request.groups.isEmpty:
            return ListCursor(try rows.map { try added($0, request, base) })
        default: return ListCursor(rows)
        }
    }

    private func wholeAverages(_ row: [StoredValue], _ request: AggregateRequest) -> [StoredValue] {
        var row = row
        for (index, aggregate) in request.aggregates.enumerated() where aggregate.function == .average {
            let place = request.groups.count + index
            if aggregate.value?.type == .int64, case .real(let average) = row[place] {
                row[place] = .real(average.rounded(.towardZero))
            }
        }
        return row
    }

    private func added(_ row: [StoredValue], _ request: AggregateRequest, _ base: any StoreReader) throws
        -> [StoredValue]
    {
        var row = row
        for (index, aggregate) in request.aggregates.enumerated() where aggregate.function == .sum {
            guard let value = aggregate.value, value.type == .double, !aggregate.isDistinct else { continue }
            var columns = request.rows
            columns.columns = [value]
            var sum = 0.0
            for case .real(let part) in try base.rows(columns).all().map({ $0[0] }) { sum += part }
            row[index] = .real(sum + 0.0)
        }
        return row
    }
}
