import GranaryConformance
import Testing

/// The reference model is right by the suite's hand-written cases.
@Suite struct ReferenceStoreTests {
    @Test(arguments: ConformanceSuite.cases.filter { !$0.isHeavy })
    func `the reference model passes`(_ conformance: ConformanceCase) async throws {
        try await ConformanceSuite.check(conformance, on: ReferenceProvider.subject())
    }
}
