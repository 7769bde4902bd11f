/// What came out of a run: outcomes by store, and the texts made of them.
///
/// ```swift
/// var report = ConformanceReport()
/// for outcome in await ConformanceSuite.run(conformance, on: subject) { report.add(outcome, store: subject.name) }
/// print(report.summary())
/// ```
public struct ConformanceReport: Sendable {
    /// In the order in which they were added.
    public private(set) var entries: [Entry] = []

    public struct Entry: Sendable {
        public let store: String
        public let outcome: ConformanceSuite.Outcome
    }

    /// How many outcomes of each kind.
    public struct Tally: Sendable, Hashable {
        public var passed = 0
        public var failed = 0
        public var skipped = 0
        public var seconds = 0.0

        package mutating func add(_ outcome: ConformanceSuite.Outcome) {
            switch outcome.result {
            case .passed: passed += 1
            case .failed: failed += 1
            case .skipped: skipped += 1
            }
            seconds += outcome.seconds
        }
    }

    public init() {}

    public mutating func add(_ outcome: ConformanceSuite.Outcome, store: String) {
        entries.append(Entry(store: store, outcome: outcome))
    }

    public var hasFailures: Bool { entries.contains { if case .failed = $0.outcome.result { true } else { false } } }

    /// The stores, in the order in which they first came.
    public var stores: [String] { entries.map(\.store).firstOccurrences }

    /// The areas, in the order in which they first came.
    public var areas: [ConformanceCase.Area] { entries.map(\.outcome.area).firstOccurrences }

    /// The counts of a store, in one area or in all.
    public func tally(store: String, area: ConformanceCase.Area? = nil) -> Tally {
        var tally = Tally()
        for entry in entries where entry.store == store && (area == nil || entry.outcome.area == area) {
            tally.add(entry.outcome)
        }
        return tally
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it first stands.
    package var firstOccurrences: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
