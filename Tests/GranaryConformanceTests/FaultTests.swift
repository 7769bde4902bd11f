import GranaryConformance
import GranaryCore
import GranaryMemory
import Testing

/// The suite's test of itself: a store with a fault does not pass.
@Suite struct FaultTests {
    @Test(arguments: Fault.allCases)
    func `a store with a fault is caught`(_ fault: Fault) async {
        let subject = FaultTests.subject(fault)
        let failingAnyway = await FaultTests.failing.value
        var caught: [String] = []
        for conformance in FaultTests.cases where !failingAnyway.contains(conformance.id) {
            for outcome in await ConformanceSuite.run(conformance, on: subject) {
                if case .failed = outcome.result, caught.last != outcome.id { caught.append(outcome.id) }
            }
            // Three say enough; a broken store may also be slow.
            if caught.count == 3 { break }
        }
        print("\(fault): caught by \(caught.isEmpty ? "none" : caught.joined(separator: ", "))")
        #expect(!caught.isEmpty, "no case caught a store that \(fault)")
    }

    /// What a store without a fault fails says nothing of one with a fault.
    private static let failing = Task {
        var failing: Set<String> = []
        for conformance in cases {
            for outcome in await ConformanceSuite.run(conformance, on: good) {
                if case .failed = outcome.result { failing.insert(outcome.id) }
            }
        }
        return failing
    }

    /// Those that are quick.
    static let cases: [ConformanceCase] = ConformanceSuite.cases.filter { !$0.isHeavy && !slow.contains($0.id) }
    private static let slow: Set<String> = ["programs.long"]

    private static let good = ConformanceSubject("good", capabilities: [.rowChecksums]) { path, _ in
        .inMemory(named: path)
    }

    private static func subject(_ fault: Fault) -> ConformanceSubject {
        let claimed: Set<Capability> = fault == .claimsPersistence ? [.rowChecksums, .persistence] : [.rowChecksums]
        return ConformanceSubject("broken", capabilities: claimed) { path, _ in
            let base: MemoryStoreProvider = fault == .stacksShareNothing ? .inMemory : .inMemory(named: path)
            return BrokenProvider(base: base, fault: fault)
        }
    }
}
