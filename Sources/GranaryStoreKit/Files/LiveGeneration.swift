import GranaryPlatform
import Synchronization

/// An engine with files in a folder of its own. ``FolderStores`` uses these requirements to replace the files under
/// open transactions.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `pauseWriting` | waits for its turn like a writer; no write transaction begins until `resumeWriting` |
/// | `copyCompacted`, `copy` | reads the newest committed state and changes nothing; the new files are closed when it returns |
/// | `retire` | from now on beginning a transaction throws; open transactions go on to their end |
/// | `close` | called once, with no transaction open, except on a retired engine, which closes with its last transaction |
public protocol GenerationEngine: AnyObject, Sendable {
    /// The main file, for people who want to look inside. It is in the engine's folder.
    var location: String? { get }

    /// Waits for the turn to write, and keeps it: no write transaction begins until ``resumeWriting()``.
    ///
    /// - Throws: `busy` after the engine's time-out, `reentrantWrite` if this thread has the turn, `readOnly`.
    func pauseWriting() throws
    func resumeWriting()
    /// Writes the newest committed state, without free space, to files in an empty folder, and closes them. They need
    /// not be synced.
    func copyCompacted(into folder: String) throws
    /// The same for a backup, in the engine's fastest way: free space may be copied as well. By default it is
    /// compacted, too.
    func copy(into folder: String) throws
    /// From now on beginning a transaction throws. Open transactions go on to their end, and the last one closes the
    /// files.
    func retire()
    /// Closes the files. No transaction is open.
    func close() throws
}

extension GenerationEngine {
    public func copy(into folder: String) throws { try copyCompacted(into: folder) }
}

/// The open state of a store on disk in one process: the store's folder, and the engine of its live generation. All
/// stacks on the store share it.
///
/// The problem: a store gets new files (a compacted copy, later an empty or a migrated store) under stacks, contexts
/// and observers that go on using it. The rules:
///
/// 1. The new files are a generation of their own, which goes live when `CURRENT` is renamed
///    (``StoreFolder/switchGeneration(busyTimeout:build:wentLive:)``): a process that is killed leaves either the old
///    or the new generation. As long as other processes have the store open, no switch happens.
/// 2. The turn to write is held from before the first byte is copied until the new engine is the current one. So no
///    commit is missing in the new generation, and writers only wait. A migration needs no turn: no stack of this
///    process has the store yet, and the lock of the folder keeps other processes out.
/// 3. A transaction begins on the engine that ``current()`` returns, without a lock that lasts until it has begun. It
///    may reach the old engine too late: then the engine is retired and throws. The caller sees that ``number`` has
///    changed, and asks again.
/// 4. Open transactions go on with the old files, whose names have been removed, and whose space is given back with the
///    last of these transactions. A reader never waits.
/// 5. A commit checks whether the folder of the live generation is still at its path: see ``requirePlace()``.
// @unchecked: `engine`, `place` and `isGone` are only touched while `lock` is held.
final class LiveGeneration<Engine: GenerationEngine>: @unchecked Sendable {
    let folder: StoreFolder
    private let open: @Sendable (_ generationPath: String) throws -> Engine
    private let lock = Lock()
    /// Nil after it was closed, or after another process has replaced its files.
    private var engine: Engine?
    /// The folder of the live generation.
    private var place: Place
    private var isGone = false
    /// How often the generation has been replaced, or found to be missing.
    let replacements = ReplacementCount()

    /// - Parameter open: Opens the engine's files in the folder of a generation.
    init(_ folder: StoreFolder, open: @escaping @Sendable (_ generationPath: String) throws -> Engine) throws {
        self.folder = folder
        self.open = open
        place = try Place(folder.generationPath)
        engine = try open(place.path)
    }

    /// A folder as it was found at its path.
    private struct Place {
        let path: String
        let identity: FileIdentity?

        init(_ path: String) throws(GranaryError) {
            self.path = path
            identity = try FileSystem.status(path)?.identity
        }

        /// Whether the folder is still there.
        var isThere: Bool { get throws(GranaryError) { try FileSystem.status(path)?.identity == identity } }
    }

    /// Refuses a commit to files whose folder was removed, renamed or replaced by other means than Granary's while they
    /// were open: the commit would be lost. It costs one system call, made by the owner of the turn to write.
    ///
    /// - Throws: `invalidPath`.
    func requirePlace() throws(GranaryError) {
        let place = lock.withLock { self.place }
        guard try !place.isThere else { return }
        throw GranaryError(
            .invalidPath,
            "The folder \(folder.path) of the store was removed, renamed or replaced while the store was open. Nothing is committed to it. Close the store, and open it where it is now."
        )
    }

    /// The engine of the live generation.
    ///
    /// - Throws: `generationGone` if another process has replaced it; `closed`.
    func current() throws -> Engine {
        try lock.withLock {
            guard !isGone else { throw folder.gone }
            guard let engine else { throw GranaryError.storeClosed }
            return engine
        }
    }

    /// Replaces the live generation by a new generation of files.
    ///
    /// - Parameters:
    ///   - busyTimeout: How many seconds to wait for other processes to close the store.
    ///   - hasWriters: Whether this process may write in the meantime, so that the turn to write is needed. Otherwise
    ///     the turn is not taken: a process that opens the store may wait for the turn, while this process waits until
    ///     that one has closed the store.
    ///   - build: Makes the new files in an empty folder, and closes them. They need not be synced. It may read from
    ///     the engine, which does not change during the call. If it throws, the live generation stays.
    ///   - wentLive: Called once the new files are live, before a transaction begins on them. It must not begin one.
    /// - Throws: `busy` if another process has the store open, or a transaction has been writing for longer than the
    ///   engine's time-out; `reentrantWrite`, `readOnly`; what `build` throws, and what opening the new files throws:
    ///   the live generation stays; `commitOutcomeUnknown` if the new files are live, but may be gone after a power
    ///   failure.
    func replaceGeneration(
        busyTimeout: Double = 0, hasWriters: Bool = true,
        build: (_ old: Engine, _ generationPath: String) throws -> Void,
        wentLive: () -> Void = {}
    ) throws {
        let old = hasWriters ? try pauseWriting() : try current()
        defer { if hasWriters { old.resumeWriting() } }
        var opened: Engine?
        var newPlace: Place?
        // If they did not go live, nothing names the open files.
        defer { try? opened?.close() }
        do {
            try folder.switchGeneration(busyTimeout: busyTimeout) {
                try build(old, $0)
            } open: {
                newPlace = try Place($0)
                opened = try open($0)
            } wentLive: {
                // Requests for the current engine wait during this, so that transactions on the new files begin after
                // `wentLive`.
                lock.withLock {
                    engine = opened
                    opened = nil
                    if let newPlace { place = newPlace }
                    replacements.add()
                    wentLive()
                }
                old.retire()
            }
        } catch let error as GranaryError where error.code == .generationGone {
            let last = lock.withLock {
                isGone = true
                defer { engine = nil }
                return engine
            }
            replacements.add()
            last?.retire()
            throw error
        }
    }

    /// Copies the newest committed state into a store of its own, in a folder that does not exist yet. Reads and writes
    /// go on.
    ///
    /// - Parameter external: The files of the store's external values.
    func copy(to path: String, _ external: ExternalFiles) throws {
        // From before the copied state is chosen until its files are copied.
        try external.beginReading()
        defer { external.endReading() }
        let engine = try current()
        var isMade = false
        let copy = try StoreFolder.open(
            path: path, kind: folder.kind, access: .readWrite, busyTimeout: 0,
            permissions: FilePermissions(fileMode: folder.root.fileMode)
        ) { made in
            try FileSystem.refuseNetwork(made)
            try engine.copy(into: made)
            try external.copyAll(toStoreOfGeneration: made)
            try LongWork.checkCancellation()
            isMade = true
        }
        copy.close()
        guard isMade else { throw GranaryError.placeTaken(path) }
    }

    /// The current engine. This thread has its turn to write.
    private func pauseWriting() throws -> Engine {
        while true {
            let engine = try current()
            try engine.pauseWriting()
            // Another thread may have replaced it while this one waited.
            if lock.withLock({ self.engine === engine }) { return engine }
            engine.resumeWriting()
        }
    }

    /// Closes the engine and the folder. No transaction is open.
    func close() throws {
        let last = lock.withLock {
            defer { engine = nil }
            return engine
        }
        defer { folder.close() }
        try last?.close()
    }
}

/// How often the files of a store have been replaced.
final class ReplacementCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }
    func add() { count.add(1, ordering: .releasing) }

    /// Runs a body with the number of replacements. If it throws, and the files were replaced in the meantime, it may have
    /// reached the old files too late, and is run again.
    func retrying<T>(_ body: (_ number: Int) throws -> T) throws -> T {
        while true {
            let number = value
            do {
                return try body(number)
            } catch {
                guard value != number else { throw error }
            }
        }
    }
}
