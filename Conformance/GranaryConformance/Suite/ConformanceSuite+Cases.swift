import GranaryCore

extension ConformanceSuite {
    /// Every case of every area, in the order in which they are run.
    public static let cases: [ConformanceCase] = [
        valueCases, recordCases, transactionCases, queryCases, relationshipCases, contextCases, observingCases,
        lifecycleCases, importingCases, exportingCases,
    ].flatMap { $0.flatMap(\.self) }

    // One list for each folder of `Areas`. A test finds a list of cases that is forgotten here.

    private static let valueCases: [[ConformanceCase]] = [
        typesCases, nullsCases, keysCases, limitsCases, textCases,
    ]

    private static let recordCases: [[ConformanceCase]] = [
        recordsCases, uniquenessCases, referencesCases, programsCases, purgingCases, addingCases, messagesCases,
    ]

    private static let transactionCases: [[ConformanceCase]] = [
        transactionsCases, isolationCases, concurrencyCases, interleavedCases, historyCases, changeSetsCases,
    ]

    private static let queryCases: [[ConformanceCase]] = [
        predicatesCases, orderCases, expressionOrderCases, pathsCases, pathNamesCases, subqueriesCases,
        expressionsCases, literalsCases, aggregatesCases, groupsCases, groupedTuplesCases, projectionsCases,
        keysetPagesCases, pagePositionsCases, findersCases, findersByNameCases, findersCreatingCases,
        findersFormsCases, pagesByNameCases, plansCases, dynamicCases, differentialCases,
    ]

    private static let relationshipCases: [[ConformanceCase]] = [
        relationshipsCases, loadingCases, loadingByNameCases, countedLoadingCases, linkingCases, orderedToManyCases,
        relationshipRulesCases, linkingQueriesCases, linkingByNameCases, linkingTwiceCases, linkingGoneCases,
        linkingUnpairedCases,
    ]

    private static let contextCases: [[ConformanceCase]] = [
        defaultStackCases, mergingListsCases, pendingCascadesCases, contextsCases, contextsAsyncCases,
        validatingCases, contextProgramsCases, mergingCases, undoCases, askedAgainCases, mergingOrdersCases,
        mergingAdditionsCases, versionsCases, mergingAlikeCases, mergingOptimisticCases, mergingValidatedCases,
        mergingRedirectingCases, redirectedLinksCases, writeSkewCases,
    ]

    private static let observingCases: [[ConformanceCase]] = [
        observationCases, observationRacingCases, observationContextsCases, observationEditedCases,
        observationLoadedCases, observationLoadedChangesCases,
    ]

    private static let lifecycleCases: [[ConformanceCase]] = [
        openingCases, migratingCases, migratingProgressCases, schemaFileCases, compactingCases, copyingCases,
        seedingCases, seedingSchemaCases, seedingJSONCases, resettingCases, longWorkCases, verifyingCases,
        soundStoreCases, externalCases, externalLifecycleCases,
    ]

    private static let importingCases: [[ConformanceCase]] = [
        importConversionsCases, importCases, importKeysCases, importHooksCases, importRelationshipsCases,
        importLaterCases, importPendingCases, importRelationshipHooksCases, importIdentityCases,
        importUniqueValueCases, importChoosingCases, importCommitsCases, importGoingOnCases, importPendingMovedCases,
        importPoliciesCases, importFilesCases,
        importBatchesCases, importListsCases, importRandomCases, importBehavioursCases, importTrialCases,
        importMeaningsCases, importReadingCases, importTextsCases, importBadInputCases,
        importDeletionsCases, importPathsCases, importNullsCases, importCountedCases, importConnectionsCases,
        importTakingOverCases, importCodedCases,
    ]

    private static let exportingCases: [[ConformanceCase]] = [
        exportCases, exportValuesCases, exportRelationshipsCases, exportMappingCases, exportTargetsCases,
        exportRoundTripsCases, exportDictionariesCases,
    ]
}
