import Dispatch
import GranaryPlatform
import GranaryStoreKit
import Synchronization

/// Makes sessions for reading.
final class SessionSource: Sendable {
    let path: String
    let catalog: Catalog
    let options: SQLiteOptions
    /// The age of the reads that begin now: see ``SessionPool/beginAge()``.
    let age = Atomic<Int>(0)

    init(_ path: String, _ catalog: Catalog, _ options: SQLiteOptions) {
        (self.path, self.catalog, self.options) = (path, catalog, options)
    }

    func open() throws -> Session {
        session(over: try Connection(path: path, purpose: .reading, options: options))
    }

    func session(over connection: Connection) -> Session {
        // A store that is only read would create the index of a log that may not exist.
        Session(connection, catalog, holdsStates: options.access == .readWrite && !options.isBuilding)
    }
}

/// The connections for reading that some of the threads use.
///
/// A session is idle, or with one reader: the thread that took it out under the lock has it alone until it is put back under
/// the lock.
final class SessionShard: Sendable {
    private let lock = Lock()
    /// For everything that reads need of their store, so that they need no reference to the store itself, which threads would
    /// take from each other.
    let source: SessionSource
    /// The catalog of the source, once more for the same reason.
    let catalog: Catalog
    // Read and written only while `lock` is held. No access lasts longer, so accesses need not be checked for overlaps.
    @exclusivity(unchecked) nonisolated(unsafe) private var state = State()
    private let end = CacheLines()

    private struct State {
        var idle: [Session] = []
        /// The open reads in the order of their beginning, each with the age in which it began.
        var reads: [(session: Session, age: Int)] = []
        /// How many sessions it has, and how many it keeps when they are idle.
        var count = 0
        var kept = 0
        var isClosed = false
        /// Whether the turn to write is taken.
        var isWriting = false
        /// How often held states were examined, and whether another examination is scheduled.
        var looks = 0
        var isLooking = false
    }

    /// The interval between examinations of held states, in milliseconds.
    private static let lookInterval = 20
    /// The number of examinations after which a state is taken afresh.
    private static let longestHold = 3

    init(_ source: SessionSource) { (self.source, catalog) = (source, source.catalog) }

    func setKept(_ count: Int) { lock.withLock { state.kept = count } }

    var hasPlace: Bool { lock.withLock { state.count < state.kept } }

    /// An idle session for a read; nil if there is none.
    func take() throws -> Session? {
        try lock.withLock {
            if state.isClosed { throw GranaryError.storeClosed }
            guard let session = state.idle.popLast() else { return nil }
            begin(session)
            return session
        }
    }

    /// Gives an idle session to another shard; nil if there is none.
    func giveAway() throws -> Session? {
        try lock.withLock {
            if state.isClosed { throw GranaryError.storeClosed }
            guard let session = state.idle.popLast() else { return nil }
            state.count -= 1
            return session
        }
    }

    /// Adds a session that begins a read.
    func add(_ session: Session) {
        lock.withLock {
            state.count += 1
            begin(session)
        }
    }

    func addIdle(_ session: Session) {
        lock.withLock {
            state.count += 1
            state.idle.append(session)
        }
    }

    // Called with the lock held.
    private func begin(_ session: Session) {
        state.reads.append((session, source.age.load(ordering: .acquiring)))
    }

    // Called with the lock held.
    private func end(_ session: Session) {
        // Most reads that end are among those that began last.
        if let place = state.reads.lastIndex(where: { $0.session === session }) { state.reads.remove(at: place) }
    }

    /// Closes a session whose read could not begin.
    func drop(_ session: Session) {
        lock.withLock {
            end(session)
            state.count -= 1
        }
        session.close()
    }

    func putBack(_ session: Session) {
        session.connection.stopFollowing()
        var beginsLooking = false
        let isKept = lock.withLock {
            end(session)
            guard !state.isClosed, session.connection.isInAutocommit, state.count <= state.kept else {
                state.count -= 1
                return false
            }
            if session.held.isHolding {
                let takenAt = session.held.takenAt ?? state.looks
                if state.isWriting || state.looks - takenAt >= SessionShard.longestHold {
                    session.letGo()
                } else {
                    session.held.heldSince = state.looks
                    session.held.takenAt = takenAt
                    beginsLooking = !state.isLooking
                    state.isLooking = true
                }
            }
            state.idle.append(session)
            return true
        }
        if !isKept { session.close() }
        if beginsLooking { lookLater() }
    }

    private func lookLater() {
        let later = DispatchTime.now() + .milliseconds(SessionShard.lookInterval)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: later) { self.endHeldStates() }
    }

    /// Ends the held states of sessions that were not used since the last call.
    private func endHeldStates() {
        let goesOn = lock.withLock {
            var hasRecent = false
            for session in state.idle where session.held.isHolding {
                if session.held.heldSince == state.looks { hasRecent = true } else { session.letGo() }
            }
            state.looks += 1
            state.isLooking = hasRecent
            return hasRecent
        }
        if goesOn { lookLater() }
    }

    func setWriting(_ isWriting: Bool) {
        lock.withLock {
            state.isWriting = isWriting
            guard isWriting else { return }
            for session in state.idle { session.letGo() }
        }
    }

    func dropIdle(closing: Bool = false) {
        let idle = lock.withLock {
            if closing { state.isClosed = true }
            state.count -= state.idle.count
            defer { state.idle = [] }
            return state.idle
        }
        for session in idle { session.close() }
    }

    func hasRead(before age: Int) -> Bool { lock.withLock { state.reads.contains { $0.age < age } } }

    var heldStates: Int { lock.withLock { state.idle.count(where: \.held.isHolding) } }
}
