public import GranaryStoreKit
import GranaryKeyValue

/// Opens stores in a log: `.log(atPath: path)`.
public struct LogStoreProvider: StoreProvider {
    let path: String
    public let access: StoreAccess
    public var place: String? { path }

    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try open(schema, migration, nil)
    }

    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try open(schema, migration, contents)
    }

    public func openStored() throws -> any Store { try open(nil, .refuse, nil) }
    public func exists() throws -> Bool? { try stores.exists(atPath: path) }
    public func destroy() throws { try stores.destroy(atPath: path) }
    public var readingOnly: any StoreProvider { LogStoreProvider(path: path, access: .readOnly) }
    public func moveAside() throws -> String { try stores.moveAside(atPath: path, access: access) }

    private func open(_ schema: Schema?, _ migration: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        try stores.open(
            schema, migration: migration, atPath: path, access: access, busyTimeout: busyTimeout, contents: contents,
            features: [.persistence, .readOnlyOpening, .storedSchema]
        ) { engine in
            guard engine.access == access else { throw GranaryError.openWithOtherOptions(path) }
        } engine: { [access] folder, isNew in
            try LogEngine(folder: folder, access: access, isNew: isNew, busyTimeout: busyTimeout)
        }
    }
}

private let stores = FolderStores<LogEngine>(kind: "log")
/// How long to wait for other processes that have the store open.
private let busyTimeout = Duration.seconds(10)

extension StoreProvider where Self == LogStoreProvider {
    /// A store in a log, in a folder at this path, made if it is not there; its parent must be.
    public static func log(atPath path: String, access: StoreAccess = .readWrite) -> Self {
        LogStoreProvider(path: path, access: access)
    }
}
