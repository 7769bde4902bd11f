package import ConformanceKit

extension ConformanceSuite {
    /// The cases about queries in all their forms; in the order in which they are run. A test finds a list that is forgotten here.
    package static var queries: [ConformanceCase] {
        [
            predicatesCases, orderCases, expressionOrderCases, pathsCases, pathNamesCases, pathAggregatesCases,
            subqueriesCases,
            expressionsCases, mixedNumbersCases, literalsCases, aggregatesCases, conditionalAggregatesCases,
            groupsCases,
            groupedTuplesCases, projectionsCases,
            keysetPagesCases, pagePositionsCases, findersCases, findersByNameCases, findersCreatingCases,
            findersFormsCases, requestVerbsCases, pagesByNameCases, plansCases, dynamicCases, differentialCases,
        ].flatMap(\.self)
    }
}
