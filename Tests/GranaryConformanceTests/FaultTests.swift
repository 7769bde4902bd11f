import ConformanceKit
import GranaryConformance
import GranaryCore
import GranaryMemory
import Testing

/// The suite's test of itself: a store with a fault does not pass.
@Suite(.serialized) struct FaultTests {
    @Test(arguments: Fault.allCases)
    func `a store with a fault is caught`(_ fault: Fault) async {
        let subject = FaultTests.subject(fault)
        // The store below passes every case, which is for ConformanceTests to say.
        for conformance in FaultTests.cases(for: fault) {
            for outcome in await ConformanceSuite.run(conformance, on: subject) {
                if case .failed(let message) = outcome.result {
                    print("\(fault): caught by \(outcome.id): \(message.prefix(200))")
                    return
                }
            }
        }
        Issue.record("no case caught a store that \(fault)")
    }

    /// Faults that have nothing to do with what a program does: schemas, capabilities, several stacks, and so on.
    static let beyondPrograms: Set<Fault> = [
        .claimsPersistence, .claimsRowChecksums, .stacksShareNothing, .ignoresCancellation,
        .cursorsOutliveWrites, .assignsKeysAgain, .readersSeeUncommitted, .numbersEmptyCommits, .notesNothing,
    ]

    @Test(arguments: Fault.allCases.filter { !beyondPrograms.contains($0) && !Fault.ofQueries.contains($0) })
    func `random programs alone catch a store with a fault`(_ fault: Fault) async {
        let subject = FaultTests.subject(fault)
        let programs = ConformanceSuite.cases.filter { $0.area == .programs && !$0.isHeavy }
        for conformance in programs {
            for outcome in await ConformanceSuite.run(conformance, on: subject) {
                if case .failed = outcome.result { return }
            }
        }
        Issue.record("no program caught a store that \(fault)")
    }

    /// Faults of rounding, which show in few random contents; the cases of aggregates catch them.
    static let ofRounding: Set<Fault> = [.averageIsWhole, .sumsAsTheyCome]

    @Test(arguments: Fault.allCases.filter { Fault.ofQueries.contains($0) && !ofRounding.contains($0) })
    func `random queries alone catch a store with a fault`(_ fault: Fault) async {
        let subject = FaultTests.subject(fault)
        let cases = ConformanceSuite.cases.filter { $0.area == .differential && !$0.isHeavy }
        for conformance in cases {
            for outcome in await ConformanceSuite.run(conformance, on: subject) {
                if case .failed = outcome.result { return }
            }
        }
        Issue.record("no random query caught a store that \(fault)")
    }

    /// The areas of questions first for a fault of theirs, and the area of opening for a false capability; random ones are
    /// left to themselves.
    static func cases(for fault: Fault) -> [ConformanceCase] {
        switch fault {
        case .notesNothing: return cases.filter { $0.area == .history }
        case .claimsPersistence, .claimsRowChecksums: return cases.filter { $0.area == .opening }
        default: break
        }
        guard Fault.ofQueries.contains(fault) else { return cases }
        let areas: [ConformanceCase.Area] = [
            .relationships, .paths, .text, .subqueries, .aggregates, .groups, .projections, .order,
        ]
        return areas.flatMap { area in cases.filter { $0.area == area } }
    }

    /// Those that are quick, the areas in which most faults show first.
    static let cases: [ConformanceCase] = {
        let first: [ConformanceCase.Area] = [.transactions, .isolation, .concurrency, .keys, .records, .order, .nulls]
        let quick = ConformanceSuite.cases.filter { !$0.isHeavy && $0.area != .programs && $0.area != .differential }
        return first.flatMap { area in quick.filter { $0.area == area } } + quick.filter { !first.contains($0.area) }
    }()

    static func subject(_ fault: Fault) -> ConformanceSubject {
        var claimed: Set<Capability> = [
            .reopening, .rowChecksums, .indexedQueries, .migration, .history, .changeRecording, .storedSchema,
        ]
        if fault == .claimsPersistence { claimed.insert(.persistence) }
        return ConformanceSubject("broken", capabilities: claimed) { path, _ in
            let base: MemoryStoreProvider = fault == .stacksShareNothing ? .inMemory : .inMemory(named: path)
            return BrokenProvider(base: base, fault: fault)
        }
    }
}
