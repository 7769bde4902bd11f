public import GranaryStoreKit

extension FolderStores where Engine: OrderedKeyValueEngine {
    /// Opens the ``KeyValueStore`` in the folder at a path. Creates it if it does not exist, a schema is given, and
    /// `access` is `readWrite`. Blocks.
    ///
    /// ```swift
    /// public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
    ///     try stores.open(schema, migration: migration, atPath: path, access: access, features: [.persistence]) { folder, isNew in
    ///         try MyEngine(folder: folder, isNew: isNew)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - schema: Nil for the stored schema: then nothing is created, and a missing store throws `notAStore`.
    ///   - migration: The policy for a store with another schema.
    ///   - path: The path of the folder. Its parent must exist.
    ///   - access: Whether the store is written to. With `readOnly` nothing is created.
    ///   - busyTimeout: How long to wait for processes that create or change the folder.
    ///   - permissions: The permissions of the folder and its files if the store is created.
    ///   - contents: The contents of a store that is created; nothing by default.
    ///   - features: The capabilities of the engine; `rowChecksums`, `history` and `changeRecording` are added.
    ///   - check: Says whether an open engine may be shared; throws `alreadyOpen` if its options differ.
    ///   - engine: Opens the engine's files in a folder, and makes them first if the folder is new and empty. If files
    ///     of an existing folder are missing, it throws `corrupt`.
    public func open(
        _ schema: Schema?, migration: MigrationPolicy = .refuse, atPath path: String, access: StoreAccess = .readWrite,
        busyTimeout: Duration = .seconds(10), permissions: FilePermissions = .owner, contents: StoreContents? = nil,
        features: Set<Capability>, check: (Engine) throws -> Void = { _ in },
        engine: @escaping @Sendable (_ folder: String, _ isNew: Bool) throws -> Engine
    ) throws -> any Store {
        try open(
            atPath: path, access: access, busyTimeout: busyTimeout, permissions: permissions,
            create: schema.map { schema in
                { folder in
                    let engine = try engine(folder, true)
                    defer { try? engine.close() }
                    _ = try KeyValueStore(engine: engine, schema: schema.forNewStore)
                }
            }, contents: schema.flatMap { contents?.forStore(of: $0) }, engine: { folder in try engine(folder, false) },
            migrate: { generation in
                guard let schema else { return }
                repeat {
                    try KeyValueStore.migrate(
                        generation.engine, to: schema, migration, access: access, stopsAtRewriting: true)
                } while try generation.rewrite(
                    to: schema, migration, access: access, stored: { try KeyValueStore.description($0)?.schema },
                    open: { try KeyValueStore(engine: $0, schema: $1, coordinators: SharedCoordinators()) })
            }, check: check,
            build: { folder, schema, _ in try KeyValueStore(engine: try engine(folder, true), schema: schema) },
            store: { engine, coordinators in
                try KeyValueStore(
                    engine: engine, schema: try schema ?? KeyValueStore.storedSchema(engine), location: engine.location,
                    capabilities: Capabilities(features: features), coordinators: coordinators)
            })
    }
}
