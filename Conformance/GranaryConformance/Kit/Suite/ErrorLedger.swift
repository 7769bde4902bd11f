import Foundation
import GranaryCore
import GranaryPlatform

/// The errors that cases expected, store by store: one situation has one error, with one text, whatever store it is met on.
///
/// Subjects that are to be compared have one ledger. The store that runs a case second fails it if its errors differ from the
/// first one's.
///
/// ```swift
/// let ledger = ErrorLedger()
/// var subjects = [memory, mine]
/// for index in subjects.indices { subjects[index].ledger = ledger }
/// ```
///
/// A place is a line of a case that expects an error. Both stores must meet the same set of errors at each place; an error that
/// only one of them meets fails the case. Compared are code, entity, attributes and text. Paths and the names of stores count as
/// equal. The text of `io`, `full` and `corrupt` is the engine's, and is not compared. Not compared at all are errors that a
/// case expects with `isOwnText`, those of a case that does something else on a store without a capability, and those of
/// threads that a case has begun by itself.
public final class ErrorLedger: Sendable {
    /// What a case expected, by the place in the suite where it did.
    package typealias Expected = [String: Set<String>]

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var runs: [String: (store: String, expected: Expected)] = [:]

    public init() {}

    /// Compares what a run of a case expected with the first run of the case on another store, or notes it as the first.
    ///
    /// - Throws: ``ConformanceFailure`` with both texts.
    package func compare(_ expected: Expected, of run: String, on store: String) throws {
        let first = lock.withLock {
            if let first = runs[run] { return first }
            runs[run] = (store, expected)
            return (store, expected)
        }
        for place in Set(expected.keys).union(first.expected.keys).sorted() {
            let (texts, others) = (expected[place] ?? [], first.expected[place] ?? [])
            guard texts != others else { continue }
            let (mine, theirs) = (texts.subtracting(others).sorted(), others.subtracting(texts).sorted())
            throw ConformanceFailure(
                message: "the error at \(place) differs from that of \(first.store):\n\(mine)\nand there\n\(theirs)",
                file: #fileID, line: #line)
        }
    }
}

/// The errors that the case has expected which is being run.
final class ExpectedErrors: Sendable {
    /// That of the case that this task runs.
    @TaskLocal static var current: ExpectedErrors?

    /// Codes whose texts come from the engine.
    private static let engineCodes: Set<GranaryError.Code> = [.io, .full, .corrupt]

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var noted: ErrorLedger.Expected = [:]

    var all: ErrorLedger.Expected { lock.withLock { noted } }

    func note(_ error: GranaryError, at place: String) {
        let subject = [error.entity, error.attributes.joined(separator: ", ")].compactMap(\.self)
        let message = ExpectedErrors.engineCodes.contains(error.code) ? "(the engine's text)" : error.message
        let text = "\(error.code) \(subject.joined(separator: ".")): \(message)"
        lock.withLock { _ = noted[place, default: []].insert(text) }
    }

    /// What was expected, with one word for the case's folder and one for all stores.
    func comparable(in folder: String, _ stores: [String]) -> ErrorLedger.Expected {
        all.mapValues { texts in
            Set(
                texts.map { text in
                    let text = text.replacingOccurrences(of: folder, with: "FOLDER")
                    return stores.reduce(text) {
                        $0.replacingOccurrences(of: $1, with: "STORE", options: .caseInsensitive)
                    }
                })
        }
    }
}
