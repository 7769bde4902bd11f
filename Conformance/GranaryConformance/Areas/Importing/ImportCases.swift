package import ConformanceKit

extension ConformanceSuite {
    /// The cases about imports; in the order in which they are run. A test finds a list that is forgotten here.
    package static var importing: [ConformanceCase] {
        [
            importConversionsCases, importCases, importKeysCases, importHooksCases, importRelationshipsCases,
            importLaterCases, importPendingCases, importRelationshipHooksCases, importIdentityCases,
            importUniqueValueCases, importChoosingCases, importCommitsCases, importGoingOnCases,
            importPendingMovedCases, importPoliciesCases, importFilesCases, importBatchesCases, importListsCases,
            importRandomCases, importBehavioursCases, importTrialCases, importMeaningsCases, importReadingCases,
            importTextsCases, importBadInputCases, importDeletionsCases, importPathsCases, importNullsCases,
            importCountedCases, importConnectionsCases, importTakingOverCases, importCodedCases,
            importBatchSizesCases, importLostCases, importMessagesCases, importTimesCases, importDecodingCases,
            importDestinationsCases, importFindingCases, importReplacedCases,
            importSearchesCases, importRootsCases,
        ].flatMap(\.self)
    }
}
