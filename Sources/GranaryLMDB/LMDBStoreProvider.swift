public import GranaryStoreKit
import GranaryKeyValue
import GranaryPlatform

/// Opens stores over LMDB: `.lmdb(at: url)`.
public struct LMDBStoreProvider: StoreProvider {
    let placement: StorePlacement
    public private(set) var access: StoreAccess
    var options: LMDBEngine.Options

    init(_ placement: StorePlacement, _ options: LMDBOptions) {
        self.placement = placement.with(
            creatingFolders: options.creatingFolders, isExcludedFromBackup: options.isExcludedFromBackup,
            permissions: options.permissions)
        access = options.access
        self.options = options.engine
    }

    public var place: String? { try? placement.path() }

    public var readingOnly: any StoreProvider {
        var reading = self
        reading.access = .readOnly
        reading.options.readOnly = true
        return reading
    }

    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try open(schema, migration, nil)
    }

    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try open(schema, migration, contents)
    }

    public func openStored() throws -> any Store { try open(nil, .refuse, nil) }

    public func exists() throws -> Bool? { try placement.exists { try stores.exists(atPath: $0) } }

    public func destroy() throws { try stores.destroy(atPath: try placement.path()) }
    public func moveAside() throws -> String { try stores.moveAside(atPath: try placement.path(), access: access) }

    private func open(_ schema: Schema?, _ migration: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        try placement.opening(mayCreate: schema != nil, access: access) { path in
            try open(path, schema, migration, contents)
        }
    }

    private func open(
        _ path: String, _ schema: Schema?, _ migration: MigrationPolicy, _ contents: StoreContents?
    ) throws -> any Store {
        try stores.open(
            schema, migration: migration, atPath: path, access: access, busyTimeout: options.busyTimeout,
            permissions: placement.permissions, contents: contents,
            features: [.persistence, .multipleProcesses, .readOnlyOpening, .durabilityLevels, .storedSchema]
        ) { engine in
            guard engine.options == options else { throw GranaryError.openWithOtherOptions(path) }
        } engine: { [options] folder, isNew in
            if !isNew {
                // LMDB would treat an empty file as a new one.
                let data = folder + "/data.mdb"
                let status = try FileSystem.status(data)
                guard let status, status.kind == .file, status.size > 0 else {
                    throw GranaryError.damagedFile(data)
                }
                do {
                    try LMDBFileCheck.checkMeta(path: data)
                } catch let error as GranaryError where error.code == .notAStore {
                    throw GranaryError.damagedFile(data)
                } catch {
                    // The engine checks again, more exactly: others may be writing.
                }
            }
            var options = options
            // The folder of a new store is synced as a whole when it is ready.
            options.isBuilding = isNew
            // Data copied into new files may need more space than a small map has, and the map grows only between
            // transactions.
            if isNew {
                let room = min(LMDBEngine.Options().mapSize, options.maximumMapSize)
                options.mapSize = max(options.mapSize, room)
            }
            return try LMDBEngine(folder: folder, options: options)
        }
    }
}

private let stores = FolderStores<LMDBEngine>(kind: "lmdb")

extension StoreProvider where Self == LMDBStoreProvider {
    /// A store in LMDB, in the folder at a file URL, created if it does not exist.
    public static func lmdb(at url: URL, options: LMDBOptions = LMDBOptions()) -> Self {
        LMDBStoreProvider(StorePlacement(url: url), options)
    }

    /// A store in LMDB, in the folder at a path; see `lmdb(at:)`.
    public static func lmdb(atPath path: String, options: LMDBOptions = LMDBOptions()) -> Self {
        LMDBStoreProvider(StorePlacement(path: path), options)
    }

    /// A store in LMDB in the place where the platform keeps an application's data, created if it does not exist: in
    /// `~/.local/share/APPLICATION/NAME.granary`, under `$XDG_DATA_HOME` if that is set, or on Apple's systems in
    /// `Application Support`. `APPLICATION` is the parameter `application`: by default the identifier of the bundle, or
    /// the name of the program. The other parameters are those of `lmdb(at:)`.
    public static func lmdb(
        named name: String, application: String? = nil, options: LMDBOptions = LMDBOptions()
    ) -> Self {
        LMDBStoreProvider(StorePlacement(named: name, application: application), options)
    }
}
