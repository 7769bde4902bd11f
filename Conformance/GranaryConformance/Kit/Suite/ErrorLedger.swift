import Foundation
import GranaryCore
import GranaryPlatform

/// The errors that cases expected, store by store: one situation has one error, with one text, whatever store it is met on.
///
/// Subjects that are to be compared have one ledger. The store that runs a case second fails it if an error differs from the
/// first one's.
///
/// ```swift
/// let ledger = ErrorLedger()
/// var subjects = [memory, mine]
/// for index in subjects.indices { subjects[index].ledger = ledger }
/// ```
///
/// Compared are code, entity, attributes and text. Paths and the names of stores count as equal. Not compared are errors whose
/// texts an engine has (`io`, `full`, `corrupt`), and those of threads that a case has begun by itself.
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
        for (place, texts) in expected.sorted(by: { $0.key < $1.key }) {
            guard let others = first.expected[place] else { continue }
            let (mine, theirs) = (texts.subtracting(others).sorted(), others.subtracting(texts).sorted())
            // What one of them alone has met is for what the other one cannot do.
            guard !mine.isEmpty, !theirs.isEmpty else { continue }
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

    private static let engineCodes: Set<GranaryError.Code> = [.io, .full, .corrupt]

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var noted: ErrorLedger.Expected = [:]

    var all: ErrorLedger.Expected { lock.withLock { noted } }

    func note(_ error: GranaryError, at place: String) {
        guard !ExpectedErrors.engineCodes.contains(error.code) else { return }
        let subject = [error.entity, error.attributes.joined(separator: ", ")].compactMap(\.self)
        let text = "\(error.code) \(subject.joined(separator: ".")): \(error.message)"
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
