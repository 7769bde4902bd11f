package import ConformanceKit

extension ConformanceSuite {
    /// The cases about searches for words; in the order in which they are run. A test finds a list that is forgotten here.
    package static var searching: [ConformanceCase] {
        [
            wordsCases, scriptsCases, askingCases, searchTextCases, searchPlacesCases, rankingCases, changedWordsCases,
            searchVerbsCases, searchableCases, shownWordsCases, wrongSearchesCases, randomSearchCases, wordIndexesCases,
            tokenizerCases, brokenTokenizerCases, stopWordsCases, searchGroupsCases, indexSizesCases, strangeTextsCases,
        ].flatMap(\.self)
    }
}
