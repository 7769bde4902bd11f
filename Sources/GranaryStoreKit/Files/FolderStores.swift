import GranaryPlatform

/// The stores of one kind that this process has open, each in a folder of its own: what a ``StoreProvider`` opens them with.
///
/// ```swift
/// private let stores = FolderStores<MyEngine>(kind: "mine")
/// ```
///
/// One for a kind and process, in a global `let`. It sees to what every store with files needs:
///
/// - The folder is created whole or not at all, whatever ends the process; what an earlier attempt left is removed.
/// - Paths that cannot hold a store, folders of other programs, stores of other kinds, damaged folders and network file
///   systems are refused with the errors of ``StoreProvider/open(_:migration:)``.
/// - A process opens the engine of a folder once, whatever path names it. Stacks on one folder share the engine, and the
///   last that closes closes it.
/// - `compact` replaces the files under open transactions; see ``GenerationEngine``.
///
/// It does not keep other processes out: an engine that cannot share its files locks them.
public final class FolderStores<Engine: GenerationEngine>: Sendable {
    private let kind: String
    private let registry = OpenStoreRegistry<Shared>()

    /// What all stores over one engine have in common.
    private final class Shared: Sendable {
        let live: LiveGeneration<Engine>
        let coordinators = SharedCoordinators()

        init(_ live: LiveGeneration<Engine>) { self.live = live }
    }

    /// - Parameter kind: A short name, kept in the folder: 1 to 32 of `a-z`, `0-9` and `-`.
    public init(kind: String) { self.kind = kind }

    /// Opens the store in the folder at a path, creating it if it is not there, `create` says how, and `access` is
    /// `readWrite`. Blocks.
    ///
    /// - Parameters:
    ///   - path: Where the folder is or will be. Its parent must exist.
    ///   - busyTimeout: How many seconds to wait for processes that create or change the folder.
    ///   - create: Makes the files of a new store in an empty folder, whose path it gets, and closes them. They need not be
    ///     synced. If it throws, everything made is removed. Nil if nothing may be created: then `notAStore` is thrown if
    ///     there is no store.
    ///   - engine: Opens the files in a folder. It must not make new files where they are missing, but throw `corrupt`.
    ///   - migrate: Brings what is stored to the schema of the caller. Called before any stack of this process has the store.
    ///   - check: Says whether an engine that is open may be shared; throws `alreadyOpen` if its options are others.
    ///   - store: Makes the store over the engine. Called again, at any time, when the files were replaced.
    /// - Returns: The store. Closing it gives up its share of the engine.
    public func open(
        atPath path: String, access: StoreAccess, busyTimeout: Double,
        create: ((_ folder: String) throws -> Void)?,
        engine: @escaping @Sendable (_ folder: String) throws -> Engine,
        migrate: (Engine) throws -> Void = { _ in },
        check: (Engine) throws -> Void = { _ in },
        store: @escaping @Sendable (Engine, SharedCoordinators) throws -> any Store
    ) throws -> any Store {
        if create == nil { _ = try StoreFolder.inspect(path: path) }
        let folder = try StoreFolder.open(path: path, kind: kind, access: access, busyTimeout: busyTimeout) { made in
            guard let create else {
                throw GranaryError(.notAStore, "The store at \(path) was removed by another process.")
            }
            // Nothing else can see the folder yet; its files are synced when this returns.
            try FileSystem.refuseNetwork(made)
            try create(made)
        }
        let shared: Shared
        do {
            shared = try registry.acquire(folder.identity) {
                try FileSystem.refuseNetwork(folder.path)
                let live = try LiveGeneration(folder, open: engine)
                do {
                    try migrate(live.current())
                } catch {
                    try? live.close()
                    throw error
                }
                return Shared(live)
            }
        } catch {
            folder.close()
            throw error
        }
        let identity = folder.identity
        if shared.live.folder !== folder { folder.close() }
        do {
            try check(shared.live.current())
            let coordinators = shared.coordinators
            return try SharedStore(shared.live) { engine in
                try store(engine, coordinators)
            } release: { [self] in
                try release(identity)
            }
        } catch {
            try release(identity)
            throw error
        }
    }

    private func release(_ identity: StoreFolder.Identity) throws {
        var failure: (any Error)?
        registry.release(identity) { shared in
            do { try shared.live.close() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
