public import GranaryStoreKit
import GranaryKeyValue

import GranaryPlatform

/// Opens stores over LMDB: `.lmdb(at: url)`.
public struct LMDBStoreProvider: StoreProvider {
    let path: String
    let access: StoreAccess
    var options: LMDBEngine.Options

    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        let folder = try StoreFolder.open(path: path, kind: "lmdb", access: access, busyTimeout: options.busyTimeout) {
            // Nobody else can see it yet; the folder is synced when this returns.
            try schema.validate()
            let engine = try LMDBEngine(folder: $0, options: LMDBEngine.Options(mapSize: options.mapSize))
            defer { try? engine.close() }
            _ = try KeyValueStore(engine: engine, schema: schema)
        }
        let identity = folder.identity
        let open: OpenEngine
        do {
            open = try OpenEngine.registry.acquire(identity) {
                let open = try OpenEngine(folder, options)
                do {
                    // Here alone: no stack of this process has the store open.
                    try KeyValueStore.migrate(open.live.current(), to: schema, migration, access: access)
                } catch {
                    try? open.live.close()
                    throw error
                }
                return open
            }
        } catch {
            folder.close()
            throw error
        }
        do {
            if open.live.folder !== folder { folder.close() }
            guard open.options == options else {
                throw GranaryError(
                    .alreadyOpen,
                    "\(path) is open in this process with other options. Open it with the same ones, or share the stack."
                )
            }
            return try SharedStore(open.live) { [coordinators = open.coordinators] engine in
                try KeyValueStore(
                    engine: engine, schema: schema, location: engine.folder + "/data.mdb",
                    capabilities: Capabilities(features: [
                        .persistence, .multipleProcesses, .readOnlyOpening, .durabilityLevels,
                    ]), coordinators: coordinators)
            } release: {
                try OpenEngine.release(identity)
            }
        } catch {
            try OpenEngine.release(identity)
            throw error
        }
    }
}

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

/// A store that this process has open. Each stack has a ``KeyValueStore`` of its own over the engine, as each may declare
/// the attributes in another order.
private final class OpenEngine: Sendable {
    static let registry = OpenStoreRegistry<OpenEngine>()

    let live: LiveGeneration<LMDBEngine>
    let options: LMDBEngine.Options
    let coordinators = SharedCoordinators()

    /// - Throws: `corrupt` if the data file is not there: the engine would take an empty one for new.
    init(_ folder: StoreFolder, _ options: LMDBEngine.Options) throws {
        self.options = options
        live = try LiveGeneration(folder) { path in
            let data = path + "/data.mdb"
            let status = try FileSystem.status(data)
            guard let status, status.kind == .file, status.size > 0 else {
                throw GranaryError(
                    .corrupt, "\(data), the data of the store, is missing or empty. Restore it from a copy.")
            }
            return try LMDBEngine(folder: path, options: options)
        }
    }

    static func release(_ identity: StoreFolder.Identity) throws {
        var failure: (any Error)?
        registry.release(identity) { open in
            do { try open.live.close() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
