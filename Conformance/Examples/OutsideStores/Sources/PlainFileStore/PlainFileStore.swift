public import GranaryStoreKit

/// A store over plain files, which it keeps in memory.
final class PlainFileStore: Store {
    let kind = "plain"
    let schema: Schema
    let capabilities = Capabilities(features: [.persistence, .readOnlyOpening, .changeRecording])
    let coordinator: StoreCoordinator
    private let engine: PlainFileEngine

    init(_ engine: PlainFileEngine, _ coordinators: SharedCoordinators) {
        self.engine = engine
        schema = engine.schema
        coordinator = coordinators.coordinator(for: engine.schema)
    }

    var location: String? { engine.location }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        PlainFileReader(try engine.current(), engine.rules, cancellation)
    }

    func beginWrite() throws -> any StoreWriter {
        try engine.pauseWriting()
        do {
            return PlainFileWriter(engine, try engine.current(), engine.rules, coordinator)
        } catch {
            engine.resumeWriting()
            throw error
        }
    }

    func verify() throws -> [String] { try engine.verify() }
    /// Closed by ``FolderStores`` with the last stack that has the folder open.
    func close() throws {}
}

/// Opens stores over plain files: `.plainFiles(atPath: path)`.
public struct PlainFileStoreProvider: StoreProvider {
    let path: String
    let access: StoreAccess

    /// Changes of the schema are refused, whatever the policy.
    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try stores.open(atPath: path, access: access, busyTimeout: 10) { folder in
            try PlainFileEngine.create(in: folder, schema)
        } engine: { [access] folder in
            try PlainFileEngine(folder, schema, access)
        } check: { engine in
            guard try schema.opening(engine.schema) == engine.schema, engine.access == access else {
                throw GranaryError(
                    .alreadyOpen,
                    "\(path) is open in this process with another access, or a schema in another order. Use the same.")
            }
        } store: { engine, coordinators in
            PlainFileStore(engine, coordinators)
        }
    }

    public func exists() throws -> Bool? { try stores.exists(atPath: path) }
    public func destroy() throws { try stores.destroy(atPath: path) }
}

private let stores = FolderStores<PlainFileEngine>(kind: "plain")

extension StoreProvider where Self == PlainFileStoreProvider {
    /// A store over plain files, in a folder at this path, made if it is not there; its parent must be.
    public static func plainFiles(atPath path: String, access: StoreAccess = .readWrite) -> Self {
        PlainFileStoreProvider(path: path, access: access)
    }
}
