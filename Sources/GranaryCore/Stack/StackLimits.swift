import GranaryPlatform

/// How many reads run at once, and how many reads and writes may wait, and for how long: so that a service that gets more
/// requests than it can answer refuses some of them, and does not let all of them wait.
///
/// ```swift
/// let limits = StackLimits(readers: 8, waitingReads: 1_000, waitingWrites: 10_000, wait: .seconds(5))
/// let stack = try await Stack(schema, store: .sqlite(at: url), limits: limits)
/// ```
///
/// A read or write beyond a limit throws `busy`, which is ``GranaryError/isRetryable``. What already runs is never
/// stopped. Blocking reads run on the threads of their callers, at once, and are not counted.
public struct StackLimits: Sendable, Hashable {
    /// The number of threads for asynchronous reads; at least 1.
    public var readers: Int
    /// How many reads may wait for a thread; nil for any number. One more throws `busy` at once.
    public var waitingReads: Int?
    /// How many writes may wait for their turn, asynchronous and blocking ones; nil for any number. One more throws
    /// `busy` at once. The parts of imports and the saves of contexts count, too.
    public var waitingWrites: Int?
    /// How long a read waits for a thread, and a write for its turn among the writes of this stack; nil for any time.
    /// Then it throws `busy`, with the time as ``GranaryError/waited``. A write has begun when its turn has come, and
    /// then runs to its end; how long it waits for other stacks and processes is the store's `busyTimeout`.
    public var wait: Duration?

    /// - Parameters:
    ///   - readers: The number of threads for asynchronous reads; at least 1.
    ///   - waitingReads: How many reads may wait for a thread; nil for any number.
    ///   - waitingWrites: How many writes may wait for their turn; nil for any number.
    ///   - wait: How long each may wait; nil for any time.
    public init(readers: Int = 16, waitingReads: Int? = nil, waitingWrites: Int? = nil, wait: Duration? = nil) {
        (self.readers, self.waitingReads, self.waitingWrites, self.wait) = (readers, waitingReads, waitingWrites, wait)
    }

    /// - Throws: `limit` for numbers and times that cannot be.
    func check() throws {
        guard readers >= 1 else {
            throw GranaryError(.limit, "\(readers) threads cannot read anything. Give a number from 1 on.")
        }
        if let count = [waitingReads, waitingWrites].compactMap(\.self).first(where: { $0 < 0 }) {
            throw GranaryError(.limit, "\(count) reads or writes cannot wait. Give 0, a greater number, or nil.")
        }
        if let wait, wait < .zero {
            throw GranaryError(.limit, "Nothing can wait for \(wait). Give a time that is not negative, or nil.")
        }
    }

    var ofReads: BlockingThreads.Patience { .init(count: waitingReads, seconds: wait?.inSeconds) }
    var ofWrites: BlockingThreads.Patience { .init(count: waitingWrites, seconds: wait?.inSeconds) }

    /// The error of a read or write that may not wait.
    ///
    /// - Parameters:
    ///   - work: `read` or `write`.
    ///   - seconds: How long it has waited; nil if as many wait as may.
    static func busy(_ work: String, after seconds: Double?) -> GranaryError {
        guard let seconds else {
            return GranaryError(
                .busy, "As many \(work)s of this stack wait as its limits allow. Try again later, or raise the limit.")
        }
        var error = GranaryError(
            .busy,
            "The \(work) has waited for other \(work)s of this stack as long as its limits allow. Try again later, or raise the limit."
        )
        error.waited = .seconds(seconds)
        return error
    }
}
