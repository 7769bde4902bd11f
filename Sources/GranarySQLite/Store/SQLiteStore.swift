import CSQLite
import GranaryPlatform
public import GranaryStoreKit

/// A store in a SQLite database: a table for each entity, a column for each attribute.
///
/// The file can be opened and understood in the `sqlite3` shell. Rows may also be changed there while no program has
/// the store open, unless the store was created with row checksums.
///
/// One connection writes, used by one transaction at a time. Each reader has a connection of its own from a pool.
// @unchecked: `state` is only touched while `lock` is held. The writing session, and `commitNote`, belong to the thread that
// has the turn; when the store is closed no thread has it.
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

    /// The sessions for reading.
    let sessions: SessionPool

    private struct State {
        var writing: Session?
        var isClosed = false
        /// The read that prevents a restart of the log, and the age of reads that began when it was first noticed.
        var pin: (pin: LogSize.Pin, age: Int)?
        /// Whether a commit may be lost by a loss of power.
        var hasUnsynced = false
    }

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
        sessions = SessionPool(path, catalog, options)
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
        let (session, home) = try sessions.take()
        do {
            session.connection.cancellation.flag = cancellation
            Library.limitSleep(seconds: options.busySeconds)
            let number = try session.beginReading()
            return SQLiteReader(session, home, transactionNumber: number, cancellation: cancellation)
        } catch {
            home.drop(session)
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
        sessions.dropIdle()
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
        sessions.dropIdle()
        try SQLiteStore.switchToLog(try writeSession().connection)
    }
}

// MARK: Sessions
extension SQLiteStore {
    /// A session for reading that holds no state, and the shard that gets it back.
    func takeReadSession() throws -> (session: Session, home: SessionShard) {
        let taken = try sessions.take()
        taken.session.letGo()
        return taken
    }

    /// Takes the turn to write. While it is taken, no session holds a state between reads.
    ///
    /// - Returns: The time waited, in seconds.
    @discardableResult func takeTurn() throws -> Double {
        let waited = try turn.take(seconds: WriterPatience.seconds(upTo: options.busySeconds))
        sessions.setWriting(true)
        return waited
    }

    func giveTurn() {
        sessions.setWriting(false)
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
            note(session.connection.log.pin)
        } else {
            dropWriteSession(session)
        }
        giveTurn()
    }

    /// Notes the read that prevents a restart of the log, if there is one.
    private func note(_ found: LogSize.Pin?) {
        lock.withLock {
            if let found, let (pin, age) = state.pin, pin.isSame(found) {
                state.pin = (found, age)
            } else {
                state.pin = found.map { ($0, sessions.beginAge()) }
            }
        }
    }

    /// SQLite knows that a read prevents a restart of the log, but not which: if a read of this process began before
    /// that was first noticed, it may be the cause.
    public func foreignBlockage() -> Duration? {
        guard let (pin, age) = lock.withLock({ state.pin }), !sessions.hasRead(before: age) else { return nil }
        return pin.age
    }

    func dropWriteSession(_ session: Session) {
        lock.withLock { state.writing = nil }
        session.close()
    }

    /// Closes all unused connections; used ones are closed when they are given back. If requested, it first empties the
    /// log into the database, unless a reader prevents it.
    func shutDown(emptyingLog: Bool = true) {
        let writing = lock.withLock {
            defer { state = State(isClosed: true) }
            return state.writing
        }
        sessions.close()
        if let writing {
            if emptyingLog { try? writing.connection.emptyLog(.truncate, waiting: 0) }
            writing.close()
        }
    }

    var readOnlyError: GranaryError {
        .readOnly(Self.folder(ofDatabase: path))
    }
}
