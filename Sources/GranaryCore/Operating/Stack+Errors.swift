import GranaryPlatform
import Logging

/// An error that no caller gets thrown, because nobody waits for the work that has failed.
public struct UncaughtError: Sendable {
    /// The work that has failed.
    public enum Work: String, Sendable, Hashable, CaseIterable {
        /// The store of a released stack was closed.
        case closing
        /// The space of indexes that a migration has dropped was given back. The next opening tries again.
        case removingIndexes
        /// Stale records were purged at an interval or a signal. The next purge tries again.
        case purging
        /// The watch of ``Stack/watchForChanges(every:)`` looked for commits of other processes. It tries again.
        case watching
        /// The main context followed a reset of the stack.
        case following
        /// ``FetchedResults`` without an `onFailure` were brought up to date. They show their last state.
        case observing
    }

    public let error: any Error
    public let work: Work
}

/// The handler of ``Stack/onError``.
final class ErrorHandler: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var handler: (@Sendable (UncaughtError) -> Void)?

    var value: (@Sendable (UncaughtError) -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }
}

extension Stack {
    /// Called with each error that nobody catches: of work in the background, and of observers without a handler of
    /// their own. The log has the same errors.
    ///
    /// ```swift
    /// stack.onError = { uncaught in alarm("\(uncaught.work) failed: \(uncaught.error)") }
    /// ```
    ///
    /// It is called on the thread where the error occurred, and must not block. Set it after opening the stack.
    public var onError: (@Sendable (UncaughtError) -> Void)? {
        get { errorHandler.value }
        set { errorHandler.value = newValue }
    }

    /// Logs an error that nobody catches, and passes it to ``onError``.
    func report(_ error: any Error, of work: UncaughtError.Work, _ message: Logger.Message) {
        ErrorReport(stack: self).send(error, of: work, message)
    }
}

/// Everything needed to report an error for a stack that may be gone.
struct ErrorReport: Sendable {
    private let logs: StackLogs
    private let handler: ErrorHandler
    private let place: String

    init(stack: Stack) {
        (logs, handler) = (stack.logs, stack.errorHandler)
        place = stack.store.location ?? stack.store.kind
    }

    func send(_ error: any Error, of work: UncaughtError.Work, _ message: Logger.Message) {
        // The text of another error type may contain anything.
        let text = (error as? GranaryError).map { "\($0)" } ?? "\(type(of: error))"
        let level: Logger.Level = work == .removingIndexes ? .warning : .error
        logs[.stack].log(level: level, message, metadata: ["error": "\(text)", "store": "\(place)"])
        handler.value?(UncaughtError(error: error, work: work))
    }
}
