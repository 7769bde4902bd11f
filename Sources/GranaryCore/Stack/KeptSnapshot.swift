import GranaryPlatform

/// One committed state of a store, kept until it is closed: for a report in several steps, pages that must belong
/// together, a screen that must not change.
///
/// ```swift
/// let march = try stack.keepSnapshot()
/// let total = try await march.read { try Song.all.sum({ $0.plays }, in: $0) }
/// // Others write, and this still reads the state from before:
/// let songs = try await march.read { try Song.all.fetch(in: $0) }
/// try march.close()
/// ```
///
/// It can be used on any thread. Its reads run one at a time; a read of one is not made inside a read of another, because
/// two threads that do so may wait for each other for ever. It is closed by ``close()``, when nothing holds it, or
/// together with the stack; then its reads throw `closed`. A reset that cancels reads ends it too: its reads throw
/// `cancelled`.
///
/// As long as it is open, the store cannot reuse the space of changed and deleted data, so its files grow with each
/// commit: keep one for minutes, not for days. The log names it like a read that is open for longer than the stack's
/// `longestRead`.
public final class KeptSnapshot: Sendable {
    /// The number of the newest commit in this state.
    public let transactionNumber: UInt64
    fileprivate let stack: Stack
    // Held during each read, so that one thread at a time uses the snapshot.
    private let lock = Lock()
    // Read and written only while `lock` is held, or in deinit. Nil once it is closed.
    nonisolated(unsafe) private var snapshot: Snapshot?
    private let work: ActiveWork
    /// Stands for a thread among the reads of the stack: its address is that of no thread.
    private let mark = Mark()
    private let state = Lock()
    // Read and written only while `state` is held.
    nonisolated(unsafe) private var reading: UInt?

    /// The name that its warnings and its reads have in the log.
    public let name: String?

    fileprivate init(_ stack: Stack, named name: String?) throws {
        self.name = name
        work = try stack.activity.enter(on: mark.address, named: name)
        do {
            let reader = try stack.store.beginRead(work.cancellation)
            stack.coordinator.see(reader.transactionNumber)
            transactionNumber = reader.transactionNumber
            snapshot = Snapshot(reader, stack.settings.own)
        } catch {
            work.leave()
            throw error
        }
        self.stack = stack
    }

    deinit { end() }

    /// Reads the state on a thread of the stack.
    ///
    /// - Throws: `closed`; `cancelled` if the task is cancelled before the read begins; what the body throws.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Snapshot) throws -> T) async throws -> T {
        try await stack.watchedRead(name, body) { body in
            try await self.stack.reading(as: self.name) { _ in try self.readNow(body) }
        }
    }

    /// The verbs that block the calling thread.
    public var blocking: Blocking<KeptSnapshot> { Blocking(self) }

    fileprivate func readNow<T>(_ body: (Snapshot) throws -> T) throws -> T {
        let thread = currentThread()
        if state.withLock({ reading == thread }) {
            throw GranaryError(.busy, "A kept snapshot was read inside a read of it. Use the snapshot of the read.")
        }
        lock.lock()
        defer { lock.unlock() }
        guard let snapshot else {
            throw GranaryError(.closed, "The kept snapshot is closed. Keep a new one with keepSnapshot().")
        }
        state.withLock { reading = thread }
        defer { state.withLock { reading = nil } }
        return try body(snapshot)
    }

    /// Ends the state, after a read that is running. It may be called again.
    ///
    /// - Throws: `busy` inside a read of this snapshot, which it would wait for.
    public func close() throws {
        if state.withLock({ reading == currentThread() }) {
            throw GranaryError(.busy, "close() inside a read of the kept snapshot would wait for itself. Return first.")
        }
        lock.withLock { end() }
    }

    private func end() {
        guard let snapshot else { return }
        self.snapshot = nil
        snapshot.end()
        work.leave()
    }

    private final class Mark: Sendable {
        var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }
    }
}

extension Stack {
    /// Keeps the newest committed state, to be read in several steps.
    ///
    /// ```swift
    /// let snapshot = try stack.keepSnapshot()
    /// defer { try? snapshot.close() }
    /// ```
    ///
    /// Cost: that of the begin of a read.
    ///
    /// - Parameter name: Its name in the log, also in the warning about a read that is open for long.
    /// - Throws: `closed`.
    public func keepSnapshot(as name: String? = nil) throws -> KeptSnapshot {
        let kept = try KeptSnapshot(self, named: name)
        companion(KeptSnapshots.self).add(kept)
        return kept
    }
}

extension Blocking where Base == KeptSnapshot {
    /// Reads the state on the calling thread.
    ///
    /// ```swift
    /// let songs = try march.blocking.read { try Song.all.fetch(in: $0) }
    /// ```
    public func read<T>(_ body: (Snapshot) throws -> T) throws -> T {
        let work = try base.stack.activity.enter(on: currentThread())
        defer { work.leave() }
        guard let recorder = base.stack.recorder else { return try base.readNow(body) }
        let running = recorder.begin(.read, base.name)
        return try running.ending { try base.readNow { try running.running($0, body) } }
    }
}

/// The kept snapshots of a stack, which are closed with it.
private final class KeptSnapshots: StackCompanion {
    private struct Kept {
        weak var snapshot: KeptSnapshot?
    }

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var all: [Kept] = []
    nonisolated(unsafe) private var isClosed = false

    init(of stack: Stack) {}

    func add(_ snapshot: KeptSnapshot) {
        let isLate = lock.withLock {
            all.removeAll { $0.snapshot == nil }
            all.append(Kept(snapshot: snapshot))
            return isClosed
        }
        if isLate { try? snapshot.close() }
    }

    func stackCloses() {
        let open = lock.withLock {
            isClosed = true
            return all.compactMap(\.snapshot)
        }
        // Not inside a read: closing the stack there is refused.
        for snapshot in open { try? snapshot.close() }
    }
}
