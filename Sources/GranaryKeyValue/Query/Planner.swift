import GranaryCore

// The ways to answer a request are the key and each index. Each is tried: as many leading attributes as are compared for
// equality, then one list or one range. What a search proves is left out of the condition that is checked again. The way
// with the best score is taken; equality is worth more than a list, a list more than a range, and where two search alike,
// the one that gives the order.

struct Planner {
    private let table: Table
    private let request: FetchRequest
    /// The parts of the condition that must all hold.
    private let conjuncts: [ResolvedCondition]
    private let terms: [Int: Terms]
    private let isCount: Bool

    /// What is asked of one attribute, with the number of the conjunct that asks it.
    fileprivate struct Terms {
        var equal: (StoredValue, Int)?
        var among: ([StoredValue], Int)?
        var lower: (StoredValue, isInclusive: Bool, Int)?
        var upper: (StoredValue, isInclusive: Bool, Int)?
        var notNull: Int?
    }

    private struct Candidate {
        var access: Plan.Access
        var ranges: [Plan.Range] = [Plan.Range(lower: [], upper: nil)]
        var isReverse = false
        var isOrdered = false
        var proven: Set<Int> = []
        var score = 0
        var search: [String] = []
    }

    /// - Parameter isCount: Whether only the number of rows is asked for, which needs no order.
    static func plan(_ request: FetchRequest, _ table: Table, isCount: Bool = false) -> Plan {
        Planner(request, table, isCount).plan()
    }

    private init(_ request: FetchRequest, _ table: Table, _ isCount: Bool) {
        self.request = request
        self.table = table
        self.isCount = isCount
        switch request.condition {
        case nil: conjuncts = []
        case .all(let parts): conjuncts = parts
        case .some(let condition): conjuncts = [condition]
        }
        var terms: [Int: Terms] = [:]
        for (number, conjunct) in conjuncts.enumerated() {
            switch conjunct {
            case .compare(let position, let comparison, let value) where table.accepts(value, at: position):
                terms[position, default: Terms()].take(comparison, value, number)
            case .among(let position, let values) where values.allSatisfy { table.accepts($0, at: position) }:
                if terms[position]?.among == nil { terms[position, default: Terms()].among = (values, number) }
            default: break
            }
        }
        self.terms = terms
    }

    private func plan() -> Plan {
        let order = Plan.SortTerm.order(of: request, table)
        var best: Candidate?
        for access in [Plan.Access.key] + table.indexes.indices.map({ .index($0) }) {
            let candidate = candidate(access, order)
            if candidate.score > best?.score ?? -1 { best = candidate }
        }
        var chosen = best ?? Candidate(access: .key)
        if conjuncts.contains(.always(false)) { chosen.ranges = [] }
        let rest = conjuncts.indices.filter { !chosen.proven.contains($0) && conjuncts[$0] != .always(true) }
            .map { conjuncts[$0] }
        return Plan(
            table: table, access: chosen.access, ranges: chosen.ranges, isReverse: chosen.isReverse,
            residual: rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .all(rest), order: order,
            isOrdered: chosen.isOrdered, limit: request.limit, offset: request.offset, search: chosen.search)
    }

    private func candidate(_ access: Plan.Access, _ order: [Plan.SortTerm]) -> Candidate {
        var candidate = Candidate(access: access)
        let positions: [Int]
        let isUnique: Bool
        switch access {
        case .key: (positions, isUnique) = ([table.keyPosition], true)
        case .index(let number):
            (positions, isUnique) = (Array(table.indexes[number].positions), table.indexes[number].isUnique)
        }
        var prefix = KeyPrefix(table, access)
        var equal = 0
        for position in positions {
            guard let terms = terms[position] else { break }
            if let (value, number) = terms.equal {
                guard access != .key || value != .null else { break }
                prefix.append(value, at: position)
                if !prefix.isCut { candidate.proven.insert(number) }
                candidate.search.append("\(name(position)) = ?")
                candidate.ranges = [prefix.range]
                equal += 1
                continue
            }
            addRange(terms, position, prefix, &candidate)
            break
        }
        if equal == positions.count {
            // All values are known: a cut key's hash is known too, and with it the one entry.
            if prefix.isCut, let values = wholeValues(positions) { candidate.ranges = [prefix.exactRange(values)] }
            candidate.score += isUnique ? (access == .key ? 1_000_000 : 900_000) : 0
        }
        candidate.score += equal * 1000
        judgeOrder(order, positions, equal, &candidate)
        if access == .key && candidate.search.isEmpty { candidate.score += 20 }
        return candidate
    }

    private func addRange(_ terms: Terms, _ position: Int, _ prefix: KeyPrefix, _ candidate: inout Candidate) {
        let name = name(position)
        if let (values, number) = terms.among {
            var isCut = false
            var ranges: [Plan.Range] = []
            for value in values where candidate.access != .key || value != .null {
                var one = prefix
                one.append(value, at: position)
                isCut = isCut || one.isCut
                // Long values that begin alike have one range.
                if ranges.last != one.range { ranges.append(one.range) }
            }
            candidate.ranges = ranges
            if !isCut { candidate.proven.insert(number) }
            candidate.search.append("\(name) in (\(values.count))")
            candidate.score += candidate.access == .key ? 600 : 500
        } else if terms.lower != nil || terms.upper != nil {
            var range = prefix.notNullRange
            var isEmpty = false
            if let (value, isInclusive, number) = terms.lower {
                var one = prefix
                one.append(value, at: position)
                if isInclusive || one.isCut {
                    range.lower = one.range.lower
                } else if let after = one.range.upper {
                    range.lower = after
                } else {
                    isEmpty = true
                }
                if !one.isCut { candidate.proven.insert(number) }
                candidate.search.append("\(name) \(isInclusive ? ">=" : ">") ?")
            }
            if let (value, isInclusive, number) = terms.upper {
                var one = prefix
                one.append(value, at: position)
                range.upper = isInclusive || one.isCut ? one.range.upper : one.range.lower
                if !one.isCut { candidate.proven.insert(number) }
                candidate.search.append("\(name) \(isInclusive ? "<=" : "<") ?")
            }
            // With a range on both sides, `x != nil` is said too.
            if let number = terms.notNull { candidate.proven.insert(number) }
            if let upper = range.upper, !range.lower.lexicographicallyPrecedes(upper) { isEmpty = true }
            candidate.ranges = isEmpty ? [] : [range]
            candidate.score += terms.lower != nil && terms.upper != nil ? 300 : 200
        } else if let number = terms.notNull, candidate.access != .key {
            candidate.ranges = [prefix.notNullRange]
            if !prefix.isCut { candidate.proven.insert(number) }
            candidate.search.append("\(name) != nil")
            candidate.score += isCount ? 100 : 10
        }
    }

    /// The entries come in the order asked for if, without what equality fixes, both name the same attributes in the same
    /// direction up to the key.
    private func judgeOrder(_ order: [Plan.SortTerm], _ positions: [Int], _ equal: Int, _ candidate: inout Candidate) {
        let fixed = Set(terms.compactMap { $0.value.equal == nil ? nil : $0.key })
        let wanted = order.filter { !($0.position.map(fixed.contains) ?? false) }
        var given = positions.dropFirst(equal).filter { !fixed.contains($0) }
        if !given.contains(table.keyPosition) && !fixed.contains(table.keyPosition) { given.append(table.keyPosition) }
        // Beyond the key nothing can be a tie.
        if let key = given.firstIndex(of: table.keyPosition) { given = Array(given[...key]) }
        let fits = wanted.map(\.position) == given.map(Optional.some) && Set(wanted.map(\.isDescending)).count <= 1
        guard fits || isCount || fixed.contains(table.keyPosition) else { return }
        candidate.isOrdered = true
        candidate.isReverse = fits && wanted.first?.isDescending ?? false
        if !isCount { candidate.score += request.limit == nil ? 60 : 150 }
    }

    private func wholeValues(_ positions: [Int]) -> [StoredValue]? {
        var values: [StoredValue] = []
        for position in positions {
            guard let (value, _) = terms[position]?.equal else { return nil }
            values.append(value)
        }
        return values
    }

    private func name(_ position: Int) -> String { table.entity.attributes[position].name }
}

extension Planner.Terms {
    fileprivate mutating func take(_ comparison: Comparison, _ value: StoredValue, _ number: Int) {
        switch comparison {
        case .equal: if equal == nil { equal = (value, number) }
        case .notEqual: if value == .null { notNull = number }
        case .less, .lessOrEqual:
            guard value != .null else { return }
            if let upper, upper.0 <= value { return }
            upper = (value, comparison == .lessOrEqual, number)
        case .greater, .greaterOrEqual:
            guard value != .null else { return }
            if let lower, lower.0 >= value { return }
            lower = (value, comparison == .greaterOrEqual, number)
        }
    }
}

extension Table {
    /// Whether a key can be made of the value, so that it can be searched for.
    fileprivate func accepts(_ value: StoredValue, at position: Int) -> Bool {
        value == .null || value.withCell { kinds[position].accepts($0) }
    }
}
