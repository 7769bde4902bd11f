package import ConformanceKit

extension ConformanceSuite {
    /// The cases about exports; in the order in which they are run. A test finds a list that is forgotten here.
    package static var exporting: [ConformanceCase] {
        [
            exportCases, exportValuesCases, exportRelationshipsCases, exportMappingCases, exportTargetsCases,
            exportRoundTripsCases, exportDictionariesCases,
        ].flatMap(\.self)
    }
}
