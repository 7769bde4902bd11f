import GranaryPlatform

/// An open store on disk: a folder whose file `CURRENT` names the generation that holds the engine's files.
///
/// ```
/// Music.granary/
///   CURRENT      kind, format, generation, checksum
///   LOCK         flock: shared by all processes that have the store open, exclusive while the folder itself changes
///   gen-0001/    db.sqlite, or data.mdb and lock.mdb, and external data
/// ```
///
/// The problem: engines keep several files that belong together, some create theirs in steps that a crash can
/// interrupt, and a file that is replaced beside a left-over log is silently undone. The rule: a generation is built
/// beside the live one, synced as a whole, and goes live when `CURRENT` is renamed. A process that is killed at any
/// moment leaves either the old or the new generation. Items without a name are removed by the next opening.
///
/// **Creation** has no old `CURRENT` that protects existing data, so it starts by writing `CURRENT.tmp`, which marks
/// every generation beside it as unfinished. Generations with neither file are data whose `CURRENT` was lost:
/// `.corrupt`, never removed.
///
/// Every call blocks: never call from Swift's cooperative pool.
// @unchecked: the stored properties that change are in `state`, which is only touched while `stateLock` is held.
final class StoreFolder: @unchecked Sendable {
    /// Identifies a store folder in this process, for every path that leads to it. It stays the same when the
    /// generation changes, so that all users of the open store go on sharing it. While the store is open, no other
    /// folder gets the same identity.
    let identity: FileIdentity
    let kind: String
    let access: StoreAccess
    let root: OpenFolder

    let stateLock = Lock()
    var state: State

    struct State {
        var generation: Int
        /// Holds the shared lock; nil if `LOCK` does not exist (a copy that was never opened for writing).
        var lockFile: OpenFile?
        var isClosed = false
        var isSwitching = false
    }

    init(root: OpenFolder, lockFile: OpenFile?, description: StoreDescription, access: StoreAccess) throws(GranaryError)
    {
        identity = try root.status().identity
        kind = description.kind
        self.access = access
        self.root = root
        state = State(generation: description.generation, lockFile: lockFile)
    }

    /// The absolute path of the store folder, free of links.
    var path: String { root.path }

    /// The number of the live generation.
    var generation: Int { stateLock.withLock { state.generation } }

    /// The absolute path of the folder with the engine's files. ``switchGeneration(busyTimeout:build:wentLive:)``
    /// changes it.
    var generationPath: String { root.path(of: StoreNames.generation(generation)) }

    /// Whether users other than the owner may read the folder. Folders made here are closed to them; a copied folder
    /// may not be.
    var isOpenToOthers: Bool {
        get throws(GranaryError) { try root.status().permissions & 0o077 != 0 }
    }

    /// Releases the lock, as does releasing the last reference. The engine must have closed its files before. A running
    /// switch keeps the lock until it ends.
    func close() {
        stateLock.withLock {
            state.isClosed = true
            state.lockFile = nil
        }
    }
}
