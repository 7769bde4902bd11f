package import ConformanceKit

extension ConformanceSuite {
    /// The cases about contexts: pending changes, saving, merging, undo; in the order in which they are run. A test finds a list that is forgotten here.
    package static var contexts: [ConformanceCase] {
        [
            defaultStackCases, mergingListsCases, pendingCascadesCases, contextsCases, newestAttributesCases,
            contextsAsyncCases, savingWorkerCases,
            contextsAskingCases, validatingCases, contextProgramsCases, mergingCases, undoCases, askedAgainCases,
            mergingOrdersCases,
            mergingAdditionsCases, versionsCases, mergingAlikeCases, mergingOptimisticCases, mergingValidatedCases,
            mergingRedirectingCases, redirectedLinksCases, writeSkewCases,
        ].flatMap(\.self)
    }
}
