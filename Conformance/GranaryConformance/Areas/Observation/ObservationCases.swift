package import ConformanceKit

extension ConformanceSuite {
    /// The cases about observation; in the order in which they are run. A test finds a list that is forgotten here.
    package static var observation: [ConformanceCase] {
        [
            observationCases, observationRacingCases, observationContextsCases, observationEditedCases,
            observationLoadedCases, observationLoadedChangesCases, observationListsCases,
        ].flatMap(\.self)
    }
}
