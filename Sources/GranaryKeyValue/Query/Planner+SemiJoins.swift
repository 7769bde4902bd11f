import GranaryStoreKit

// A condition on the record that a reference names, or on the records that refer to this one, can be checked for each
// row by look-up. Alternatively, the other entity is queried once, first, and its answer becomes a list of values: a
// semi-join. That is done if fewer rows of the other entity are read than rows would be checked, or than a fraction of
// them. Conditions inside the condition are planned in the same way, so the innermost is answered first.

/// A query that has answered a conjunct, or a part of one.
struct Prepared {
    var plan: Plan
    /// The conjunct's original number, and its replacement.
    fileprivate var number: Int
    var conjuncts = 0..<0

    fileprivate init(_ plan: Plan, _ number: Int) {
        self.plan = plan
        self.number = number
    }
}

extension Planner {
    /// Up to this number, rows of another entity are always read and not looked up one by one.
    private static let smallAnswer = 16
    private static let ordinaryAnswer = 1000
    /// The number of rows that can be read in sequence in the time of a search of an index and the following look-ups.
    private static let rowsAsSearch = 16

    /// Replaces conditions on other records by lists, if that is worth it.
    static func semiJoin(
        _ conjuncts: [ResolvedCondition], _ request: FetchRequest, _ table: Table, _ session: KeyValueSession
    ) throws -> (conjuncts: [ResolvedCondition], prepared: [Prepared]) {
        guard conjuncts.contains(where: \.isAboutOthers) else { return (conjuncts, []) }
        var conjuncts = conjuncts
        var prepared: [Prepared] = []
        for number in conjuncts.indices where conjuncts[number].isAboutOthers {
            let others = conjuncts.filter { !$0.isAboutOthers }
            guard let rows = try rowsLeft(others, request, table, session) else { continue }
            let bound = bound(rows, request)
            let scanBound = request.limit == nil ? max(bound, rows * rowsAsSearch) : bound
            let join = SemiJoin(table: table, session: session, bound: bound, scanBound: scanBound)
            var plans: [Plan] = []
            conjuncts[number] = try join.replaced(conjuncts[number], &plans)
            prepared += plans.map { Prepared($0, number) }
        }
        // A conjunct that became a list may have become several conjuncts.
        var result: [ResolvedCondition] = []
        for (number, conjunct) in conjuncts.enumerated() {
            let parts = flattened(conjunct)
            for place in prepared.indices where prepared[place].number == number {
                prepared[place].conjuncts = result.count..<(result.count + parts.count)
            }
            result += parts
        }
        return (result, prepared)
    }

    /// The approximate number of rows that meet the other conditions; nil if it is at most one.
    private static func rowsLeft(
        _ others: [ResolvedCondition], _ request: FetchRequest, _ table: Table, _ session: KeyValueSession
    ) throws -> Int? {
        let rows = try session.engine.count(in: table.keyspace)
        if others.isEmpty { return rows }
        let planner = Planner(
            FetchRequest(entity: request.entity), table, session, others.flatMap { flattened($0) }, [], true)
        let candidates = planner.candidates()
        if candidates.contains(where: \.isSingle) { return nil }
        var least = rows
        for candidate in candidates where candidate.isNarrowing {
            let bound = min(least, 8 * ordinaryAnswer)
            let count = try planner.count(candidate, upTo: bound)
            if count < bound { least = count }
        }
        return least
    }

    /// The greatest number of rows of the other entity that may be read.
    private static func bound(_ rows: Int, _ request: FetchRequest) -> Int {
        let bound = max(smallAnswer, min(rows, ordinaryAnswer), rows / 8)
        guard let limit = request.limit else { return bound }
        // Rows can be found one by one until there are enough.
        let (enough, overflow) = limit.multipliedReportingOverflow(by: 100)
        return overflow ? bound : min(bound, max(ordinaryAnswer, enough))
    }
}

extension ResolvedCondition {
    /// Whether the condition, or a part of it, is about other records and may become a list.
    fileprivate var isAboutOthers: Bool {
        switch self {
        case .toOne(_, _, _, let isNegated), .toMany(_, _, _, let isNegated): !isNegated
        case .amongRows(.attribute, _, let isNegated): !isNegated
        case .all(let parts), .any(let parts): parts.contains(where: \.isAboutOthers)
        default: false
        }
    }
}
