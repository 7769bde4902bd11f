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
/// - `compact`, `reset` and migrations replace the files under open transactions; see ``GenerationEngine``.
///
/// It does not keep other processes out: an engine that cannot share its files locks them.
public final class FolderStores<Engine: GenerationEngine>: Sendable {
    /// Makes a new store for a schema in an empty folder, with what is kept of the engine whose place it takes, if there is
    /// one.
    public typealias Build = @Sendable (_ folder: String, _ schema: Schema, _ old: Engine?) throws -> any Store

    private let kind: String
    private let registry = OpenStoreRegistry<Shared>()

    /// What all stores over one engine have in common.
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

    /// Opens the store in the folder at a path, creating it if it is not there, `create` says how, and `access` is
    /// `readWrite`. Blocks.
    ///
    /// - Parameters:
    ///   - path: Where the folder is or will be. Its parent must exist.
    ///   - access: Whether the store is written to. With `readOnly` nothing is created.
    ///   - busyTimeout: How long to wait for processes that create or change the folder.
    ///   - permissions: Those of the folder and its files if the store is created.
    ///   - create: Makes the files of a new store in an empty folder, whose path it gets, and closes them. They need not be
    ///     synced. If it throws, everything made is removed. Nil if nothing may be created: then `notAStore` is thrown if there
    ///     is no store.
    ///   - contents: What a store that is created holds, with its schema, for which `build` is needed; nothing by default.
    ///   - engine: Opens the files in a folder. It must not make new files where they are missing, but throw `corrupt`.
    ///   - migrate: Brings what is stored to the schema of the caller. Called before any stack of this process has the store.
    ///   - check: Says whether an engine that is open may be shared; throws `alreadyOpen` if its options are others.
    ///   - build: Makes a new store for a schema in an empty folder, to be filled and closed. Nothing need be synced. Without it
    ///     the store cannot be filled: not reset, and not made from a seed.
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
                // Another process migrates the store, or waits to. It needs the store alone for a moment, and this one then
                // finds it migrated. Of several that came back before that, one would have it open at any time.
                try StoreFolder.waitForSwitch(path: path, until: deadline)
            }
        }
    }

    /// Another process has the store that this one is about to migrate.
    private struct BusyMigration: Error { let cause: GranaryError }

    private func attempt(
        atPath path: String, access: StoreAccess, busyTimeout: Double, _ permissions: FilePermissions,
        create: ((_ folder: String) throws -> Void)?,
        contents: StoreContents?, engine: @escaping @Sendable (_ folder: String) throws -> Engine,
        migrate: (StoredGeneration<Engine>) throws -> Void, check: (Engine) throws -> Void, build: Build?,
        store: @escaping @Sendable (Engine, SharedCoordinators) throws -> any Store
    ) throws -> any Store {
        if create == nil { _ = try StoreFolder.inspect(path: path) }
        // What this call has done by then, if what comes after it fails.
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
            // The next opening takes an empty store as if it made one.
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

    /// What an opening that fails has done all the same.
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

    /// Opens the engine of a folder, or shares the one that is open.
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
                    if live.number > 0 { done = .migrated }
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
                try ExternalStore.over(store(engine, coordinators), external)
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
        // A damaged one does not say of what kind it is.
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

/// Makes a store in an empty folder, has a closure fill it, and closes it.
func buildStore<Engine>(
    _ build: FolderStores<Engine>.Build?, in folder: String, _ schema: Schema, replacing old: Engine?,
    _ fill: (any Store) throws -> Void
) throws {
    guard let build else { throw GranaryError.cannotBeFilled }
    let new = try build(folder, schema.forNewStore, old)
    let external = try ExternalFiles(ofGeneration: folder)
    // Whether the new generation goes live is not known here.
    defer { external.close(keepingMarker: true) }
    do {
        try fill(ExternalStore.over(new, external, isBuilding: true))
    } catch {
        try? new.close()
        throw error
    }
    try new.close()
}

/// The live generation of a store that is being opened, before any stack of this process has it: what a migration is given.
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

    /// Builds a new generation for another schema beside the live one, and puts it in its place.
    ///
    /// - Parameters:
    ///   - schema: The schema of the new generation.
    ///   - fill: Writes to the new store, and need not sync it. It may read from the old engine, which does not change
    ///     meanwhile. If it throws, or the process is killed, the live generation stays.
    /// - Throws: `busy` if another process has the store open for longer than the time-out; `unsupported` if the store cannot be filled; what `fill`
    ///   throws.
    public func replace(_ schema: Schema, fill: (_ old: Engine, _ new: any Store) throws -> Void) throws {
        try replace(schema) { old, new, _ in try fill(old, new) }
    }

    /// As ``replace(_:fill:)``, with the folder of the new generation.
    func replace(
        _ schema: Schema, fill: (_ old: Engine, _ new: any Store, _ folder: String) throws -> Void
    ) throws {
        try live.replaceGeneration(busyTimeout: busyTimeout, hasWriters: false) { old, path in
            try buildStore(build, in: path, schema, replacing: old) { try fill(old, $0, path) }
        }
    }

    /// Makes a store that lasts while a closure uses it, in a folder of its own within the folder of a new generation. A process
    /// that is killed leaves it to what removes the generation.
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
