import ConformanceKit
import ConformanceModels
import GranaryConformance
import Testing

/// The reference model is right by the suite's hand-written cases.
@Suite(.serialized) struct ReferenceStoreTests {
    // The areas that programs draw on; the reference leaves checks of single values to the record types.
    static let areas: Set<ConformanceCase.Area> = [
        .nulls, .uniqueness, .transactions, .isolation, .concurrency, .programs, .order, .expressions, .text, .paths,
        .relationships, .subqueries, .aggregates, .groups, .projections, .differential,
    ]

    @Test(arguments: ConformanceSuite.cases.filter { !$0.isHeavy && areas.contains($0.area) })
    func `the reference model passes`(_ conformance: ConformanceCase) async throws {
        try await ConformanceSuite.check(conformance, on: ReferenceProvider.subject())
    }
}
