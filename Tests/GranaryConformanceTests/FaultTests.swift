import ConformanceKit
import GranaryConformance
import GranaryCore
import GranaryMemory
import Testing

/// The suite's test of itself: a store with a fault does not pass.
@Suite(.serialized) struct FaultTests {
    @Test(arguments: Fault.allCases)
    func `a store with a fault is caught`(_ fault: Fault) async {
        // The store without the fault passes every case, which is for ConformanceTests to say.
        let cases = fault.areas.flatMap { area in FaultTests.quick.filter { $0.area == area } }
        if let outcome = await FaultTests.firstFailure(of: fault, among: cases) {
            print("\(fault): caught by \(outcome)")
        } else {
            Issue.record(
                "no case of the areas \(fault.areas.map(\.rawValue)) caught a store with the fault \(fault). Add a case, or name the area that catches it."
            )
        }
    }

    @Test(arguments: Fault.allCases.filter { $0.randomArea == .programs })
    func `random programs alone catch a store with a fault`(_ fault: Fault) async {
        await expectRandomFailure(of: fault, cases: 7)
    }

    @Test(arguments: Fault.allCases.filter { $0.randomArea == .differential })
    func `random queries alone catch a store with a fault`(_ fault: Fault) async {
        await expectRandomFailure(of: fault, cases: 3)
    }

    /// - Parameter limit: The number of random cases that are run, if none of them fails.
    private func expectRandomFailure(of fault: Fault, cases limit: Int) async {
        let cases = FaultTests.quick.filter { $0.area == fault.randomArea }.prefix(limit)
        if let outcome = await FaultTests.firstFailure(of: fault, among: Array(cases)) {
            print("\(fault): caught by \(outcome)")
        } else {
            Issue.record("the first \(limit) random cases did not catch a store with the fault \(fault)")
        }
    }

    /// Runs cases until one fails.
    private static func firstFailure(of fault: Fault, among cases: [ConformanceCase]) async -> String? {
        let subject = subject(fault)
        for conformance in cases {
            for outcome in await ConformanceSuite.run(conformance, on: subject) {
                if case .failed(let message) = outcome.result { return "\(outcome.id): \(message.prefix(200))" }
            }
        }
        return nil
    }

    /// These wait half a minute for a change that a store with a fault never reports. They are run last.
    private static let waiting: Set<String> = ["reset.fetched-results"]

    private static let quick: [ConformanceCase] = {
        let quick = ConformanceSuite.cases.filter { !$0.isHeavy }
        return quick.filter { !waiting.contains($0.id) } + quick.filter { waiting.contains($0.id) }
    }()

    static func subject(_ fault: Fault) -> ConformanceSubject {
        var claimed: Set<Capability> = [
            .reopening, .rowChecksums, .indexedQueries, .migration, .history, .changeRecording, .storedSchema, .filling,
        ]
        if fault == .claimsPersistence { claimed.insert(.persistence) }
        return ConformanceSubject("broken", capabilities: claimed) { path, _ in
            let base: MemoryStoreProvider = fault == .stacksShareNothing ? .inMemory : .inMemory(named: path)
            return BrokenProvider(base: base, fault: fault)
        }
    }
}
