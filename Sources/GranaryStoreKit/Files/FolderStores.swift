import GranaryPlatform

/// The stores of one kind that this process has open, each in a folder of its own: a ``StoreProvider`` opens its stores
/// with it.
///
/// ```swift
/// private let stores = FolderStores<MyEngine>(kind: "mine")
/// ```
///
/// Make one for each kind and process, in a global `let`. It does what every store with files needs:
///
/// - The folder is created completely or not at all, however the process ends; left-overs of an earlier attempt are
///   removed.
/// - Paths that cannot hold a store, folders of other programs, stores of other kinds, damaged folders and network file
///   systems are refused with the errors of ``StoreProvider/open(_:migration:)``.
/// - A process opens the engine of a folder once, by whichever path. Stacks on one folder share the engine, and the
///   last one that closes also closes the engine.
/// - `compact`, `reset` and migrations replace the files under open transactions; see ``GenerationEngine``.
///
/// It does not keep other processes out: an engine that cannot share its files must lock them.
public final class FolderStores<Engine: GenerationEngine>: Sendable {
    /// Makes a new store for a schema in an empty folder, with what must be kept of the replaced engine, if there is
    /// one.
    public typealias Build = @Sendable (_ folder: String, _ schema: Schema, _ old: Engine?) throws -> any Store

    private let kind: String
    private let registry = OpenStoreRegistry<Shared>()

    /// The shared state of all stores over one engine.
    private final class Shared: Sendable {
        let live: LiveGeneration<Engine>
        let coordinators = SharedCoordinators()
        let external: ExternalFiles

        init(_ live: LiveGeneration<Engine>, _ external: ExternalFiles) {
            (self.live, self.external) = (live, external)
        }
    }

    /// - Parameter kind: A short name, kept in the folder: 1 to 32 of `a-z`, `0-9` and `-`.
    public init(kind: String) { self.kind = kind }

    /// Opens the store in the folder at a path. Creates it if it does not exist, `create` is given, and `access` is
    /// `readWrite`. Blocks.
    ///
    /// - Parameters:
    ///   - path: The path of the folder. Its parent must exist.
    ///   - access: Whether the store is written to. With `readOnly` nothing is created.
    ///   - busyTimeout: How long to wait for processes that create or change the folder.
    ///   - permissions: The permissions of the folder and its files if the store is created.
    ///   - create: Makes the files of a new store in an empty folder, whose path it gets, and closes them. They need
    ///     not be synced. If it throws, everything made is removed. If nil, a missing store is not created, and
    ///     `notAStore` is thrown.
    ///   - contents: The contents of a new store, with its schema, for which `build` is needed; nothing by default.
    ///   - engine: Opens the files in a folder. It must not make missing files, but throw `corrupt`.
    ///   - migrate: Migrates the stored data to the schema of the caller. Called before any stack of this process has
    ///     the store.
    ///   - check: Says whether an open engine may be shared; throws `alreadyOpen` if its options differ.
    ///   - build: Makes a new store for a schema in an empty folder, to be filled and closed. Nothing need be synced.
    ///     Without it the store cannot be filled: it cannot be reset or made from a seed.
    ///   - store: Makes the store over the engine. Called again, at any time, when the files were replaced.
    /// - Returns: The store. Closing it gives up its share of the engine.
    public func open(
        atPath path: String, access: StoreAccess, busyTimeout: Duration, permissions: FilePermissions = .owner,
        create: ((_ folder: String) throws -> Void)?,
        contents: StoreContents? = nil,
        engine: @escaping @Sendable (_ folder: String) throws -> Engine,
        migrate: (StoredGeneration<Engine>) throws -> Void = { _ in },
        check: (Engine) throws -> Void = { _ in },
        build: Build? = nil,
        store: @escaping @Sendable (Engine, SharedCoordinators) throws -> any Store
    ) throws -> any Store {
        let busyTimeout = busyTimeout.inSeconds
        let deadline = Deadline(seconds: busyTimeout)
        while true {
            do {
                return try attempt(
                    atPath: path, access: access, busyTimeout: busyTimeout, permissions, create: create,
                    contents: contents,
                    engine: engine, migrate: migrate, check: check, build: build, store: store)
            } catch let busy as BusyMigration {
                guard deadline.remaining > 0 else { throw busy.cause }
                // Another process migrates the store, or waits to do so. It needs exclusive access for a moment, and
                // this process then finds the store migrated. If several processes came back before that, one of them
                // would always have the store open.
                try StoreFolder.waitForSwitch(path: path, until: deadline)
            }
        }
    }

    /// Another process has the store open that this process is about to migrate.
    private struct BusyMigration: Error { let cause: GranaryError }

    private func attempt(
        atPath path: String, access: StoreAccess, busyTimeout: Double, _ permissions: FilePermissions,
        create: ((_ folder: String) throws -> Void)?,
        contents: StoreContents?, engine: @escaping @Sendable (_ folder: String) throws -> Engine,
        migrate: (StoredGeneration<Engine>) throws -> Void, check: (Engine) throws -> Void, build: Build?,
        store: @escaping @Sendable (Engine, SharedCoordinators) throws -> any Store
    ) throws -> any Store {
        if create == nil { _ = try StoreFolder.inspect(path: path) }
        // The effect of this call up to a later failure.
        var done: Done?
        let folder = try StoreFolder.open(
            path: path, kind: kind, access: access, busyTimeout: busyTimeout, permissions: permissions
        ) { made in
            guard let create else {
                throw GranaryError(.notAStore, "The store at \(path) was removed by another process.")
            }
            // Nothing else can see the folder yet; its files are synced when this returns.
            try FileSystem.refuseNetwork(made)
            guard let contents else { return try create(made) }
            guard let schema = contents.schema else { throw GranaryError.cannotBeFilled }
            try buildStore(build, in: made, schema, replacing: nil) { try contents.fill($0) }
        } wasMade: {
            // The next opening treats an empty store as if it made one.
            if contents != nil { done = .made }
        }
        do {
            return try share(
                folder, busyTimeout: busyTimeout, engine: engine, migrate: migrate, check: check, build: build,
                store: store, done: &done)
        } catch {
            throw done?.error(error, at: folder.path) ?? error
        }
    }

    /// The effect of an opening that fails.
    private enum Done {
        case made, migrated

        func error(_ cause: any Error, at path: String) -> any Error {
            guard !(cause is BusyMigration) else { return cause }
            return switch self {
            case .made: GranaryError.made(at: path, butNotOpened: cause)
            case .migrated: GranaryError.migrated(at: path, butNotOpened: cause)
            }
        }
    }

    /// Opens the engine of a folder, or shares the open one.
    private func share(
        _ folder: StoreFolder, busyTimeout: Double, engine: @escaping @Sendable (_ folder: String) throws -> Engine,
        migrate: (StoredGeneration<Engine>) throws -> Void, check: (Engine) throws -> Void, build: Build?,
        store: @escaping @Sendable (Engine, SharedCoordinators) throws -> any Store, done: inout Done?
    ) throws -> any Store {
        let shared: Shared
        do {
            shared = try registry.acquire(folder.identity) {
                try FileSystem.refuseNetwork(folder.path)
                let live = try LiveGeneration(folder, open: engine)
                let external = ExternalFiles(
                    inStoreAt: folder.path, canWrite: folder.access == .readWrite, fileMode: folder.root.fileMode)
                do {
                    try migrate(StoredGeneration(live, external, build, busyTimeout: busyTimeout))
                    if live.replacements.value > 0 { done = .migrated }
                } catch {
                    external.close()
                    try? live.close()
                    guard let busy = error as? GranaryError, busy.code == .busy || busy.code == .generationGone else {
                        throw error
                    }
                    throw BusyMigration(cause: busy)
                }
                return Shared(live, external)
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
            let external = shared.external
            return try SharedStore(shared.live, external, build) { engine in
                try ExternalStore.over(SearchedStore.over(store(engine, coordinators)), external)
            } release: { [self] in
                try release(identity)
            }
        } catch {
            try release(identity)
            throw error
        }
    }

    /// Removes the store in the folder at a path, if it is of this kind; see ``StoreProvider/destroy()``.
    public func destroy(atPath path: String, busyTimeout: Duration = .zero) throws {
        // A damaged store may not show its kind.
        if let found = try? StoreFolder.inspect(path: path), found.kind != kind {
            throw GranaryError.storeOfOtherKind(at: path, found.kind, wanted: kind)
        }
        try StoreFolder.destroy(path: path, busyTimeout: busyTimeout.inSeconds)
    }

    /// Whether the folder at a path has a store; see ``StoreProvider/exists()``.
    public func exists(atPath path: String) throws -> Bool {
        do throws(GranaryError) {
            _ = try StoreFolder.inspect(path: path)
            return true
        } catch {
            guard error.code == .notAStore else { throw error }
            return false
        }
    }

    /// Renames the store at a path; see ``StoreProvider/moveAside()``.
    ///
    /// - Throws: `readOnly` for a store that is opened for reading only; `busy` for one that is open.
    public func moveAside(atPath path: String, access: StoreAccess) throws -> String {
        guard access == .readWrite else {
            throw GranaryError(
                .readOnly,
                "\(path) has another schema, and is not moved by whom opens it for reading. Open it for writing.")
        }
        return try StoreFolder.moveAside(path: path)
    }

    private func release(_ identity: FileIdentity) throws {
        var failure: (any Error)?
        registry.release(identity) { shared in
            shared.external.close()
            do { try shared.live.close() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

/// Makes a store in an empty folder, lets a closure fill it, and closes it.
func buildStore<Engine>(
    _ build: FolderStores<Engine>.Build?, in folder: String, _ schema: Schema, replacing old: Engine?,
    _ fill: (any Store) throws -> Void
) throws {
    guard let build else { throw GranaryError.cannotBeFilled }
    let new = try build(folder, schema.forNewStore, old)
    let external = try ExternalFiles(ofGeneration: folder)
    // It is not known here whether the new generation will go live.
    defer { external.close(keepingMarker: true) }
    do {
        try fill(ExternalStore.over(new, external, isBuilding: true))
    } catch {
        try? new.close()
        throw error
    }
    try new.close()
}

/// The live generation of a store that is being opened, before any stack of this process has it: the argument of a
/// migration.
public struct StoredGeneration<Engine: GenerationEngine> {
    private let live: LiveGeneration<Engine>
    private let external: ExternalFiles
    private let build: FolderStores<Engine>.Build?
    private let busyTimeout: Double

    init(
        _ live: LiveGeneration<Engine>, _ external: ExternalFiles, _ build: FolderStores<Engine>.Build?,
        busyTimeout: Double
    ) {
        (self.live, self.external, self.build, self.busyTimeout) = (live, external, build, busyTimeout)
    }

    /// A store over the engine with its external values.
    func withExternalValues(_ store: any Store) throws -> any Store { try ExternalStore.over(store, external) }

    /// The engine of the live generation.
    public var engine: Engine { get throws { try live.current() } }

    /// Builds a new generation for another schema beside the live one, and replaces the live one by it.
    ///
    /// - Parameters:
    ///   - schema: The schema of the new generation.
    ///   - fill: Writes to the new store, and need not sync it. It may read from the old engine, which does not change
    ///     during the call. If it throws, or the process is killed, the live generation stays.
    /// - Throws: `busy` if another process has the store open for longer than the time-out; `unsupported` if the store
    ///   cannot be filled; what `fill` throws.
    public func replace(_ schema: Schema, fill: (_ old: Engine, _ new: any Store) throws -> Void) throws {
        try replace(schema) { old, new, _ in try fill(old, new) }
    }

    /// Like ``replace(_:fill:)``, with the folder of the new generation.
    func replace(
        _ schema: Schema, fill: (_ old: Engine, _ new: any Store, _ folder: String) throws -> Void
    ) throws {
        try live.replaceGeneration(busyTimeout: busyTimeout, hasWriters: false) { old, path in
            try buildStore(build, in: path, schema, replacing: old) { try fill(old, $0, path) }
        }
    }

    /// Makes a store that exists while a closure uses it, in a folder of its own within the folder of a new generation.
    /// If the process is killed, the draft is removed together with the generation.
    func withDraft(
        _ schema: Schema, in generation: String, replacing old: Engine, _ use: (any Store) throws -> Void
    ) throws {
        guard let root = try StorePath(generation).openFolder() else { throw GranaryError.storeClosed }
        guard try root.makeFolder(draftName), try root.folder(draftName).makeFolder("1") else {
            throw GranaryError(.io, "\(generation) has a folder \(draftName) already. Remove it.")
        }
        try buildStore(build, in: "\(generation)/\(draftName)/1", schema, replacing: old, use)
        try root.removeTree(draftName)
    }
}

private let draftName = "draft"
