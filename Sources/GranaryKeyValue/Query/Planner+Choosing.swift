import GranaryStoreKit

// The only statistics are those that need no upkeep: the number of entries of a keyspace, which engines know, and the
// number of entries in the ranges of a candidate, counted up to a bound. They are used only if there is a choice.

extension Planner {
    /// In a table up to this size any candidate is good enough.
    private static let smallTable = 1000
    /// The bound of the first count of entries, and of the second if the first does not decide.
    private static let firstBound = 128
    private static let secondBound = 4096
    private static let greatestBound = 100_000

    /// The candidate that is expected to read least.
    func choose(_ candidates: [Candidate]) throws -> Candidate {
        guard !candidates.isEmpty else { return Candidate(access: .key, prefix: KeyPrefix(table, .key)) }
        // By number, because a candidate is too large to be copied for each look at it.
        var first = 0
        for other in candidates.indices where candidates[other].score > candidates[first].score { first = other }
        let best = candidates[first]
        if best.isSingle || candidates.count == 1 { return best }
        if let nothing = candidates.firstIndex(where: { $0.ranges.isEmpty }) { return candidates[nothing] }
        let ordered = orderedScan(candidates)
        guard candidates.count(where: { $0.isNarrowing }) + (ordered == nil ? 0 : 1) > 1 else { return best }
        let narrowing = candidates.filter { $0.isNarrowing }
        let rows = try session.engine.count(in: table.keyspace)
        guard rows > Planner.smallTable else { return best }
        let (way, count) = try leastReading(narrowing, rows, hasOther: ordered != nil)
        guard let ordered, !way.isOrdered, rest(of: way) == 0 else { return way }
        // Reading in order ends when enough rows are found. This is chosen only if it is expected to read at most half
        // as much.
        let found = Double(rows) * Double(needed ?? 0) / Double(max(1, count))
        return found * weight(ordered) * 2 < Double(count) * (weight(way) + Planner.sortWeight) ? ordered : way
    }

    /// A whole scan in the right order, if only the beginning of the order is needed.
    private func orderedScan(_ candidates: [Candidate]) -> Candidate? {
        guard needed != nil, !isCount else { return nil }
        return candidates.filter { $0.isOrdered && !$0.isNarrowing }.max { $0.score < $1.score }
    }

    private func leastReading(_ candidates: [Candidate], _ rows: Int, hasOther: Bool) throws -> (Candidate, Int) {
        var last = Planner.secondBound
        if hasOther, let needed {
            // The count that decides between a search and a scan that ends when enough rows are found.
            let deciding = (2 * Double(needed) * Double(rows)).squareRoot()
            last = max(last, Int(min(deciding, Double(Planner.greatestBound))))
        }
        var measured: [(way: Candidate, count: Int, cost: Double)] = []
        for bound in [Planner.firstBound, last] {
            measured = try candidates.map { way in
                let count = try count(way, upTo: bound)
                return (way, count, cost(way, count))
            }
            // A candidate that was not counted to its end costs at least its count.
            if let least = Planner.least(measured), least.count < bound { return (least.way, least.count) }
        }
        if let least = Planner.least(measured.filter { $0.count < last }) { return (least.way, least.count) }
        let first = measured[0]
        let best = measured.dropFirst().reduce(first) { $1.way.score > $0.way.score ? $1 : $0 }
        return (best.way, best.count)
    }

    private static func least(
        _ measured: [(way: Candidate, count: Int, cost: Double)]
    ) -> (way: Candidate, count: Int, cost: Double)? {
        measured.min { ($0.cost, -$0.way.score) < ($1.cost, -$1.way.score) }
    }

    /// The number of entries that a candidate reads, counted up to a bound.
    func count(_ candidate: Candidate, upTo bound: Int) throws -> Int {
        let scans = [Plan.Scan(access: candidate.access, ranges: candidate.ranges, search: [])]
        return try Planner.count(candidate.union.isEmpty ? scans : candidate.union, table, session, upTo: bound)
    }

    static func count(_ scans: [Plan.Scan], _ table: Table, _ session: KeyValueSession, upTo bound: Int) throws -> Int {
        var count = 0
        for scan in scans {
            count += try EntryScan(table.keyspace(scan.access), scan.ranges, session).count(upTo: bound - count)
        }
        return count
    }

    // Costs are in entries read one after the other.

    private static let sortWeight = 1.0

    private func weight(_ candidate: Candidate) -> Double {
        if isCount && rest(of: candidate) == 0 { return candidate.union.isEmpty ? 0.25 : 0.5 }
        // An index's entry leads to a row elsewhere.
        return candidate.access == .key && candidate.union.isEmpty ? 1 : 3
    }

    private func cost(_ candidate: Candidate, _ count: Int) -> Double {
        var read = count
        if candidate.isOrdered && rest(of: candidate) == 0, let needed { read = min(read, needed) }
        return Double(read) * (weight(candidate) + (candidate.isOrdered ? 0 : Planner.sortWeight))
    }

    /// The number of conjuncts that remain to be checked.
    private func rest(of candidate: Candidate) -> Int {
        conjuncts.indices.count { !candidate.proven.contains($0) && conjuncts[$0] != .always(true) }
    }

    private var needed: Int? {
        request.limit.map { limit in
            let (sum, overflow) = limit.addingReportingOverflow(request.offset)
            return overflow ? Int.max : sum
        }
    }
}
