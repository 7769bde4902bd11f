import ConformanceKit
import GranaryCore

extension BrokenReader {
    func brokenAggregate(
        _ request: FetchRequest, _ made: Aggregation, _ base: any StoreReader
    ) throws -> any RowCursor {
        var made = made
        made.groups = made.groups.map { fault.broken($0) }
        for index in made.aggregates.indices {
            let aggregate = made.aggregates[index]
            made.aggregates[index].value = aggregate.value.map { fault.broken($0) }
            switch (fault, aggregate.function) {
            case (.sumsDuplicatesOnce, .sum): made.aggregates[index].isDistinct = true
            case (.countsNil, .count): made.aggregates[index].value = nil
            default: break
            }
        }
        var request = try broken(request)
        request.aggregation = made
        let rows = try base.rows(request).all()
        switch fault {
        case .groupsLoseNil: return ListCursor(rows.filter { !$0.prefix(made.groups.count).contains(.null) })
        case .averageIsWhole: return ListCursor(rows.map { row in wholeAverages(row, made) })
        case .sumsAsTheyCome where made.groups.isEmpty:
            return ListCursor(try rows.map { try added($0, request, made, base) })
        default: return ListCursor(rows)
        }
    }

    private func wholeAverages(_ row: [StoredValue], _ made: Aggregation) -> [StoredValue] {
        var row = row
        for (index, aggregate) in made.aggregates.enumerated() where aggregate.function == .average {
            let place = made.groups.count + index
            if aggregate.value?.type == .int64, case .real(let average) = row[place] {
                row[place] = .real(average.rounded(.towardZero))
            }
        }
        return row
    }

    private func added(
        _ row: [StoredValue], _ request: FetchRequest, _ made: Aggregation, _ base: any StoreReader
    ) throws -> [StoredValue] {
        var row = row
        for (index, aggregate) in made.aggregates.enumerated() where aggregate.function == .sum {
            guard let value = aggregate.value, value.type == .double, !aggregate.isDistinct else { continue }
            var columns = request.rowsAlone
            columns.columns = [value]
            var sum = 0.0
            for case .real(let part) in try base.rows(columns).all().map({ $0[0] }) { sum += part }
            row[index] = .real(sum + 0.0)
        }
        return row
    }
}
