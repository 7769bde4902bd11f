import GranaryPlatform

// An observer begins to listen before it reads, so it misses nothing. It notes the number of the state that it read, so
// that commits in that state do not count as news. Commits that arrive during the read are decided when that number is
// known.

/// Watches a part of a store for changes: commits mark it, and a task waits for the mark.
final class Observer: Sendable {
    let readSet: ReadSet
    let filter: RowFilter?

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isDirty = true
    nonisolated(unsafe) private var isReading = false
    nonisolated(unsafe) private var hasEnded = false
    /// The number of the state that was read last.
    nonisolated(unsafe) private var read: UInt64 = 0
    /// The greatest number of a commit that may matter.
    nonisolated(unsafe) private var newest: UInt64 = 0
    nonisolated(unsafe) private var shown: KeyHashes?
    nonisolated(unsafe) private var waiter: CheckedContinuation<Bool, Never>?

    init(_ readSet: ReadSet, _ filter: RowFilter?) {
        self.readSet = readSet
        self.filter = filter
    }

    var isEnded: Bool { lock.withLock { hasEnded } }

    /// Waits until there is something to read. Returns false when the observer has ended. Cancelling the task ends it.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, former): (Bool?, CheckedContinuation<Bool, Never>?) = lock.withLock {
                    if hasEnded { return (false, nil) }
                    if isDirty { return (true, nil) }
                    defer { waiter = continuation }
                    return (nil, waiter)
                }
                if let answer { continuation.resume(returning: answer) }
                former?.resume(returning: false)
            }
        } onCancel: {
            end()
        }
    }

    /// Clears the mark: a read that begins now sees everything that was marked so far.
    func beginReading() {
        lock.withLock {
            isDirty = false
            isReading = true
        }
    }

    /// Clears the mark for a reader that does not know the number of its state: later marks count, whatever their
    /// number.
    func look() { lock.withLock { isDirty = false } }

    /// - Parameters:
    ///   - number: The number of the state that was read.
    ///   - keys: The keys of the records that were read, if the answer depends on nothing else.
    func endReading(_ number: UInt64, _ keys: KeyHashes?) {
        lock.withLock {
            isReading = false
            read = max(read, number)
            shown = keys
            if newest > read { isDirty = true }
        }
    }

    /// Notes that a commit may matter. A commit that was read already does not.
    func mark(_ number: UInt64) {
        let waiter: CheckedContinuation<Bool, Never>? = lock.withLock {
            newest = max(newest, number)
            if isReading || number <= read { return nil }
            return becomeDirty()
        }
        waiter?.resume(returning: true)
    }

    /// Notes that a change without a number may matter.
    func mark() {
        let waiter: CheckedContinuation<Bool, Never>? = lock.withLock { becomeDirty() }
        waiter?.resume(returning: true)
    }

    private func becomeDirty() -> CheckedContinuation<Bool, Never>? {
        isDirty = true
        defer { waiter = nil }
        return waiter
    }

    func end() {
        let waiter: CheckedContinuation<Bool, Never>? = lock.withLock {
            hasEnded = true
            defer { self.waiter = nil }
            return self.waiter
        }
        waiter?.resume(returning: false)
    }

    /// The number of the state that was read last, and the keys if they are known. Nil if the observer will read again
    /// in any case.
    var view: (number: UInt64, keys: KeyHashes?)? {
        lock.withLock { isDirty || hasEnded ? nil : (read, isReading ? nil : shown) }
    }
}
