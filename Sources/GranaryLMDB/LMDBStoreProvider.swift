public import GranaryCore
internal import GranaryKeyValue

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Opens stores over LMDB: `.lmdb(at: url)`.
public struct LMDBStoreProvider: StoreProvider {
    let path: String
    let access: StoreAccess
    var options: LMDBEngine.Options

    public func open(_ schema: Schema) throws -> any Store {
        let folder = try StoreFolder.open(path: path, kind: "lmdb", access: access, busyTimeout: options.busyTimeout) {
            // Nobody else can see it yet; the folder is synced when this returns.
            let engine = try LMDBEngine(folder: $0, options: LMDBEngine.Options(mapSize: options.mapSize))
            defer { try? engine.close() }
            _ = try KeyValueStore(engine: engine, schema: schema)
        }
        let identity = folder.identity
        let open: OpenEngine
        do {
            open = try OpenEngine.registry.acquire(identity) { try OpenEngine(folder, options) }
        } catch {
            folder.close()
            throw error
        }
        do {
            if open.folder !== folder { folder.close() }
            guard open.options == options else {
                throw GranaryError(
                    .alreadyOpen,
                    "\(path) is open in this process with other options. Open it with the same ones, or share the stack."
                )
            }
            let store = try KeyValueStore(
                engine: open.engine, schema: schema, location: open.engine.folder + "/data.mdb",
                capabilities: Capabilities(features: [
                    .persistence, .multipleProcesses, .readOnlyOpening, .durabilityLevels,
                ]), coordinators: open.coordinators)
            return SharedStore(store) { try OpenEngine.release(identity) }
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

/// An environment that this process has open, with its store's folder. Each stack has a store of its own over the engine,
/// as each may declare the attributes in another order.
private final class OpenEngine: Sendable {
    static let registry = OpenStoreRegistry<OpenEngine>()

    let folder: StoreFolder
    let options: LMDBEngine.Options
    let engine: LMDBEngine
    let coordinators = SharedCoordinators()

    /// - Throws: `corrupt` if the data file is not there: the engine would take an empty one for new.
    init(_ folder: StoreFolder, _ options: LMDBEngine.Options) throws {
        self.folder = folder
        self.options = options
        let data = folder.generationPath + "/data.mdb"
        let status = try FileSystem.status(data)
        guard let status, status.kind == .file, status.size > 0 else {
            throw GranaryError(.corrupt, "\(data), the data of the store, is missing or empty. Restore it from a copy.")
        }
        engine = try LMDBEngine(folder: folder.generationPath, options: options)
    }

    static func release(_ identity: StoreFolder.Identity) throws {
        var failure: (any Error)?
        registry.release(identity) { open in
            do {
                try open.engine.close()
            } catch {
                failure = error
            }
            open.folder.close()
        }
        if let failure { throw failure }
    }
}
