package import ConformanceKit

extension ConformanceSuite {
    /// The cases about relationships: asking, loading and linking; in the order in which they are run. A test finds a list that is forgotten here.
    package static var relationships: [ConformanceCase] {
        [
            relationshipsCases, loadingCases, loadingPartsCases, loadingByNameCases, countedLoadingCases,
            loadingManyCases,
            linkingCases,
            orderedToManyCases,
            appendingCases, listPlacesCases,
            relationshipRulesCases, linkingQueriesCases, linkingByNameCases, linkingTwiceCases, linkingGoneCases,
            linkingUnpairedCases,
        ].flatMap(\.self)
    }
}
