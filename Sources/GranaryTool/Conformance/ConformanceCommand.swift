import ArgumentParser
import Foundation
import GranaryConformance

/// `granary conformance`: the suite on the stores, for people and for machines.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Run the conformance suite.",
        discussion: """
            Every case runs on a new store. Exit code 0 only if nothing failed; a case that a store cannot run is \
            reported as skipped, never as passed.
            """)

    @Option(name: .customLong("store"), help: "Stores, separated by commas: sqlite,lmdb,memory.", transform: stores)
    var kinds = StoreKind.allCases

    @Option(name: .customLong("area"), help: "The cases of this area; may be repeated.")
    var areas: [String] = []

    @Option(name: .customLong("case"), help: "The case with this id; may be repeated.")
    var ids: [String] = []

    @Option(help: "What writes: the store itself, contexts over it, or contexts over such contexts.")
    var through = Through.store

    @Option(help: "The seed of everything random.")
    var seed: UInt64 = 1

    @Flag(help: "Leave out the heavy cases (a million rows, 100 MB values).")
    var skipHeavy = false

    @Flag(help: "List the cases instead of running them.")
    var list = false

    @Flag(help: "Print a JSON line a case, and last one a store.")
    var json = false

    @Option(help: "Also write the results to this file as JUnit XML.")
    var junit: String?

    func run() async throws {
        let cases = try chosenCases()
        if list {
            for item in cases { print("\(item.id)\(item.isHeavy ? " (heavy)" : "")  \(item.summary)") }
            return
        }
        var report = ConformanceReport()
        for kind in kinds {
            let subject = through.subject(kind)
            for item in cases {
                for outcome in await ConformanceSuite.run(item, on: subject, seed: seed) {
                    report.add(outcome, store: subject.name)
                    if json {
                        print(ConformanceReport.jsonLine(outcome, store: subject.name))
                    } else if case .failed(let message) = outcome.result {
                        print("\(subject.name): \(outcome.id) [\(outcome.mode.rawValue)] failed: \(message)")
                    }
                }
            }
        }
        print(json ? report.jsonSummaries() : report.summary())
        if let junit { try write(report.junit(), to: junit) }
        if report.hasFailures { throw ExitCode(1) }
    }

    /// What the cases write with.
    enum Through: String, ExpressibleByArgument, CaseIterable {
        case store, context, child

        func subject(_ kind: StoreKind) -> ConformanceSubject {
            switch self {
            case .store: kind.subject
            case .context: kind.subject.throughContexts()
            case .child: kind.subject.throughContexts(levels: 2)
            }
        }
    }

    private func chosenCases() throws -> [ConformanceCase] {
        let all = ConformanceSuite.cases
        let knownAreas = Set(all.map(\.area.rawValue))
        for area in areas where !knownAreas.contains(area) {
            throw ValidationError(
                "There is no area \"\(area)\". The areas are \(knownAreas.sorted().joined(separator: ", ")).")
        }
        let knownIDs = Set(all.map(\.id))
        for id in ids where !knownIDs.contains(id) {
            throw ValidationError("There is no case \"\(id)\". `granary conformance --list` shows them.")
        }
        let isWhole = areas.isEmpty && ids.isEmpty
        let chosen = all.filter {
            (isWhole || areas.contains($0.area.rawValue) || ids.contains($0.id)) && !(skipHeavy && $0.isHeavy)
        }
        // A run of nothing would pass.
        if chosen.isEmpty { throw ValidationError("--skip-heavy leaves out every case that was named.") }
        return chosen
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            throw ValidationError("The JUnit file \(path) cannot be written: \(error.localizedDescription)")
        }
    }

    private static func stores(_ list: String) throws -> [StoreKind] {
        try list.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let kind = StoreKind(rawValue: String(name)) else {
                throw ValidationError(
                    "There is no store \"\(name)\". The stores are \(StoreKind.allCases.map(\.rawValue).joined(separator: ", "))."
                )
            }
            return kind
        }
    }
}
