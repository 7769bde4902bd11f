package import ConformanceKit

extension ConformanceSuite {
    /// The cases about transactions, isolation, concurrency and history; in the order in which they are run. A test finds a list that is forgotten here.
    package static var transactions: [ConformanceCase] {
        [
            transactionsCases, isolationCases, concurrencyCases, interleavedCases, historyCases, changeSetsCases,
            hooksCases, timesCases, keptSnapshotCases, groupsCases, groupOutcomesCases, groupLimitsCases,
        ].flatMap(\.self)
    }
}
