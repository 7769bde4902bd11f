import ConformanceKit
package import GranaryCore

/// A query by names with all that one can ask for, as the reference answers it.
package struct ReferenceQuery: Sendable {
    package var entity: String
    package var condition: AnyCondition.Node?
    package var order: [Ordering]
    package var limit: Int?
    package var offset: Int
    /// Nil for whole rows.
    package var columns: [AnyExpression.Node]?
    package var isDistinct = false
    package var groups: [AnyExpression.Node] = []
    /// Not empty for a query that aggregates.
    package var aggregates: [Aggregate] = []

    package struct Aggregate: Sendable, Equatable {
        package var function: AggregateFunction
        package var expression: AnyExpression.Node?
        /// Which rows it is of; nil for all.
        package var condition: AnyCondition?
        package var isDistinct: Bool

        package init(
            _ function: AggregateFunction, _ expression: AnyExpression.Node?, where condition: AnyCondition? = nil,
            isDistinct: Bool = false
        ) {
            self.function = function
            self.expression = expression
            self.condition = condition
            self.isDistinct = isDistinct
        }
    }

    package init(
        _ entity: String, condition: AnyCondition.Node? = nil, order: [Ordering] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.entity = entity
        self.condition = condition
        self.order = order
        self.limit = limit
        self.offset = offset
    }

    package init(_ subquery: AnySubquery) {
        self.init(
            subquery.entity, condition: subquery.condition, order: subquery.order, limit: subquery.limit,
            offset: subquery.offset)
        columns = [subquery.column]
        isDistinct = subquery.isDistinct
    }
}

extension ReferenceEvaluator {
    /// The rows of a query, or its columns.
    func rows(_ query: ReferenceQuery) throws -> [[StoredValue]] {
        let places = try matching(query)
        guard let columns = query.columns else {
            return cut(try sorted(places, query), query).compactMap(\.row)
        }
        if query.isDistinct { return try distinct(places, columns, query) }
        return try cut(try sorted(places, query), query).map { try values(columns, $0) }
    }

    /// A row a group, the group's values first, then the aggregates; in no order. Without groups one row, also of nothing.
    func aggregates(_ query: ReferenceQuery) throws -> [[StoredValue]] {
        let entity = try entity(named: query.entity)
        let places = cut(try sorted(try matching(query), query), query)
        var groups: [([StoredValue], [Place])] = query.groups.isEmpty ? [([], [])] : []
        for place in places {
            let values = try values(query.groups, place)
            if let found = groups.firstIndex(where: { same($0.0, values) }) {
                groups[found].1.append(place)
            } else {
                groups.append((values, [place]))
            }
        }
        return try groups.map { values, places in
            try values
                + query.aggregates.map { asked in
                    let counted = try places.filter { place in
                        try asked.condition.map { try holds($0.root, place) } ?? true
                    }
                    return try aggregate(
                        asked.function, asked.expression, asked.isDistinct, over: counted, entity: entity
                    ).value
                }
        }
    }

    private func matching(_ query: ReferenceQuery) throws -> [Place] {
        let entity = try entity(named: query.entity)
        return try state.tables[entity].values.map { Place(entity: entity, row: $0) }
            .filter { place in try query.condition.map { try holds($0, place) } ?? true }
    }

    private func values(_ nodes: [AnyExpression.Node], _ place: Place) throws -> [StoredValue] {
        try nodes.map { try value($0, place).value }
    }

    private func cut<T>(_ rows: [T], _ query: ReferenceQuery) -> [T] {
        let rest = rows.dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    /// Ties are broken by key in the direction of the last term.
    private func sorted(_ places: [Place], _ query: ReferenceQuery) throws -> [Place] {
        let key = state.keyPosition(try entity(named: query.entity))
        let isDescending = query.order.last?.direction == .descending
        return try places.map { place in
            (place, try values(query.order.map(\.expression), place), place.row?[key] ?? .null)
        }.sorted { left, right in
            let order = compare(left.1, right.1, query.order)
            if order != 0 { return order < 0 }
            return ReferenceOrder.compare(left.2, right.2, isDescending: isDescending, nilsFirst: true) < 0
        }.map(\.0)
    }

    /// Rows with equal columns once; the order is of columns, and ties are broken by all of them, ascending.
    private func distinct(_ places: [Place], _ columns: [AnyExpression.Node], _ query: ReferenceQuery) throws
        -> [[StoredValue]]
    {
        var found: [(columns: [StoredValue], terms: [StoredValue])] = []
        for place in places {
            let row = try values(columns, place)
            if found.contains(where: { same($0.columns, row) }) { continue }
            found.append((row, try values(query.order.map(\.expression), place)))
        }
        let plain = columns.map { _ in Ordering(attribute: "") }
        found.sort { left, right in
            let order = compare(left.terms, right.terms, query.order)
            return order != 0 ? order < 0 : compare(left.columns, right.columns, plain) < 0
        }
        return cut(found.map(\.columns), query)
    }

    private func same(_ left: [StoredValue], _ right: [StoredValue]) -> Bool {
        zip(left, right).allSatisfy { ReferenceOrder.compare($0, $1) == 0 }
    }

    private func compare(_ left: [StoredValue], _ right: [StoredValue], _ order: [Ordering]) -> Int {
        for (position, term) in order.enumerated() {
            let isDescending = term.direction == .descending
            let result = ReferenceOrder.compare(
                left[position], right[position], isDescending: isDescending,
                nilsFirst: term.nils.map { $0 == .first } ?? !isDescending)
            if result != 0 { return result }
        }
        return 0
    }
}
