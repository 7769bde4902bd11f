package import GranaryCore

extension ReferenceState {
    /// The rows of which a test holds, in an order, cut to a limit and an offset.
    package func rows(
        of entity: Int, order: [(position: Int, isDescending: Bool)], limit: Int?, offset: Int,
        where holds: ([StoredValue]) throws -> Bool
    ) rethrows -> [[StoredValue]] {
        let terms = order + [(keyPosition(entity), order.last?.isDescending ?? false)]
        let sorted = try tables[entity].values.filter(holds).sorted { left, right in
            for (position, isDescending) in terms {
                let comparison = ReferenceOrder.compare(left[position], right[position])
                if comparison != 0 { return isDescending ? comparison > 0 : comparison < 0 }
            }
            return false
        }
        let rest = sorted.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    /// The rows a query by names asks for.
    package func rows(
        of entity: Int, where condition: AnyCondition?, order: [Ordering], limit: Int?, offset: Int
    ) -> [[StoredValue]] {
        let attributes = schema.entities[entity].attributes
        func position(_ name: String) -> Int { attributes.firstIndex { $0.name == name } ?? 0 }
        return rows(
            of: entity, order: order.map { (position($0.expression.text), $0.direction == .descending) }, limit: limit,
            offset: offset
        ) { row in
            condition.map { ReferenceOrder.holds($0.root, row, position) } ?? true
        }
    }
}

/// How values compare and conditions hold, said once more and as plainly as it can be.
package enum ReferenceOrder {
    /// Negative, zero or positive: nil first, numbers by value, text and bytes by byte.
    package static func compare(_ left: StoredValue, _ right: StoredValue) -> Int {
        switch (left, right) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.text(let a), .text(let b)), (.bytes(let a), .bytes(let b)):
            a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
        default: 0
        }
    }

    /// Of nil `==` holds with nil alone, `!=` with all else, no order ever.
    package static func holds(_ comparison: Comparison, _ left: StoredValue, _ right: StoredValue) -> Bool {
        let order = compare(left, right)
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if left == .null || right == .null { return false }
            if order == 0 { return comparison == .lessOrEqual || comparison == .greaterOrEqual }
            return (order < 0) == (comparison == .less || comparison == .lessOrEqual)
        }
    }

    package static func holds(_ node: AnyCondition.Node, _ row: [StoredValue], _ position: (String) -> Int) -> Bool {
        switch node {
        case .always(let value): value
        case .compare(let attribute, let comparison, let value): holds(comparison, row[position(attribute)], value)
        case .among(let attribute, let values): values.contains { compare($0, row[position(attribute)]) == 0 }
        case .all(let nodes): nodes.allSatisfy { holds($0, row, position) }
        case .any(let nodes): nodes.contains { holds($0, row, position) }
        case .not(let inner): !holds(inner, row, position)
        case .invalid, .relation, .listed, .text, .exists, .amongRows: false
        }
    }
}
