package import ConformanceKit

extension ConformanceSuite {
    /// The cases about records one by one: uniqueness, references, programs, errors; in the order in which they are run. A test finds a list that is forgotten here.
    package static var records: [ConformanceCase] {
        [
            recordsCases, uniquenessCases, referencesCases, programsCases, purgingCases, addingCases, computingCases,
            messagesCases,
            messageDataCases,
        ].flatMap(\.self)
    }
}
