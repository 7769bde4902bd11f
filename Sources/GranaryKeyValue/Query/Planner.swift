import GranaryStoreKit

// A condition on other records is first turned into a list of values, if that is cheap (Planner+SemiJoins). Then the
// candidates are collected: the key and each index (Planner+Searching), and for alternatives a union of the indexes
// that answer them (Planner+Union). The part of the condition that a search proves is not checked again.
//
// Each candidate has a score: equality is worth more than a list, a list more than a range, and of two with the same
// search, the one in the right order is better. In a large table, if there is a choice, entries are counted up to a
// bound and the candidate that reads least is taken (Planner+Choosing).

/// Decides how a request is answered.
struct Planner {
    let session: KeyValueSession
    let table: Table
    let request: FetchRequest
    /// Whether only the number of rows is needed, or the rows in any order.
    let isCount: Bool
    /// The parts of the condition that must all hold.
    let conjuncts: [ResolvedCondition]
    let terms: SearchTable
    let order: [Plan.SortTerm]
    let wanted: [WantedTerm]?
    private let preparations: [Prepared]

    /// A way to answer the request.
    struct Candidate {
        var access: Plan.Access
        var ranges = Plan.Range.whole
        var union: [Plan.Scan] = []
        var isReverse = false
        var isOrdered = false
        /// Whether it reads only a part of the entries, for a reason other than nils.
        var isNarrowing = false
        /// Whether at most one row can match.
        var isSingle = false
        /// The numbers of the conjuncts that need not be checked, and of those that are searched for.
        var proven: Set<Int> = []
        var searched: Set<Int> = []
        /// The number of leading components fixed by equality, and the beginning of the key that they give.
        var equal = 0
        var prefix: KeyPrefix
        var score = 0
        var words: [SearchWord] = []
    }

    static func plan(_ request: FetchRequest, _ session: KeyValueSession, isCount: Bool = false) throws -> Plan {
        let table = try session.base.table(request.entity)
        let conjuncts = Planner.flattened(request.condition)
        let joined = try Planner.semiJoin(conjuncts, request, table, session)
        return try Planner(request, table, session, joined.conjuncts, joined.prepared, isCount).plan()
    }

    init(
        _ request: FetchRequest, _ table: Table, _ session: KeyValueSession, _ conjuncts: [ResolvedCondition],
        _ preparations: [Prepared], _ isCount: Bool
    ) {
        self.session = session
        self.table = table
        self.request = request
        self.isCount = isCount
        self.conjuncts = conjuncts
        self.preparations = preparations
        terms = SearchTable(conjuncts, table)
        order = isCount ? [] : Plan.SortTerm.order(of: request, table)
        wanted = isCount ? nil : Planner.wantedOrder(request, table)
    }

    private func plan() throws -> Plan {
        var chosen = try choose(candidates())
        if conjuncts.contains(.always(false)) {
            chosen.ranges = []
            chosen.union = []
        }
        let rest = conjuncts.indices.filter { !chosen.proven.contains($0) && conjuncts[$0] != .always(true) }
            .map { conjuncts[$0] }
        var plan = Plan(
            table: table, access: chosen.access, ranges: chosen.ranges, union: chosen.union,
            isReverse: chosen.isReverse, residual: Planner.joined(rest),
            order: order, isOrdered: chosen.isOrdered, limit: request.limit, offset: request.offset,
            search: chosen.words, isCount: isCount)
        plan.condition = Planner.joined(conjuncts)
        plan.preparations = preparations.map { prepared in
            Plan.Preparation(plan: prepared.plan, isSearched: !chosen.searched.isDisjoint(with: prepared.conjuncts))
        }
        return plan
    }

    private static func joined(_ conjuncts: [ResolvedCondition]) -> ResolvedCondition? {
        conjuncts.isEmpty ? nil : conjuncts.count == 1 ? conjuncts[0] : .all(conjuncts)
    }

    /// All candidates; a single one if no other can be better.
    func candidates() -> [Candidate] {
        if conjuncts.contains(.always(false)) { return [Candidate(access: .key, prefix: KeyPrefix(table, .key))] }
        var candidates: [Candidate] = []
        for access in table.accesses where isOfUse(access) {
            var candidate = search(access, terms)
            judgeOrder(&candidate)
            if candidate.isSingle { return [candidate] }
            candidates.append(candidate)
        }
        for (number, conjunct) in conjuncts.enumerated() {
            if case .any(let parts) = conjunct { candidates += unions(of: parts, number) }
        }
        return candidates
    }

    /// Whether an index may narrow the search or give the order. If not, reading by the key is better.
    private func isOfUse(_ access: Plan.Access) -> Bool {
        guard access != .key, let first = table.components(access).first else { return true }
        return terms.asks(of: first) || terms.isFixed(first) || wanted?.contains { $0.component == first } ?? false
    }

    /// The parts of a condition that must all hold. Alternatives that test one attribute for equality become a list.
    static func flattened(_ condition: ResolvedCondition?) -> [ResolvedCondition] {
        switch condition {
        case nil: []
        case .all(let parts): parts.flatMap { flattened($0) }
        case .any(let parts): [listed(parts)]
        case .some(let condition): [condition]
        }
    }

    private static func listed(_ parts: [ResolvedCondition]) -> ResolvedCondition {
        var values: [Int: Set<StoredValue>] = [:]
        var others: [ResolvedCondition] = []
        var remaining = parts[...]
        var inner: [ArraySlice<ResolvedCondition>] = []
        while true {
            guard let part = remaining.popFirst() else {
                guard let last = inner.popLast() else { break }
                remaining = last
                continue
            }
            switch part {
            case .any(let parts):
                inner.append(remaining)
                remaining = parts[...]
            case .compare(let position, .equal, let value): values[position, default: []].insert(value)
            case .among(let position, let list): values[position, default: []].formUnion(list)
            default: others.append(part)
            }
        }
        let lists = values.sorted { $0.key < $1.key }.map { position, values in
            values.count == 1
                ? ResolvedCondition.compare(position: position, .equal, values.first ?? .null)
                : .among(position: position, values.sorted())
        }
        let all = lists + others
        return all.count == 1 ? all[0] : .any(all)
    }
}
