public import GranaryStoreKit

/// A store over plain files, which it keeps in memory.
final class PlainFileStore: Store {
    let kind = "plain"
    let schema: Schema
    let capabilities = Capabilities(features: [
        .persistence, .readOnlyOpening, .changeRecording, .storedSchema, .filling, .migration,
    ])
    let coordinator: StoreCoordinator
    private let engine: PlainFileEngine
    private let ownsEngine: Bool

    /// - Parameter ownsEngine: Whether the engine is closed with the store; else ``FolderStores`` closes it, with the last
    ///   stack that has the folder open.
    init(
        _ engine: PlainFileEngine, _ coordinators: SharedCoordinators = SharedCoordinators(), ownsEngine: Bool = false
    ) {
        self.engine = engine
        self.ownsEngine = ownsEngine
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

    /// Reads the files again, and if they are whole checks the rows.
    func verify() throws -> [String] {
        let faults = try engine.verify()
        return try faults.isEmpty ? verifyRecords() : faults
    }

    func close() throws { if ownsEngine { try engine.close() } }
}

/// Opens stores over plain files: `.plainFiles(atPath: path)`.
public struct PlainFileStoreProvider: StoreProvider {
    let path: String
    public let access: StoreAccess
    public var place: String? { path }

    /// Every change of the schema writes the files anew.
    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try open(schema, migration, nil)
    }

    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try open(schema, migration, contents.forStore(of: schema))
    }

    public func openStored() throws -> any Store { try open(nil, .refuse, nil) }
    public func exists() throws -> Bool? { try stores.exists(atPath: path) }
    public func destroy() throws { try stores.destroy(atPath: path) }
    public var readingOnly: any StoreProvider { PlainFileStoreProvider(path: path, access: .readOnly) }
    public func moveAside() throws -> String { try stores.moveAside(atPath: path, access: access) }

    /// - Parameter schema: Nil for the one that is stored: then nothing is created.
    private func open(_ schema: Schema?, _ migration: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        try stores.open(
            atPath: path, access: access, busyTimeout: busyTimeout,
            create: schema.map { schema in { try PlainFileEngine.create(in: $0, schema) } }, contents: contents
        ) { [access] folder in
            try PlainFileEngine(folder, schema, access, busyTimeout: busyTimeout)
        } migrate: { generation in
            guard let schema else { return }
            while try generation.rewrite(
                to: schema, migration, access: access, rewritesAll: true, stored: \.schema,
                open: { engine, _ in PlainFileStore(engine) })
            {}
        } check: { engine in
            guard engine.access == access else { throw GranaryError.openWithOtherOptions(path) }
            guard try schema?.opening(engine.schema) ?? engine.schema == engine.schema else {
                throw GranaryError.openInAnotherOrder(path)
            }
        } build: { folder, schema, _ in
            try PlainFileEngine.create(in: folder, schema)
            return PlainFileStore(try PlainFileEngine(folder, schema, .readWrite), ownsEngine: true)
        } store: { engine, coordinators in
            PlainFileStore(engine, coordinators)
        }
    }
}

private let stores = FolderStores<PlainFileEngine>(kind: "plain")
/// How long to wait for other processes that have the store open.
private let busyTimeout = Duration.seconds(10)

extension StoreProvider where Self == PlainFileStoreProvider {
    /// A store over plain files, in a folder at this path, made if it is not there; its parent must be.
    public static func plainFiles(atPath path: String, access: StoreAccess = .readWrite) -> Self {
        PlainFileStoreProvider(path: path, access: access)
    }
}
