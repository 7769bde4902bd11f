import GranaryConformance
import GranarySelfTest
import GranaryTool
import Testing

/// The whole suite, but for its heavy cases, on every store; one case at a time, as some measure how long others wait.
@Suite(.serialized) struct ConformanceTests {
    static let cases = ConformanceSuite.cases.filter { !$0.isHeavy }

    @Test(arguments: cases) func sqlite(_ conformance: ConformanceCase) async throws {
        try await ConformanceSuite.check(conformance, on: StoreKind.sqlite.subject)
    }

    @Test(arguments: cases) func lmdb(_ conformance: ConformanceCase) async throws {
        try await ConformanceSuite.check(conformance, on: StoreKind.lmdb.subject)
    }

    @Test(arguments: cases) func memory(_ conformance: ConformanceCase) async throws {
        try await ConformanceSuite.check(conformance, on: StoreKind.memory.subject)
    }
}
