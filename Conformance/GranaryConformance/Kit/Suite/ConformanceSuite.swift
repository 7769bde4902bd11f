import GranaryCore
import Foundation

/// Every case, and the way to run them on a store.
///
/// From Swift Testing, three lines a store:
///
/// ```swift
/// @Test(arguments: ConformanceSuite.cases.filter { !$0.isHeavy })
/// func sqlite(_ conformance: ConformanceCase) async throws {
///     try await ConformanceSuite.check(conformance, on: sqliteSubject)
/// }
/// ```
public enum ConformanceSuite {
    /// How one case ended in one mode.
    public struct Outcome: Sendable {
        public let id: String
        public let area: ConformanceCase.Area
        public let summary: String
        public let mode: ConformanceCase.Mode
        public let result: Result
        public let seconds: Double

        public enum Result: Sendable, Hashable {
            case passed
            /// What was seen, and the seed.
            case failed(String)
            /// What the store lacks, or why the case cannot be tried here. A skip is never a pass.
            case skipped(String)
        }
    }

    /// Runs a case on a store in each of its modes, each on a new store in a folder of its own.
    ///
    /// - Parameters:
    ///   - conformance: The case.
    ///   - subject: The store.
    ///   - seed: For what the case does at random.
    ///   - folder: Where the folders are made. By default in the system's folder for temporary files.
    public static func run(
        _ conformance: ConformanceCase, on subject: ConformanceSubject, seed: UInt64 = 1, in folder: String? = nil
    ) async -> [Outcome] {
        let parent = folder ?? FileManager.default.temporaryDirectory.path
        var outcomes: [Outcome] = []
        for mode in conformance.modes {
            outcomes.append(await run(conformance, on: subject, mode: mode, seed: seed, in: parent))
        }
        return outcomes
    }

    /// Runs a case and throws what failed.
    public static func check(
        _ conformance: ConformanceCase, on subject: ConformanceSubject, seed: UInt64 = 1, in folder: String? = nil
    ) async throws {
        for outcome in await run(conformance, on: subject, seed: seed, in: folder) {
            if case .failed(let message) = outcome.result {
                throw ConformanceFailure(
                    message: "\(outcome.id) [\(outcome.mode)]: \(message)", file: #fileID, line: #line)
            }
        }
    }

    private static func run(
        _ conformance: ConformanceCase, on subject: ConformanceSubject, mode: ConformanceCase.Mode, seed: UInt64,
        in parent: String
    ) async -> Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        let result = await result(of: conformance, on: subject, mode: mode, seed: seed, in: parent)
        let elapsed = start.duration(to: clock.now).components
        return Outcome(
            id: conformance.id, area: conformance.area, summary: conformance.summary, mode: mode, result: result,
            seconds: Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18)
    }

    private static func result(
        of conformance: ConformanceCase, on subject: ConformanceSubject, mode: ConformanceCase.Mode, seed: UInt64,
        in parent: String
    ) async -> Outcome.Result {
        if mode == .reopened && !subject.has(.reopening) { return .skipped("needs \(Capability.reopening)") }
        let missing = conformance.requires.filter { !subject.has($0) }
        let body = missing.isEmpty ? conformance.body : conformance.otherwise
        guard let body else {
            return .skipped("needs \(missing.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        let folder = parent + "/granary-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let executor = CaseExecutor()
            defer { executor.stop() }
            let trial = Trial(subject: subject, mode: mode, seed: seed, folder: folder, executor: executor)
            do {
                let errors = ExpectedErrors()
                try await ExpectedErrors.$current.withValue(errors) {
                    try await withTaskExecutorPreference(executor) { try await body(trial) }
                }
                try trial.end()
                // A store that lacks a capability runs another body.
                let run = "\(conformance.id) \(mode)\(missing.isEmpty ? "" : " otherwise")"
                let stores = [subject.storeName] + subject.peers.map(\.storeName)
                try subject.ledger?.compare(
                    errors.comparable(in: folder, stores), of: run, on: subject.name)
            } catch {
                try? trial.end()
                throw error
            }
            return .passed
        } catch let skip as NotTested {
            return .skipped(skip.description)
        } catch {
            return .failed("\(error) [seed \(seed)]")
        }
    }
}
