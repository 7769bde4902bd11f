public import GranaryStoreKit
import GranaryKeyValue
import GranaryPlatform

/// Opens stores over LMDB: `.lmdb(at: url)`.
public struct LMDBStoreProvider: StoreProvider {
    let path: String
    let access: StoreAccess
    var options: LMDBEngine.Options

    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try open(schema, migration, nil)
    }

    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try open(schema, migration, contents)
    }

    public func openStored() throws -> any Store { try open(nil, .refuse, nil) }

    public func exists() throws -> Bool? { try stores.exists(atPath: path) }

    public func destroy() throws { try stores.destroy(atPath: path) }
    public func moveAside() throws -> String { try stores.moveAside(atPath: path, access: access) }

    private func open(_ schema: Schema?, _ migration: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        try stores.open(
            schema, migration: migration, atPath: path, access: access, busyTimeout: options.busyTimeout,
            contents: contents,
            features: [.persistence, .multipleProcesses, .readOnlyOpening, .durabilityLevels, .storedSchema]
        ) { engine in
            guard engine.options == options else {
                throw GranaryError(
                    .alreadyOpen,
                    "\(path) is open in this process with other options. Open it with the same ones, or share the stack."
                )
            }
        } engine: { [options] folder, isNew in
            if !isNew {
                // LMDB would take an empty file for a new one.
                let data = folder + "/data.mdb"
                let status = try FileSystem.status(data)
                guard let status, status.kind == .file, status.size > 0 else {
                    throw GranaryError(
                        .corrupt, "\(data), the data of the store, is missing or empty. Restore it from a copy.")
                }
            }
            var options = options
            // The folder of a new store is synced as a whole when it is ready.
            options.isBuilding = isNew
            // What is copied into new files may need more room than a small map has, which grows between transactions only.
            if isNew { options.mapSize = max(options.mapSize, LMDBEngine.Options().mapSize) }
            return try LMDBEngine(folder: folder, options: options)
        }
    }
}

private let stores = FolderStores<LMDBEngine>(kind: "lmdb")

extension StoreProvider where Self == LMDBStoreProvider {
    /// A store in LMDB, in a folder at this URL, made if it is not there; its parent must be.
    ///
    /// - Parameters:
    ///   - durability: What a commit survives when it returns.
    ///   - access: `readOnly` makes and changes nothing.
    ///   - mapSize: Address space for the file, in bytes; it costs nothing until written, and grows by itself.
    ///   - busyTimeout: How long a writer waits for one in another process, in seconds, before it throws `busy`.
    ///   - verify: How much of the file is checked when it is opened. By default all of its structure, so that no damaged
    ///     file ends the process: 0.2 s a gigabyte, and the time it takes to read the file from the disk.
    public static func lmdb(
        at url: URL, durability: Durability = .full, access: StoreAccess = .readWrite, mapSize: Int = 256 << 30,
        busyTimeout: Double = 10, verify: LMDBEngine.Options.Verification = .full
    ) -> Self {
        lmdb(
            atPath: url.path, durability: durability, access: access, mapSize: mapSize, busyTimeout: busyTimeout,
            verify: verify)
    }

    /// A store in LMDB, in a folder at this path. See ``lmdb(at:durability:access:mapSize:busyTimeout:verify:)``.
    public static func lmdb(
        atPath path: String, durability: Durability = .full, access: StoreAccess = .readWrite, mapSize: Int = 256 << 30,
        busyTimeout: Double = 10, verify: LMDBEngine.Options.Verification = .full
    ) -> Self {
        LMDBStoreProvider(
            path: path, access: access,
            options: LMDBEngine.Options(
                durability: durability, mapSize: mapSize, readOnly: access == .readOnly, busyTimeout: busyTimeout,
                verify: verify))
    }
}
