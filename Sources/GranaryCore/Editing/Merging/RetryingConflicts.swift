import GranaryPlatform
import Logging

/// Runs work again if it fails because another writer was faster: on `mergeConflict`, `uniqueness` and `busy`.
///
/// ```swift
/// try await retryingConflicts {
///     try await stack.write { tx in … }      // read anew what it works on
/// }
/// ```
///
/// The first two attempts run beside other writers, the second after a random pause of a few milliseconds. Each further
/// attempt first takes its turn: while it runs, other writes of the same stack wait, and so does other work of
/// ``Stack/perform(named:mergePolicy:onConflicts:_:)`` if the attempt uses that. So nothing of this stack is written
/// between its reads and its save, however many others write. Reads never wait.
///
/// **Limits.** The turn lasts at most a quarter of a second in the third attempt and twice as long in each further one,
/// up to 2 seconds: longer work then runs beside others again and may fail once more. Other writers wait at most that
/// long. This includes writers that the work itself waits for, such as a save in a task that the work did not start. If
/// the work cannot begin because blocking calls hold all threads that run tasks, its turn ends after some hundredths of
/// a second, and it requests another one. Writers of another stack on the same store, and of other processes, do not
/// wait.
///
/// - Parameters:
///   - attempts: The greatest number of attempts.
///   - isolation: The actor that the work runs on.
///   - body: The work. It must read its data anew in each attempt: a context made before keeps the state that it began
///     from until ``EditContext/refresh(mergePolicy:)``.
/// - Throws: What the last attempt threw; any other error at once.
public func retryingConflicts<T>(
    attempts: Int = 5, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
) async throws -> T {
    // A call inside another one shares its turns.
    let retrier = Retrier.current ?? Retrier()
    return try await Retrier.$current.withValue(retrier) {
        _ = isolation
        var attempt = 1
        while true {
            let turn = await retrier.takeTurn(attempt)
            defer { turn?.end() }
            do {
                return try await body()
            } catch let error as GranaryError
                where attempt < attempts && [.mergeConflict, .uniqueness, .busy].contains(error.code)
            {
                turn?.end()
                retrier.noteRetry(after: attempt, error)
                // 1, 2, 4 ... milliseconds, varied by half, so that two callers do not meet again and again.
                let milliseconds = Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1.5)
                try await Task.sleep(for: .milliseconds(milliseconds))
                attempt += 1
            }
        }
    }
}

// A task that holds a turn and waits for other work could wait for ever if that work waits for the turn. A turn lasts
// while the caller's body runs, and the body may wait for anything. So a turn ends by itself after a while, and the
// work that waits for it goes on.

/// One call of ``retryingConflicts(attempts:isolation:_:)``, known to everything that runs in its task. It owns the
/// turns that it takes.
final class Retrier: Sendable {
    @TaskLocal static var current: Retrier?

    /// The number of attempts that run beside other writers.
    private static let attemptsWithoutTurn = 2

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private weak var stack: Stack?
    nonisolated(unsafe) private var usesWorkers = false

    /// Notes the stack that the work writes to, and whether the work uses background workers.
    func note(_ stack: Stack, usesWorkers: Bool = false) {
        lock.withLock {
            if self.stack !== stack { self.usesWorkers = false }
            self.stack = stack
            if usesWorkers { self.usesWorkers = true }
        }
    }

    /// Reports that the work is about to run once more.
    func noteRetry(after attempt: Int, _ error: GranaryError) {
        guard let stack = lock.withLock({ stack }) else { return }
        stack.instrument?.retries(after: attempt, error)
        stack.logs[.write].debug(
            "work is tried again", metadata: ["attempt": "\(attempt)", "error": "\(error.code)"])
    }

    /// Waits for the turn of the stack that was written to last. Returns nil if the attempt needs no turn or gets none.
    func takeTurn(_ attempt: Int) async -> RetryTurn? {
        guard attempt > Retrier.attemptsWithoutTurn else { return nil }
        let (stack, usesWorkers) = lock.withLock { (self.stack, self.usesWorkers) }
        guard let stack, let work = try? stack.activity.enter() else { return nil }
        defer { work.leave() }
        let seconds = min(2, 0.25 * Double(1 << min(attempt - Retrier.attemptsWithoutTurn - 1, 3)))
        var threads: [BlockingThreads] = []
        // The threads in the order in which work takes them: it begins on a worker, and saves on a writer.
        for thread in usesWorkers ? [stack.workers, stack.writers] : [stack.writers]
        where await reserve(thread, seconds: seconds) { threads.append(thread) }
        for thread in threads { thread.extendReservation(of: self, seconds: seconds) }
        return RetryTurn(retrier: self, threads: threads)
    }

    /// Waits for the turn of one thread.
    ///
    /// The turn begins before this task goes on. The task may be unable to go on, because calls that block until the
    /// turn is over may hold all threads that run tasks. So the turn is short at first, and gets its full time when the
    /// task has gone on.
    ///
    /// - Returns: Whether this call got the turn.
    private func reserve(_ thread: BlockingThreads, seconds: Double) async -> Bool {
        var first = 0.01
        while await thread.reserve(for: self, seconds: first) {
            if thread.extendReservation(of: self, seconds: seconds) { return true }
            if first >= seconds { return false }
            first = min(seconds, 2 * first)
        }
        return false
    }
}

/// The turns that an attempt holds.
struct RetryTurn: Sendable {
    let retrier: Retrier
    let threads: [BlockingThreads]

    /// Ends the turns. A second call does nothing.
    func end() { for thread in threads { thread.endReservation(of: retrier) } }
}
