import GranaryStoreKit

/// All search terms of one component, each with the number of its condition.
struct SearchTerms {
    var equal: (value: StoredValue, number: Int)?
    var among: (values: [StoredValue], numbers: [Int])?
    var lower: (value: StoredValue, isInclusive: Bool, number: Int)?
    var upper: (value: StoredValue, isInclusive: Bool, number: Int)?
    var prefix: (bytes: [UInt8], isWhole: Bool, number: Int)?
    var notNull: [Int] = []

    mutating func take(_ term: SearchTerm, _ number: Int) {
        switch term {
        case .equal(let value): if equal == nil { equal = (value, number) }
        case .among(let values):
            guard let first = among else { return among = (values, [number]) }
            among = (SearchTerms.common(first.values, values), first.numbers + [number])
        case .notNull: notNull.append(number)
        case .prefix(let bytes, let isWhole):
            if let prefix, prefix.bytes.count >= bytes.count { return }
            prefix = (bytes, isWhole, number)
        case .bound(let comparison, let value):
            let isInclusive = comparison == .lessOrEqual || comparison == .greaterOrEqual
            if comparison == .less || comparison == .lessOrEqual {
                if let upper, upper.value <= value { return }
                upper = (value, isInclusive, number)
            } else {
                if let lower, lower.value >= value { return }
                lower = (value, isInclusive, number)
            }
        }
    }

    private static func common(_ left: [StoredValue], _ right: [StoredValue]) -> [StoredValue] {
        var result: [StoredValue] = []
        var (first, second) = (0, 0)
        while first < left.count && second < right.count {
            if left[first] == right[second] {
                result.append(left[first])
                first += 1
                second += 1
            } else if left[first] < right[second] {
                first += 1
            } else {
                second += 1
            }
        }
        return result
    }
}

/// The search terms of conditions that must all hold, for the components of a table.
struct SearchTable {
    // A list with linear search, because a condition uses few components.
    private var components: [SearchComponent] = []
    private var terms: [SearchTerms] = []

    init(_ conditions: [ResolvedCondition], _ table: Table) {
        add(conditions, numberedFrom: 0, table)
    }

    mutating func add(_ conditions: [ResolvedCondition], numberedFrom first: Int, _ table: Table) {
        for (offset, condition) in conditions.enumerated() {
            guard let (component, term) = table.searchTerm(condition) else { continue }
            let place = components.firstIndex(of: component) ?? components.count
            if place == components.count {
                components.append(component)
                terms.append(SearchTerms())
            }
            terms[place].take(term, first + offset)
        }
    }

    subscript(_ component: SearchComponent) -> SearchTerms? { components.firstIndex(of: component).map { terms[$0] } }

    func asks(of component: SearchComponent) -> Bool { components.contains(component) }

    /// Whether all rows that meet the conditions have one value there.
    func isFixed(_ component: SearchComponent) -> Bool {
        if hasEqual(component) { return true }
        return !component.folding.isEmpty && hasEqual(SearchComponent(position: component.position))
    }

    private func hasEqual(_ component: SearchComponent) -> Bool {
        components.firstIndex(of: component).map { terms[$0].equal != nil } ?? false
    }
}
