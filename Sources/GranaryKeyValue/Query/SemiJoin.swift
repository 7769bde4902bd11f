import GranaryStoreKit

/// Answers conditions on other records once, and replaces them by lists of the values that meet them.
struct SemiJoin {
    let table: Table
    let session: KeyValueSession
    /// The greatest number of rows of the other entity that may be read.
    let bound: Int
    /// The same limit if all of them are read in sequence, instead of a search and some look-ups for each.
    let scanBound: Int

    // The depth is bounded where conditions are resolved.
    func replaced(_ condition: ResolvedCondition, _ plans: inout [Plan]) throws -> ResolvedCondition {
        switch condition {
        case .all(let parts):
            let parts = try parts.map { try replaced($0, &plans) }.filter { $0 != .always(true) }
            if parts.contains(.always(false)) { return .always(false) }
            return parts.isEmpty ? .always(true) : parts.count == 1 ? parts[0] : .all(parts)
        case .any(let parts):
            let parts = try parts.map { try replaced($0, &plans) }.filter { $0 != .always(false) }
            if parts.contains(.always(true)) { return .always(true) }
            return parts.isEmpty ? .always(false) : parts.count == 1 ? parts[0] : .any(parts)
        case .toOne(let position, let entity, let inner, isNegated: false):
            switch try answer(entity, inner, session.base.table(entity).keyPosition, bound, &plans) {
            case .values(let values): return listed(position, values)
            case .condition(let inner): return .toOne(position: position, entity: entity, inner, isNegated: false)
            }
        case .toMany(let entity, let position, let inner, isNegated: false):
            switch try answer(entity, inner, position, scanBound, &plans) {
            case .values(let values): return listed(table.keyPosition, values)
            case .condition(let inner): return .toMany(entity: entity, position: position, inner, isNegated: false)
            }
        case .amongRows(.attribute(let position), let request, isNegated: false):
            guard let values = try column(request, &plans) else { return condition }
            let storage = table.kinds[position].storage
            return listed(position, values.compactMap { $0.exact(in: storage) })
        default: return condition
        }
    }

    /// The result for a condition on another entity.
    private enum Answer {
        case values(ValueList)
        /// Too many rows would be read. Inner conditions that were answered are not answered again.
        case condition(ResolvedCondition)
    }

    private func listed(_ position: Int, _ values: ValueList) -> ResolvedCondition {
        let sorted = values.ascending
        switch sorted.count {
        case 0: return .always(false)
        case 1: return .compare(position: position, .equal, sorted[0])
        default: return .among(position: position, sorted)
        }
    }

    /// The values of an attribute, without nil, in the rows that meet a condition.
    private func answer(
        _ entity: Int, _ condition: ResolvedCondition, _ position: Int, _ scanned: Int, _ plans: inout [Plan]
    ) throws -> Answer {
        let table = try session.base.table(entity)
        var plan = try Planner.plan(FetchRequest(entity: entity, condition: condition), session, isCount: true)
        let values = try SemiJoin.unlessItFails { () -> ValueList? in
            guard try isWithinBound(plan, table, scanned) else { return nil }
            if plan.residual == nil && position == table.keyPosition && table.keyKind != .text {
                return try keys(plan)
            }
            plan.isCount = false
            var columns = ColumnSet()
            columns.insert(position)
            let stream = try RowStream(session, plan, columns: columns)
            var values = ValueList()
            while try stream.step() {
                let cell = stream.position[position]
                if !cell.isNull { values.insert(cell) }
            }
            return values
        }
        guard let values else {
            plans += plan.preparations.map(\.plan)
            return .condition(plan.condition ?? .always(true))
        }
        plans.append(plan)
        return .values(values)
    }

    /// Returns nil if a computation fails for some row: whether that row is ever tested depends on the query itself.
    private static func unlessItFails<T>(_ body: () throws -> T?) throws -> T? {
        do {
            return try body()
        } catch let error as GranaryError where [.overflow, .range, .limit].contains(error.code) {
            return nil
        }
    }

    /// The keys of a plan's rows, which are not read.
    private func keys(_ plan: Plan) throws -> ValueList {
        let index: TableIndex? = if case .index(let number) = plan.access { plan.table.indexes[number] } else { nil }
        let entries = try EntryScan(plan, session.engine, session.cancellation, keysOnly: true)
        var values = ValueList()
        while let entry = try entries.advance() {
            var key = entry.key
            if let index {
                guard let (_, rowKey) = index.split(entry.key) else { throw index.outOfStep(plan.table) }
                key = rowKey
            }
            guard let value = plan.table.keyCell(key) else { throw plan.table.layout.damaged() }
            values.insert(value)
        }
        return values
    }

    private func isWithinBound(_ plan: Plan, _ table: Table, _ scanned: Int) throws -> Bool {
        let rows = try session.engine.count(in: table.keyspace)
        // If the whole table is small enough, nothing needs to be counted.
        if rows <= bound { return true }
        if plan.search.isEmpty { return rows <= scanned || plan.ranges.isEmpty }
        let scans = plan.union.isEmpty ? [Plan.Scan(access: plan.access, ranges: plan.ranges, search: [])] : plan.union
        return try Planner.count(scans, table, session, upTo: bound + 1) <= bound
    }

    /// The values of a query with one column. They are needed in any case.
    private func column(_ request: FetchRequest, _ plans: inout [Plan]) throws -> ValueList? {
        let isCut = request.limit != nil || request.offset > 0
        guard let column = request.columns?.first, !(request.isDistinct && isCut) else { return nil }
        var whole = request
        whole.columns = nil
        whole.isDistinct = false
        var plan = try Planner.plan(whole, session, isCount: !isCut)
        plan.isCount = false
        let values = try SemiJoin.unlessItFails { () -> ValueList? in
            let program = try ExpressionProgram(column.expression, of: request.entity, in: session)
            let columns = ColumnSet([column], of: try session.base.table(request.entity))
            let stream = try RowStream(session, plan, columns: columns)
            var values = ValueList()
            while try stream.step() { values.insert(try program.value(stream.position)) }
            return values
        }
        if values != nil { plans.append(plan) }
        return values
    }
}
