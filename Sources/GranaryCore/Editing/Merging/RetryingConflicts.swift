import GranaryPlatform

/// Runs a piece of work again when it fails because others were faster: on `mergeConflict`, `uniqueness` and `busy`.
///
/// ```swift
/// try await retryingConflicts {
///     try await stack.write { tx in … }      // read anew what it works on
/// }
/// ```
///
/// The first two attempts run beside other writers, the second after a pause of a few milliseconds by chance. Each further
/// attempt takes its turn first: while it runs, other writes of the stack that it writes to wait, and other work of
/// ``Stack/perform(named:mergePolicy:onConflicts:_:)`` if it uses that. So nothing of this stack comes between what it
/// reads and what it saves, however many others write. Reads never wait.
///
/// **Limits.** The turn lasts at most a quarter of a second in the third attempt and twice as long in each further one, up
/// to 2 seconds: longer work goes on beside others again and may fail once more. Other writers wait as long at most, also
/// those for which the work itself waits, such as a save by a task that it did not start. If the work cannot begin, as
/// blocking calls hold all threads that run tasks, its turn ends after some hundredths of a second, and it asks for another
/// one. Writers of another stack on the same store, and of other processes, do not wait.
///
/// - Parameters:
///   - attempts: How often it is run at most.
///   - isolation: The actor that the work runs on.
///   - body: The work. It must read anew what it works on: a context made before keeps what it began from until
///     ``EditContext/refresh(mergePolicy:)``.
/// - Throws: What the last attempt threw; any other error at once.
public func retryingConflicts<T>(
    attempts: Int = 5, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
) async throws -> T {
    // Inside another one its turns are this one's too.
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
                // 1, 2, 4 ... milliseconds, give or take half, so that two do not meet again and again.
                let milliseconds = Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1.5)
                try await Task.sleep(for: .milliseconds(milliseconds))
                attempt += 1
            }
        }
    }
}

// Whoever waits for a turn with something in hand that others wait for could wait for ever: a turn that is held over a body
// of the caller's is such a thing, as the body may wait for whatever it likes. So a turn ends by itself after a while, and
// what waits for it goes on.

/// One call of ``retryingConflicts(attempts:isolation:_:)``, known to everything that runs in its task: the owner of the
/// turns that it takes.
final class Retrier: Sendable {
    @TaskLocal static var current: Retrier?

    /// Attempts that run beside others.
    private static let attemptsWithoutTurn = 2

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private weak var stack: Stack?
    nonisolated(unsafe) private var usesWorkers = false

    /// Notes which stack the work writes to, and whether by work in the background.
    func note(_ stack: Stack, usesWorkers: Bool = false) {
        lock.withLock {
            if self.stack !== stack { self.usesWorkers = false }
            self.stack = stack
            if usesWorkers { self.usesWorkers = true }
        }
    }

    /// Waits for the turn of the stack that was written to last; nil where the attempt needs none or none is to be had.
    func takeTurn(_ attempt: Int) async -> RetryTurn? {
        guard attempt > Retrier.attemptsWithoutTurn else { return nil }
        let (stack, usesWorkers) = lock.withLock { (self.stack, self.usesWorkers) }
        guard let stack, (try? stack.activity.enter()) != nil else { return nil }
        defer { stack.activity.leave() }
        let seconds = min(2, 0.25 * Double(1 << min(attempt - Retrier.attemptsWithoutTurn - 1, 3)))
        var threads: [BlockingThreads] = []
        // In the order in which work takes them: it begins, and saves.
        for thread in usesWorkers ? [stack.workers, stack.writers] : [stack.writers]
        where await reserve(thread, seconds: seconds) { threads.append(thread) }
        for thread in threads { thread.extendReservation(of: self, seconds: seconds) }
        return RetryTurn(retrier: self, threads: threads)
    }

    /// Waits for the turn of one thread.
    ///
    /// The turn begins before this task goes on, and the task may not go on: calls that block until the turn is over may hold
    /// all threads that run tasks. So the turn is short at first, and gets its time when the task has gone on.
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

    /// Hands them on. Ending it again does nothing.
    func end() { for thread in threads { thread.endReservation(of: retrier) } }
}
