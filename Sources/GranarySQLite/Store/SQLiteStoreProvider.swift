public import GranaryStoreKit
import GranaryPlatform
import Synchronization

/// A store in a SQLite database, in a folder of its own.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url))
/// ```
///
/// - **The log.** Commits go to a log beside the database, which SQLite copies into it. If a commit finds the log
///   longer than 16 MB, or the disk with less than 8 MB left, it waits up to 0.1 seconds for running reads, and
///   restarts the log. If a read lasts longer than that, the log grows.
/// - **Memory statistics.** SQLite counts the memory that it uses, for which all threads of a process take one lock at
///   each allocation. Granary switches that off for the whole process (`SQLITE_CONFIG_MEMSTATUS`) when it opens its
///   first store, unless the process has used the library before: then the setting stays as it is, and finding records
///   by key is slower. When it is off, `sqlite3_memory_used()` is 0, and SQLite's heap limits have no effect. To keep
///   it on, call `sqlite3_initialize()` first.
/// - **A failed commit.** After an input or output error Granary finds out whether the commit was made: `io` and `full`
///   mean that it was not, even after the process has ended. `commitOutcomeUnknown` is thrown only if the disk fails
///   again during this, or another process has committed twice. If another process has the store open at that time, a
///   commit that reads do not find can still reappear when all processes have closed the store, unless there is another
///   commit before.
public struct SQLiteStoreProvider: StoreProvider {
    let placement: StorePlacement
    var options: SQLiteOptions

    init(_ placement: StorePlacement, _ options: SQLiteOptions) {
        self.placement = placement.with(
            creatingFolders: options.creatingFolders, isExcludedFromBackup: options.isExcludedFromBackup,
            permissions: options.permissions)
        self.options = options
    }

    public var readingOnly: any StoreProvider {
        var reading = self
        reading.options.access = .readOnly
        return reading
    }

    public var access: StoreAccess { options.access }
    public var place: String? { try? placement.path() }

    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try schema.validate()
        return try open(schema, migration, nil)
    }

    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try schema.validate()
        return try open(schema, migration, contents.forStore(of: schema))
    }

    public func openStored() throws -> any Store { try open(nil, .refuse, nil) }

    public func exists() throws -> Bool? { try placement.exists { try stores.exists(atPath: $0) } }

    public func destroy() throws { try stores.destroy(atPath: placement.path()) }
    public func moveAside() throws -> String {
        try stores.moveAside(atPath: try placement.path(), access: options.access)
    }

    private func open(_ schema: Schema?, _ migration: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        try placement.opening(mayCreate: schema != nil, access: options.access) { path in
            try open(path, schema, migration, contents)
        }
    }

    private func open(
        _ path: String, _ schema: Schema?, _ migration: MigrationPolicy, _ contents: StoreContents?
    ) throws -> any Store {
        let coordinator = StoreCoordinator()
        let policy = OpeningPolicy(migration)
        return try stores.open(
            atPath: path, access: options.access, busyTimeout: options.busyTimeout, permissions: placement.permissions,
            create: schema.map { schema in { try SQLiteStore.create(in: $0, schema, options) } }, contents: contents,
            engine: { [options] in
                try SQLiteStore.open(in: $0, schema, options, policy.current, coordinator: coordinator)
            },
            migrate: { [options] generation in
                if let schema {
                    // On opening, the engine makes changes that rewrite nothing, and stops before others.
                    while try generation.rewrite(
                        to: schema, migration, access: options.access, stored: { $0.schema },
                        open: { store, _ in store })
                    {}
                }
                // Not if it throws: the opening may begin again.
                policy.end()
            },
            check: { try $0.checkShared(schema, options) },
            build: { [options] folder, schema, old in
                var options = options
                if let old { options.rowChecksums = old.catalog.hasChecksums }
                return try SQLiteStore.build(in: folder, schema, options)
            },
            store: { store, _ in store })
    }
}

private let stores = FolderStores<SQLiteStore>(kind: "sqlite")

/// The policy for migrating when files are opened: nothing is migrated once stacks have the store. Then new files are
/// opened with their stored schema, even if another process has changed it since, because that change must not be
/// undone.
private final class OpeningPolicy: Sendable {
    private let policy: MigrationPolicy
    private let isOver = Atomic<Bool>(false)

    init(_ policy: MigrationPolicy) { self.policy = policy }

    var current: MigrationPolicy { isOver.load(ordering: .acquiring) ? .refuse : policy }
    func end() { isOver.store(true, ordering: .releasing) }
}

extension SQLiteStore {
    /// Refuses a second stack of the process with another schema or other options.
    fileprivate func checkShared(_ schema: Schema?, _ options: SQLiteOptions) throws {
        if let schema, schema.fingerprint != self.schema.fingerprint { throw schema.mismatch(with: self.schema) }
        let folder = Self.folder(ofDatabase: path)
        guard self.options.shared == options.shared else { throw GranaryError.openWithOtherOptions(folder) }
        guard schema.map({ $0 == self.schema || $0.adoptingIDs(from: self.schema) == self.schema }) ?? true else {
            throw GranaryError.openInAnotherOrder(folder)
        }
    }
}

extension StoreProvider where Self == SQLiteStoreProvider {
    /// A SQLite store in the folder at a file URL, created if it does not exist.
    public static func sqlite(at url: URL, options: SQLiteOptions = SQLiteOptions()) -> Self {
        SQLiteStoreProvider(StorePlacement(url: url), options)
    }

    /// A SQLite store in the folder at a path; see `sqlite(at:)`.
    public static func sqlite(atPath path: String, options: SQLiteOptions = SQLiteOptions()) -> Self {
        SQLiteStoreProvider(StorePlacement(path: path), options)
    }

    /// A SQLite store in the place where the platform keeps an application's data, created if it does not exist: in
    /// `~/.local/share/APPLICATION/NAME.granary`, under `$XDG_DATA_HOME` if that is set, or on Apple's systems in
    /// `Application Support`. `APPLICATION` is the parameter `application`: by default the identifier of the bundle, or
    /// the name of the program. The other parameters are those of `sqlite(at:)`.
    public static func sqlite(
        named name: String, application: String? = nil, options: SQLiteOptions = SQLiteOptions()
    ) -> Self {
        SQLiteStoreProvider(StorePlacement(named: name, application: application), options)
    }
}
