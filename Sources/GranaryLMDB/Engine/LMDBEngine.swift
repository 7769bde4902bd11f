import CLMDB
import GranaryStoreKit
public import GranaryKeyValue
import GranaryPlatform

/// An ordered key-value engine over one LMDB environment in a folder of its own.
///
/// ```swift
/// let engine = try LMDBEngine(folder: "/srv/music/gen-0001")
/// try engine.prepare(keyspaces: [Keyspace(1)])
/// let writer = try engine.beginWrite()
/// ```
///
/// The folder must exist. It holds `data.mdb` and `lock.mdb` (LMDB's), `writer.lock` (the turn to write) and
/// `open.marker` (the processes that have it open, and whether the last one closed it cleanly), each readable by its
/// owner only.
///
/// - **Damaged files.** The whole structure is checked before the file is mapped, at some gigabytes a second, unless
///   ``Options/verify`` is set otherwise, and by ``verify()``. A damaged file gives a ``/Granary/GranaryError`` with
///   code `corrupt`, never a crash. This does not protect a file that changes *while it is open*: do not write to it by
///   other means.
/// - **Writers** wait for their turn, in this process in the order of their requests, and throw `busy` after
///   ``Options/busyTimeout``. A write transaction begins and ends on one thread. Readers never wait for a writer.
/// - **Full.** A full map or disk ends the transaction with `full`; nothing stored is lost. The map grows as soon as no
///   transaction is open, so trying again is enough.
/// - **Once.** Opening an environment twice in one process throws `alreadyOpen`; share the engine instead. Never use it
///   across `fork`, and never on a network file system.
// @unchecked: `state` and `gates` are only touched with `lock` held; `turn` and `openMarker` guard themselves or are used only while
// opening, reopening and closing, which happen with `lock` held; the rest is constant.
public final class LMDBEngine: OrderedKeyValueEngine, @unchecked Sendable {
    public let kind = "lmdb"
    public let limits = KeyValueLimits(keySize: 511, valueSize: 1 << 30)

    /// The folder the environment is in.
    public let folder: String
    public let options: Options

    let dataPath: String
    let lock = Lock()
    let changed = Lock.Condition()
    var state = State() { didSet { setGates() } }
    /// Whether the gates of the shards are open, and to which handles: see ``setGates()``.
    var gates: Int?
    let readers = Shards { ReaderShard() }
    let turn: WriterGate?
    let marker: OpenMarker?
    let identity: FileIdentity

    /// The state that `lock` protects.
    struct State {
        var environment: OpaquePointer?
        /// LMDB's handle for each prepared keyspace, by number; 0 for numbers without a keyspace.
        var handles: [MDB_dbi] = [] { didSet { preparations += 1 } }
        /// How often the handles have changed.
        private(set) var preparations = 0
        var mapSize = 0
        /// The size of pages if each is mapped at a multiple of its size; otherwise 0.
        var mappedPageSize = 0
        var maximumDatabases: UInt32 = 64
        /// The number of open write transactions. The shards count the readers.
        var writing = 0
        /// The number of callers that wait until no transaction is open; new readers wait while there are any.
        var draining = 0
        /// The number of callers that hold `lock` and need that no reader begins.
        var excluding = 0
        /// The size to which the map must grow before further use.
        var wantedMapSize: Int?
        /// The number of commits since the slots of readers were last examined, and the last page at that time.
        var commitsUnchecked = 0
        var lastPageChecked = 0
        /// Whether a commit may be lost by a loss of power.
        var hasUnsynced = false
        /// A commit has failed: LMDB may refuse every transaction until the environment is opened again.
        var needsReopening = false
        var isClosed = false
        /// No transaction can begin any more; the last one closes the engine when it ends.
        var isRetired = false
        /// A write transaction that was dropped on another thread than its own. Only its own thread can end it.
        var abandoned: (transaction: OpaquePointer, thread: pthread_t)?

        /// Whether readers may begin and end without `lock`.
        var hasOpenGates: Bool {
            environment != nil && draining == 0 && excluding == 0 && wantedMapSize == nil && !needsReopening
                && !isClosed
                && !isRetired
        }
    }

    /// Opens the environment in a folder, and creates it if it does not exist.
    ///
    /// - Throws: `alreadyOpen`, `corrupt`, `notAStore`, `newerFormat`, `full`, `permissionDenied`, `invalidPath`,
    ///   `readOnly`, `busy` (another process is opening or closing it), `limit` (not even a small map could be made).
    public init(folder: String, options: Options = Options()) throws {
        guard !folder.isEmpty, !folder.utf8.contains(0) else {
            throw GranaryError(.invalidPath, "the folder of an environment has no name. Name an existing folder.")
        }
        self.folder = folder
        self.options = options
        dataPath = folder + "/data.mdb"
        // The last process may have left some.
        state.hasUnsynced = options.durability != .full
        try FileSystem.refuseNetwork(folder)
        let isReadOnlyMedium = options.readOnly && Self.isReadOnlyFileSystem(folder)
        identity = try Self.claim(dataPath, folder: folder, readOnly: options.readOnly)
        do {
            turn = options.readOnly ? nil : try WriterGate(folder: folder)
            marker = isReadOnlyMedium ? nil : try OpenMarker(folder: folder, dataPath: dataPath)
        } catch {
            EnvironmentRegistry.release(identity)
            throw error
        }
        do {
            try lock.withLock { try openFirst() }
        } catch {
            EnvironmentRegistry.release(identity)
            throw error
        }
    }

    deinit {
        try? close()
    }
}
