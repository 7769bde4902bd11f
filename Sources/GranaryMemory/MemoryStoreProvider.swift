import GranaryKeyValue
import GranaryPlatform
public import GranaryStoreKit

/// Opens stores in memory: `.inMemory`, `.inMemory(named:)`.
public struct MemoryStoreProvider: StoreProvider {
    let name: String?

    /// Nothing is there to be migrated: a store in memory is never older than the stacks that have it open.
    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        guard let name else { return try KeyValueStore(engine: MemoryEngine(), schema: schema) }
        return try NamedEngines.shared.open(name, schema)
    }

    /// Opens the store that this process has open by this name.
    public func openStored() throws -> any Store {
        guard let name else {
            throw GranaryError(.notAStore, "A store in memory that has no name is always a new one. Pass a schema.")
        }
        return try NamedEngines.shared.open(name, nil)
    }
}

extension StoreProvider where Self == MemoryStoreProvider {
    /// A store in memory of the stack's own, gone when the stack is closed. Each test can have one.
    public static var inMemory: Self { MemoryStoreProvider(name: nil) }

    /// A store in memory that every stack of this process shares that opens it by the same name, gone when the last of
    /// them is closed.
    public static func inMemory(named name: String) -> Self { MemoryStoreProvider(name: name) }
}

/// The shared engines of this process, by the bytes of their names. Each stack has a store of its own over the engine, as
/// each may declare the attributes in another order.
private final class NamedEngines: Sendable {
    static let shared = NamedEngines()

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var engines: [[UInt8]: Open] = [:]

    private struct Open {
        let engine = MemoryEngine()
        let coordinators = SharedCoordinators()
        var count = 0
    }

    /// - Parameter schema: Nil for the one that is stored.
    func open(_ name: String, _ schema: Schema?) throws -> any Store {
        let key = Array(name.utf8)
        let open = try lock.withLock {
            guard schema != nil || engines[key] != nil else {
                throw GranaryError(
                    .notAStore,
                    "This process has no store in memory named \"\(name)\". Pass a schema to make one.")
            }
            var open = engines[key] ?? Open()
            open.count += 1
            engines[key] = open
            return open
        }
        do {
            let store = try KeyValueStore(
                engine: open.engine, schema: try schema ?? KeyValueStore.storedSchema(open.engine),
                capabilities: Capabilities(features: [.storedSchema]), coordinators: open.coordinators)
            return SharedStore(store) { [self] in try release(key) }
        } catch {
            try release(key)
            throw error
        }
    }

    private func release(_ key: [UInt8]) throws {
        let last: MemoryEngine? = lock.withLock {
            guard var open = engines[key] else { return nil }
            open.count -= 1
            engines[key] = open.count > 0 ? open : nil
            return open.count > 0 ? nil : open.engine
        }
        try last?.close()
    }
}
