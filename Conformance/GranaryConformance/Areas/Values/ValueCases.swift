package import ConformanceKit

extension ConformanceSuite {
    /// The cases about values: types, nil, keys, texts, limits; in the order in which they are run. A test finds a list that is forgotten here.
    package static var values: [ConformanceCase] {
        [
            typesCases, nullsCases, keysCases, limitsCases, textCases,
        ].flatMap(\.self)
    }
}
