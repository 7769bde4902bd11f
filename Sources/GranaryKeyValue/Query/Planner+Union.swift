import GranaryStoreKit

// Alternatives can be searched for if each of them can: each alternative, together with everything else that must hold,
// is a search of its own. If the same index answers all of them, their ranges become the ranges of one scan. If not,
// each is a scan, and the keys found are returned once each.

extension Planner {
    /// The greatest number of alternatives; more are checked row by row, unless they are a list of values.
    private static let maximumAlternatives = 256

    private struct Branch {
        var terms: SearchTable
        /// The numbers of the alternative's own conditions.
        var own: Range<Int>
    }

    /// The candidates that begin with the alternatives of one conjunct.
    func unions(of parts: [ResolvedCondition], _ number: Int) -> [Candidate] {
        guard parts.count <= Planner.maximumAlternatives else { return [] }
        var branches: [Branch] = []
        for part in parts {
            let conditions = Planner.flattened(part).filter { $0 != .always(true) }
            if conditions.contains(.always(false)) { continue }
            // If an alternative always holds, there is nothing to search for.
            if conditions.isEmpty { return [] }
            var terms = self.terms
            terms.add(conditions, numberedFrom: conjuncts.count, table)
            branches.append(Branch(terms: terms, own: conjuncts.count..<(conjuncts.count + conditions.count)))
        }
        var candidates = table.accesses.compactMap { merged($0, branches, number) }
        if candidates.isEmpty, let union = union(branches, number) { candidates.append(union) }
        return candidates
    }

    private func narrowing(_ access: Plan.Access, _ branch: Branch) -> Candidate? {
        guard let first = table.components(access).first, branch.terms.asks(of: first) else { return nil }
        let found = search(access, branch.terms)
        // The part that the alternative itself adds must be searched for.
        return found.isNarrowing && !found.searched.isDisjoint(with: branch.own) ? found : nil
    }

    /// One scan of the ranges of all alternatives.
    private func merged(_ access: Plan.Access, _ branches: [Branch], _ number: Int) -> Candidate? {
        var found: [Candidate] = []
        for branch in branches {
            guard let one = narrowing(access, branch) else { return nil }
            found.append(one)
        }
        var candidate = search(access, terms)
        candidate.ranges = Plan.Range.merged(found.flatMap(\.ranges))
        prove(&candidate, found, branches, number)
        let shared = candidate.words
        candidate.words = shared + [.alternatives(found.map { $0.words.filter { !shared.contains($0) } })]
        candidate.score = min((found.map(\.score).min() ?? 0) / 2, 500) + candidate.equal * 1000
        judgeOrder(&candidate)
        return candidate
    }

    /// A scan for each alternative, of the index that answers it best.
    private func union(_ branches: [Branch], _ number: Int) -> Candidate? {
        var found: [Candidate] = []
        for branch in branches {
            let ways = table.accesses.compactMap { narrowing($0, branch) }
            guard let best = ways.max(by: { $0.score < $1.score }) else { return nil }
            found.append(best)
        }
        var candidate = Candidate(access: .key, prefix: KeyPrefix(table, .key))
        candidate.union = found.map { Plan.Scan(access: $0.access, ranges: $0.ranges, search: $0.words) }
        candidate.words = [.alternatives(found.map(\.words))]
        prove(&candidate, found, branches, number)
        candidate.score = min((found.map(\.score).min() ?? 0) / 2, 500) - 50
        judgeOrder(&candidate)
        return candidate
    }

    /// Notes as proven what the search of every alternative proves, and the alternatives themselves if each search
    /// proves all of its own conditions.
    private func prove(_ candidate: inout Candidate, _ found: [Candidate], _ branches: [Branch], _ number: Int) {
        candidate.isNarrowing = true
        let others = Set(conjuncts.indices)
        candidate.proven = found.reduce(others) { $0.intersection($1.proven) }
        candidate.searched = found.reduce(others) { $0.intersection($1.searched) }.union([number])
        if zip(found, branches).allSatisfy({ $0.proven.isSuperset(of: $1.own) }) { candidate.proven.insert(number) }
    }
}
