import GranaryConformance
import GranarySelfTest
import GranaryTool
import Testing

/// The whole suite, but for its heavy cases, on every store. The stores run beside each other, each one case at a time, as some
/// cases measure how long others wait.
enum ConformanceTests {
    static let cases = ConformanceSuite.cases.filter { !$0.isHeavy }

    @Suite(.serialized) struct SQLite {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await ConformanceSuite.check(conformance, on: StoreKind.sqlite.subject)
        }
    }

    @Suite(.serialized) struct LMDB {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await ConformanceSuite.check(conformance, on: StoreKind.lmdb.subject)
        }
    }

    @Suite(.serialized) struct Memory {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await ConformanceSuite.check(conformance, on: StoreKind.memory.subject)
        }
    }
}
