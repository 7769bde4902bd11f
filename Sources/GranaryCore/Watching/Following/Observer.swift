import GranaryPlatform

// An observer begins to listen before it reads, so nothing is missed, and notes the number of the state that it read, so
// that nothing that it has read already counts as news. What comes in between, while it reads, is decided when the number
// is known.

/// One who looks at a part of a store and wants to know when to look again: the meeting point of commits, which mark it,
/// and of the task that waits.
final class Observer: Sendable {
    let readSet: ReadSet
    let filter: RowFilter?

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isDirty = true
    nonisolated(unsafe) private var isReading = false
    nonisolated(unsafe) private var hasEnded = false
    /// The number of the state read last.
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

    /// Waits until it is time to look. False when it has ended, or when the task is cancelled, which ends it.
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

    /// What was marked until now will be seen.
    func beginReading() {
        lock.withLock {
            isDirty = false
            isReading = true
        }
    }

    /// What was marked until now will be seen, by one who cannot tell which state he reads: what is marked from here on
    /// counts, whatever its number.
    func look() { lock.withLock { isDirty = false } }

    /// - Parameters:
    ///   - number: That of the state that was read.
    ///   - keys: Those of the records that were read, if they are all there is to know of the answer.
    func endReading(_ number: UInt64, _ keys: KeyHashes?) {
        lock.withLock {
            isReading = false
            read = max(read, number)
            shown = keys
            if newest > read { isDirty = true }
        }
    }

    /// A commit may matter; of a number that was read already it does not.
    func mark(_ number: UInt64) {
        let waiter: CheckedContinuation<Bool, Never>? = lock.withLock {
            newest = max(newest, number)
            if isReading || number <= read { return nil }
            return becomeDirty()
        }
        waiter?.resume(returning: true)
    }

    /// Something that has no number may matter.
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

    /// What it looks at now: the number of the state that it read last, and the keys, if they are known. nil if it will
    /// look again in any case.
    var view: (number: UInt64, keys: KeyHashes?)? {
        lock.withLock { isDirty || hasEnded ? nil : (read, isReading ? nil : shown) }
    }
}
