/// Aggregates over a part of the rows, from which the aggregates over all rows are computed; see
/// ``GroupTable/add(_:_:isLess:)``.
package struct PartialAggregates {
    /// The aggregates to compute for the part: for an average the sum and the number of values, and last the number of
    /// rows.
    package let aggregation: Aggregation
    /// Whether aggregates over some rows can be subtracted again. False for a minimum or maximum.
    package private(set) var canTakeAway = true

    /// - Returns: Nil if partial aggregates do not give the aggregates of the whole: for distinct values, and for sums
    ///   of reals, which are rounded once.
    package init?(_ aggregation: Aggregation) {
        var aggregates: [Aggregation.Aggregate] = []
        for aggregate in aggregation.aggregates {
            switch aggregate.function {
            case .minimum, .maximum:
                canTakeAway = false
                aggregates.append(aggregate)
            case .count, .sum, .average:
                if aggregate.isDistinct { return nil }
                if aggregate.function == .count {
                    aggregates.append(aggregate)
                    continue
                }
                guard let value = aggregate.value, value.hasExactSum else { return nil }
                aggregates.append(Aggregation.Aggregate(.sum, value))
                if aggregate.function == .average { aggregates.append(Aggregation.Aggregate(.count, value)) }
            }
        }
        aggregates.append(Aggregation.Aggregate(.count, nil))
        self.aggregation = Aggregation(groups: aggregation.groups, aggregates: aggregates)
    }
}

extension TypedExpression {
    /// Whether sums of this kind are exact: sums of integers and decimals.
    fileprivate var hasExactSum: Bool {
        if case .scaledDecimal = type { return true }
        return [.integer, .decimal].contains(NumberKind(type))
    }
}
