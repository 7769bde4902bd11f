package import ConformanceKit

extension ConformanceSuite {
    /// The cases about the life of a store: opening, migration, copies, seeds, resets, checks; in the order in which they are run. A test finds a list that is forgotten here.
    package static var lifecycle: [ConformanceCase] {
        [
            openingCases, migratingCases, migratingProgressCases, schemaFileCases, compactingCases, copyingCases,
            seedingCases, seedingSchemaCases, seedingJSONCases, resettingCases, resettingMainContextCases,
            longWorkCases, verifyingCases,
            operatingCases, watchingCases, limitsCases, soundStoreCases, damagedStoreCases, externalCases,
            externalLifecycleCases,
        ].flatMap(\.self)
    }
}
