/// Aggregates over a part of the rows, from which those over all rows are made; see ``GroupTable/add(_:_:isLess:)``.
package struct PartialAggregates {
    /// What the part is asked for: of an average the sum and the number of values, and last the number of rows.
    package let aggregation: Aggregation
    /// Whether those over some of the rows can be taken away again: not of a minimum or maximum.
    package private(set) var canTakeAway = true

    /// - Returns: Nil if the aggregates of parts do not give those of the whole: values that count once in all, and sums of
    ///   reals, which are rounded once.
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
    /// Whether a sum of these is exact: of integers and decimals.
    fileprivate var hasExactSum: Bool {
        if case .scaledDecimal = type { return true }
        return [.integer, .decimal].contains(NumberKind(type))
    }
}
