package import GranaryCore

/// One attribute of ``Sample`` filled with values whose order is known from their places in a list, never computed: what a
/// store answers is checked against those places.
///
/// Each value is held by two records and nil by three, under keys in an order of their own.
package struct RankedColumn<Value: AttributeValue> {
    package let field: Field<Sample, Value?>
    /// Distinct, ascending.
    package let values: [Value]
    /// A record's key and the place of its value.
    package let entries: [(key: Int64, rank: Int?)]
    package let samples: [Sample]

    package init(
        _ path: WritableKeyPath<Sample, Value?>, _ field: KeyPath<Sample.Fields, Field<Sample, Value?>>,
        ascending values: [Value], seed: UInt64
    ) {
        self.field = Sample.fields[keyPath: field]
        self.values = values
        let ranks: [Int?] = values.indices.flatMap { [$0, $0] } + [nil, nil, nil]
        var random = CaseRandom(seed: seed)
        let keys = (1...Int64(ranks.count)).shuffled(using: &random)
        entries = zip(keys, ranks).map { (key: $0, rank: $1) }
        samples = entries.map { entry in
            var sample = Sample(id: entry.key)
            sample[keyPath: path] = entry.rank.map { values[$0] }
            return sample
        }
    }

    private func keys(_ holds: (Int?) -> Bool) -> [Int64] {
        entries.filter { holds($0.rank) }.map(\.key).sorted()
    }

    private func value(_ rank: Int?) -> Value? { rank.map { values[$0] } }

    /// What Swift says of optionals compared so: of nil only `==` and `!=` can hold.
    private func holds(_ comparison: Comparison, _ rank: Int?, _ constant: Int?) -> Bool {
        switch comparison {
        case .equal: rank == constant
        case .notEqual: rank != constant
        default:
            if let rank, let constant { comparison.holds(rank - constant) } else { false }
        }
    }

    private func condition(_ comparison: Comparison, _ constant: Int?) -> Condition<Sample> {
        let value = value(constant)
        return switch comparison {
        case .equal: field == value
        case .notEqual: field != value
        case .less: field < value
        case .lessOrEqual: field <= value
        case .greater: field > value
        case .greaterOrEqual: field >= value
        }
    }

    /// Every comparison with every value and nil, plain and negated; lists and ranges.
    package func checkPredicates(_ snapshot: Snapshot) throws {
        let constants: [Int?] = [nil] + values.indices.map { $0 }
        for constant in constants {
            for comparison in Comparison.allCases {
                let condition = condition(comparison, constant)
                try snapshot.expectTwins(
                    Sample.all.where(condition), keys { holds(comparison, $0, constant) }, "of rank \(constant ?? -1)")
                try snapshot.expectTwins(
                    Sample.all.where(!condition), keys { !holds(comparison, $0, constant) },
                    "not of rank \(constant ?? -1)")
            }
        }
        let last = values.count - 1
        let lists: [[Int?]] = [[], [nil], [0], [0, last], [last, 0, last, 0, nil], constants]
        for list in lists {
            let condition = field.in(list.map(value))
            try snapshot.expectTwins(Sample.all.where(condition), keys { list.contains($0) })
            try snapshot.expectTwins(Sample.all.where(!condition), keys { !list.contains($0) })
        }
        for (lower, upper) in [(0, last), (0, 0), (1, last - 1), (last, 0)] {
            let condition = field.between(values[lower], values[upper])
            func isWithin(_ rank: Int?) -> Bool { rank.map { lower <= $0 && $0 <= upper } ?? false }
            try snapshot.expectTwins(Sample.all.where(condition), keys(isWithin))
            try snapshot.expectTwins(Sample.all.where(!condition), keys { !isWithin($0) })
        }
    }

    /// Both directions, whole, by pages, and of a part.
    package func checkOrder(_ snapshot: Snapshot) throws {
        let ascending = entries.sorted { ($0.rank ?? -1, $0.key) < ($1.rank ?? -1, $1.key) }
        for direction in [SortDirection.ascending, .descending] {
            let expected = direction == .ascending ? ascending : ascending.reversed()
            let query = Sample.all.sorted(by: [Ordering(attribute: field.attributePath, direction: direction)])
            try snapshot.expectTwins(query, expected.map(\.key), "\(direction)")
            try snapshot.expectTwins(
                query.limit(3).offset(2), expected.dropFirst(2).prefix(3).map(\.key), "\(direction), a page")
            let middle = values.count / 2
            try snapshot.expectTwins(
                query.where(field >= values[middle]),
                expected.filter { ($0.rank ?? -1) >= middle }.map(\.key), "\(direction), the upper half")
            try snapshot.expectTwins(
                query.where(field < values[middle]).limit(2),
                expected.filter { $0.rank.map { $0 < middle } ?? false }.prefix(2).map(\.key),
                "\(direction), two of the lower half")
        }
    }
}
