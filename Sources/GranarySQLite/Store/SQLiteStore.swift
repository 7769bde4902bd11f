import CSQLite
import Dispatch
import GranaryPlatform
public import GranaryStoreKit

/// A store in a SQLite database: a table for each entity, a column for each attribute.
///
/// The file can be opened and understood in the `sqlite3` shell. Rows may also be changed there while no program has
/// the store open, unless the store was created with row checksums.
///
/// One connection writes, used by one transaction at a time. Each reader has a connection of its own from a pool.
// @unchecked: `state` is only touched while `lock` is held. A session is in `idle`, or with one reader or writer:
// the thread that took it out under the lock has it alone until it is put back under the lock. The writing session, and
// `commitNote`, belong to the thread that has the turn; when the store is closed no thread has it.
public final class SQLiteStore: Store, @unchecked Sendable {
    public let kind = "sqlite"
    public let schema: Schema
    public let capabilities: Capabilities
    public var location: String? { path }
    public let coordinator: StoreCoordinator

    let path: String
    let options: SQLiteOptions
    let catalog: Catalog
    private let turn = WriterTurn()
    /// Keeps the number of the last commit beside the database; nil if a loss of power may lose commits, and in a store
    /// that is only read or still being made.
    private let commitNote: CommitNote?
    /// Identifies the store object in its commits.
    let committer = Int64.random(in: .min ... .max) & ~1
    private let lock = Lock()
    // No access lasts longer than the lock, so accesses need not be checked for overlaps.
    @exclusivity(unchecked) private var state = State()

    private struct State {
        var idle: [Session] = []
        var writing: Session?
        var isClosed = false
        /// Whether the turn to write is taken.
        var isWriting = false
        /// The open reads in the order of their beginning, each with its number.
        var reads: [(session: Session, number: Int)] = []
        /// The number of reads that have begun.
        var begunReads = 0
        /// The read that prevents a restart of the log, and the number of reads that had begun when it was first
        /// noticed.
        var pin: (pin: LogSize.Pin, begunReads: Int)?
        /// Whether a commit may be lost by a loss of power.
        var hasUnsynced = false
        /// How often held states were examined, and whether another examination is scheduled.
        var looks = 0
        var isLooking = false

        mutating func begin(_ session: Session) {
            reads.append((session, begunReads))
            begunReads += 1
        }

        mutating func end(_ session: Session) {
            // Most reads that end are among those that began last.
            if let place = reads.lastIndex(where: { $0.session === session }) { reads.remove(at: place) }
        }

        mutating func note(_ found: LogSize.Pin?) {
            guard let found else {
                pin = nil
                return
            }
            pin = (found, pin.map { $0.pin.isSame(found) ? $0.begunReads : begunReads } ?? begunReads)
        }
    }

    /// The interval between examinations of held states, in milliseconds.
    private static let lookInterval = 20
    /// The number of examinations after which a state is taken afresh.
    private static let longestHold = 3

    init(
        path: String, schema: Schema, stored: Schema, hasChecksums: Bool, options: SQLiteOptions,
        coordinator: StoreCoordinator
    ) {
        self.path = path
        self.coordinator = coordinator
        self.schema = schema
        self.options = options
        let keepsNote = options.durability == .full && options.access == .readWrite && !options.isBuilding
        commitNote = keepsNote ? CommitNote(database: path) : nil
        // The last process may have left some.
        state.hasUnsynced = options.durability != .full && options.access == .readWrite
        catalog = Catalog(schema, stored: stored, hasChecksums: hasChecksums)
        var features: Set<Capability> = [
            .persistence, .multipleProcesses, .readOnlyOpening, .durabilityLevels, .rawSQL, .indexedQueries, .migration,
            .history, .storedSchema, .filling, .groupCommit,
        ]
        if hasChecksums { features.insert(.rowChecksums) }
        if ChangeHook.isAvailable { features.insert(.changeRecording) }
        capabilities = Capabilities(features: features)
    }

    public func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        try cancellation.check()
        let session = try takeSession()
        do {
            session.connection.cancellation.flag = cancellation
            Library.limitSleep(seconds: options.busySeconds)
            let number = try session.beginReading()
            return SQLiteReader(session, self, transactionNumber: number, cancellation: cancellation)
        } catch {
            lock.withLock { state.end(session) }
            session.close()
            throw error
        }
    }

    public func beginWrite() throws -> any StoreWriter { try beginWrite(options.durability) }

    public func beginWrite(_ durability: Durability) throws -> any StoreWriter {
        guard options.access == .readWrite else { throw readOnlyError }
        // Without any sync, pages may reach the database before the log that they come from.
        let durability = durability == .off && options.durability != .off ? .relaxed : durability
        let waited = try takeTurn()
        do {
            let session = try writeSession()
            if !options.isBuilding { try session.connection.setDurability(durability) }
            session.connection.setBusyTimeout(options.busySeconds - waited)
            try beginImmediate(session, waited: waited)
            let record: CommitRecord
            do {
                record = try session.commits.readRecord()
            } catch {
                try session.connection.execute("ROLLBACK")
                throw error
            }
            return SQLiteWriter(
                session, self, transactionNumber: record.number, isSynced: durability == .full)
        } catch {
            giveTurn()
            throw error
        }
    }

    /// Begins with the write lock: a transaction that began by reading could not wait for it.
    private func beginImmediate(_ session: Session, waited: Double) throws {
        let connection = session.connection
        let deadline = Deadline(seconds: WriterPatience.seconds(upTo: options.busySeconds) - waited)
        Library.limitSleep(seconds: deadline.remaining)
        do {
            try connection.execute("BEGIN IMMEDIATE")
        } catch let error as GranaryError where error.code == .busy {
            throw GranaryError.busyWriting(after: waited + deadline.elapsed)
                .causedBy(error.underlying ?? .init(engine: "sqlite", code: 5, message: ""))
        } catch let error as GranaryError where error.isReadOnlyFile {
            dropWriteSession(session)
            throw notWritable(error)
        }
        guard !connection.isInAutocommit else { throw GranaryError.rolledBack }
    }

    /// The log or the shared memory was opened for reading only because opening it for writing failed. It stays so for
    /// as long as a connection of this process has it open.
    private func notWritable(_ error: GranaryError) -> GranaryError {
        dropIdleSessions()
        guard error.code == .readOnly else { return error }
        var cause = GranaryError.notWritable(path, systemError: 0)
        cause.underlying = error.underlying
        return cause
    }

    /// Pages that are no longer in the log were synced when they were copied into the database.
    public func synchronize() throws {
        let isNeeded = lock.withLock {
            defer { state.hasUnsynced = false }
            return state.hasUnsynced
        }
        guard isNeeded else { return }
        let log = path + "-wal"
        do {
            if try FileSystem.status(log) != nil { try OpenFile(log, .reading).synchronize() }
        } catch {
            lock.withLock { state.hasUnsynced = true }
            throw error
        }
    }

    public func close() throws {
        defer {
            shutDown()
            commitNote?.close()
        }
        if options.isBuilding { try endBuilding() }
    }

    private func endBuilding() throws {
        dropIdleSessions()
        try SQLiteStore.switchToLog(try writeSession().connection)
    }
}

// MARK: Sessions
extension SQLiteStore {
    /// A session for reading that holds no state.
    func takeReadSession() throws -> Session {
        let session = try takeSession()
        session.letGo()
        return session
    }

    private func takeSession() throws -> Session {
        let idle: Session? = try lock.withLock {
            if state.isClosed { throw GranaryError.storeClosed }
            guard let session = state.idle.popLast() else { return nil }
            state.begin(session)
            return session
        }
        if let idle { return idle }
        let session = readSession(try Connection(path: path, purpose: .reading, options: options))
        lock.withLock { state.begin(session) }
        return session
    }

    private func readSession(_ connection: Connection) -> Session {
        // A store that is only read would create the index of a log that may not exist.
        Session(connection, catalog, holdsStates: options.access == .readWrite && !options.isBuilding)
    }

    /// Lets the first read use a connection that is already open. Called before the store is used.
    func keepForReading(_ connection: Connection) {
        let session = readSession(connection)
        lock.withLock { state.idle.append(session) }
    }

    func putBack(_ session: Session) {
        session.connection.stopFollowing()
        var beginsLooking = false
        let isKept = lock.withLock {
            state.end(session)
            guard !state.isClosed, session.connection.isInAutocommit, state.idle.count < options.tuning.idleReaders
            else {
                return false
            }
            if session.held.isHolding {
                let takenAt = session.held.takenAt ?? state.looks
                if state.isWriting || state.looks - takenAt >= SQLiteStore.longestHold {
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
        let later = DispatchTime.now() + .milliseconds(SQLiteStore.lookInterval)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: later) { [weak self] in self?.endHeldStates() }
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

    /// The number of states held between reads.
    var heldStates: Int { lock.withLock { state.idle.count(where: \.held.isHolding) } }

    /// Takes the turn to write. While it is taken, no session holds a state between reads.
    ///
    /// - Returns: The time waited, in seconds.
    @discardableResult func takeTurn() throws -> Double {
        let waited = try turn.take(seconds: WriterPatience.seconds(upTo: options.busySeconds))
        lock.withLock {
            state.isWriting = true
            for session in state.idle { session.letGo() }
        }
        return waited
    }

    func giveTurn() {
        lock.withLock { state.isWriting = false }
        turn.give()
    }

    /// The session for writing. Only the owner of the turn uses it.
    func writeSession() throws -> Session {
        let session: Session? = try lock.withLock {
            if state.isClosed { throw GranaryError.storeClosed }
            return state.writing
        }
        if let session { return session }
        let new: Session
        do {
            let purpose: Connection.Purpose = options.isBuilding ? .building : .writing
            new = try Session(Connection(path: path, purpose: purpose, options: options), catalog)
        } catch let error as GranaryError where error.isReadOnlyFile {
            throw notWritable(error)
        }
        lock.withLock { state.writing = new }
        return new
    }

    /// Keeps the number of a commit. Called by the owner of the turn.
    ///
    /// - Parameter isSynced: Whether the commit survives a loss of power.
    func noteCommit(_ number: UInt64, isSynced: Bool) {
        if isSynced { commitNote?.write(number) } else { lock.withLock { state.hasUnsynced = true } }
    }

    /// Takes the session back from a writer.
    ///
    /// - Parameter isSound: Whether its settings are still those for writing.
    func endWrite(_ session: Session, isSound: Bool = true) {
        session.connection.stopFollowing()
        // A session that could not be rolled back, or has other settings, is not used again.
        if isSound, session.connection.isInAutocommit {
            session.connection.shortenLog()
            let pin = session.connection.log.pin
            lock.withLock { state.note(pin) }
        } else {
            dropWriteSession(session)
        }
        giveTurn()
    }

    /// SQLite knows that a read prevents a restart of the log, but not which: if a read of this process began before
    /// that was first noticed, it may be the cause.
    public func foreignBlockage() -> Duration? {
        lock.withLock {
            guard let (pin, begunReads) = state.pin else { return nil }
            let isPerhapsOwn = state.reads.first.map { $0.number < begunReads } ?? false
            return isPerhapsOwn ? nil : pin.age
        }
    }

    func dropWriteSession(_ session: Session) {
        lock.withLock { state.writing = nil }
        session.close()
    }

    func dropIdleSessions() {
        let idle = lock.withLock {
            defer { state.idle = [] }
            return state.idle
        }
        for session in idle { session.close() }
    }

    /// Closes all unused connections; used ones are closed when they are given back. If requested, it first empties the
    /// log into the database, unless a reader prevents it.
    func shutDown(emptyingLog: Bool = true) {
        let (idle, writing) = lock.withLock {
            state.isClosed = true
            defer { state = State(isClosed: true) }
            return (state.idle, state.writing)
        }
        for session in idle { session.close() }
        if let writing {
            if emptyingLog { try? writing.connection.emptyLog(.truncate, waiting: 0) }
            writing.close()
        }
    }

    var readOnlyError: GranaryError {
        .readOnly(Self.folder(ofDatabase: path))
    }
}
