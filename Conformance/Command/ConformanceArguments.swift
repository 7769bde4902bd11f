public import ArgumentParser
public import ConformanceKit
import Foundation
import GranaryConformance

/// The arguments of a run of the conformance suite, and the run: for people and for machines.
///
/// A store's author has the whole command in one line:
///
/// ```swift
/// await ConformanceArguments.main(on: [ConformanceSubject("mine", capabilities: []) { path, _ in MyProvider(path) }])
/// ```
///
/// A command of its own takes them as `@OptionGroup`, and calls ``run(on:)``. Exit codes: 0 nothing failed; 1 a case
/// failed; 64 the arguments make no sense. A case that a store cannot run is reported as skipped, never as passed.
public struct ConformanceArguments: ParsableArguments {
    @Option(name: .customLong("store"), help: "Stores, separated by commas. All without it.")
    var stores: String?

    @Option(name: .customLong("area"), help: "The cases of this area; may be repeated.")
    var areas: [String] = []

    @Option(name: .customLong("case"), help: "The case with this id; may be repeated.")
    var ids: [String] = []

    @Option(
        help: """
            What writes, separated by commas: the store itself (store), contexts over it (context), or contexts over \
            such contexts (child). The errors of all of them are compared.
            """)
    var through = "store"

    @Option(help: "The seed of everything random.")
    var seed: UInt64 = 1

    @Flag(help: "Leave out the heavy cases (a million rows, 100 MB values).")
    var skipHeavy = false

    @Flag(help: "Run the heavy cases alone.")
    var onlyHeavy = false

    @Flag(help: "List the cases instead of running them.")
    var list = false

    @Flag(name: .customLong("areas"), help: "List the areas instead of running cases.")
    var listsAreas = false

    @Flag(help: "Print a JSON line a case, and last one a store.")
    var json = false

    @Option(help: "Also write the results to this file as JUnit XML.")
    var junit: String?

    public init() {}

    /// Reads the process's arguments, runs the suite on the stores, prints what came out and ends the process.
    public static func main(on subjects: [ConformanceSubject]) async -> Never {
        do {
            try await parse().run(on: subjects)
            exit()
        } catch {
            exit(withError: error)
        }
    }

    /// Runs the suite on the stores and prints what came out.
    ///
    /// - Throws: `ExitCode(1)` if a case failed, `ValidationError` for a store, an area or a case that does not exist.
    public func run(on subjects: [ConformanceSubject]) async throws {
        if listsAreas {
            var known: Set<String> = []
            for item in ConformanceSuite.cases where known.insert(item.area.rawValue).inserted { print(item.area) }
            return
        }
        let cases = try chosenCases()
        let writers = try chosenWriters()
        let subjects = try chosen(subjects).flatMap { subject in writers.map { $0.subject(subject) } }
        if list {
            for item in cases { print("\(item.id)\(item.isHeavy ? " (heavy)" : "")  \(item.summary)") }
            return
        }
        var report = ConformanceReport()
        let ledger = ErrorLedger()
        for var subject in subjects {
            subject.ledger = ledger
            for item in cases {
                for outcome in await ConformanceSuite.run(item, on: subject, seed: seed) {
                    report.add(outcome, store: subject.name)
                    if json {
                        tell(ConformanceReport.jsonLine(outcome, store: subject.name))
                    } else if case .failed(let message) = outcome.result {
                        tell("\(subject.name): \(outcome.id) [\(outcome.mode.rawValue)] failed: \(message)")
                    }
                }
            }
        }
        tell(json ? report.jsonSummaries() : report.summary())
        if let junit { try write(report.junit(), to: junit) }
        if report.hasFailures { throw ExitCode(1) }
    }

    /// Prints a line that is not lost if a case, or a sanitizer at the end, ends the process.
    private func tell(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// What the cases write with.
    private enum Writers: String, CaseIterable {
        case store, context, child

        func subject(_ base: ConformanceSubject) -> ConformanceSubject {
            switch self {
            case .store: base
            case .context: base.throughContexts()
            case .child: base.throughContexts(levels: 2)
            }
        }
    }

    private func chosenWriters() throws -> [Writers] {
        try through.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let writers = Writers(rawValue: String(name)) else {
                let known = Writers.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("Cases cannot write through \"\(name)\". They write through \(known).")
            }
            return writers
        }
    }

    private func chosen(_ subjects: [ConformanceSubject]) throws -> [ConformanceSubject] {
        guard let stores else { return subjects }
        return try stores.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let subject = subjects.first(where: { $0.name == name }) else {
                throw ValidationError(
                    "There is no store \"\(name)\". The stores are \(subjects.map(\.name).joined(separator: ", ")).")
            }
            return subject
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
            throw ValidationError("There is no case \"\(id)\". `--list` shows them.")
        }
        let isWhole = areas.isEmpty && ids.isEmpty
        let chosen = all.filter {
            (isWhole || areas.contains($0.area.rawValue) || ids.contains($0.id))
                && !($0.isHeavy ? skipHeavy : onlyHeavy)
        }
        // Running no case at all would count as a pass.
        if chosen.isEmpty {
            let flag = skipHeavy ? "--skip-heavy" : "--only-heavy"
            throw ValidationError("\(flag) leaves out every case that was named.")
        }
        return chosen
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            throw ValidationError("The JUnit file \(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
