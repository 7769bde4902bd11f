import GranaryKeyValue
import GranaryPlatform
public import GranaryStoreKit

/// Opens stores in memory: `.inMemory`, `.inMemory(named:)`.
public struct MemoryStoreProvider: StoreProvider {
    let name: String?

    /// Nothing is there to be migrated: a store in memory is never older than the stacks that have it open.
    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store { try open(schema, nil) }

    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try open(schema, contents)
    }

    public func exists() throws -> Bool? { name.map(NamedEngines.shared.isOpen) ?? false }

    /// A store in memory goes with the last stack that has it open.
    public func destroy() throws {
        guard let name, NamedEngines.shared.isOpen(name) else {
            throw GranaryError(
                .notAStore, "There is no such store in memory. It goes with the last stack that has it open.")
        }
        throw GranaryError(
            .busy, "The store in memory \"\(name)\" is open. It goes with the last stack that has it open.")
    }

    private func open(_ schema: Schema, _ contents: StoreContents?) throws -> any Store {
        guard let name else {
            let store = try KeyValueStore(engine: MemoryEngine(), schema: schema)
            try contents?.fill(store)
            return store
        }
        return try NamedEngines.shared.open(name, schema, contents)
    }

    /// Opens the store that this process has open by this name.
    public func openStored() throws -> any Store {
        guard let name else {
            throw GranaryError(.notAStore, "A store in memory that has no name is always a new one. Pass a schema.")
        }
        return try NamedEngines.shared.open(name, nil, nil)
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
    private let isReady = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var engines: [[UInt8]: Open] = [:]

    private struct Open {
        let engine = MemoryEngine()
        let coordinators = SharedCoordinators()
        var count = 0
        /// Whether the one who made it still fills it.
        var isBeingFilled = false
    }

    func isOpen(_ name: String) -> Bool { lock.withLock { engines[Array(name.utf8)] != nil } }

    /// - Parameter schema: Nil for the one that is stored.
    func open(_ name: String, _ schema: Schema?, _ contents: StoreContents?) throws -> any Store {
        let key = Array(name.utf8)
        let open = try enter(key, name, canCreate: schema != nil, isFilled: contents != nil)
        defer {
            if open.isBeingFilled {
                lock.withLock {
                    engines[key]?.isBeingFilled = false
                    isReady.broadcast()
                }
            }
        }
        do {
            if open.isBeingFilled, let contents, let schema {
                try contents.fill(try KeyValueStore(engine: open.engine, schema: schema))
            }
            let store = try KeyValueStore(
                engine: open.engine, schema: try schema ?? KeyValueStore.storedSchema(open.engine),
                capabilities: Capabilities(features: [.storedSchema]), coordinators: open.coordinators)
            return SharedStore(store) { [self] in try release(key) }
        } catch {
            try release(key)
            throw error
        }
    }

    /// Counts a store in. Waits for the one who made the engine to have filled it.
    private func enter(_ key: [UInt8], _ name: String, canCreate: Bool, isFilled: Bool) throws -> Open {
        lock.lock()
        defer { lock.unlock() }
        while engines[key]?.isBeingFilled ?? false { isReady.wait(lock) }
        guard canCreate || engines[key] != nil else {
            throw GranaryError(
                .notAStore, "This process has no store in memory that is named \"\(name)\". Pass a schema to make one.")
        }
        var open = engines[key] ?? Open()
        open.count += 1
        open.isBeingFilled = isFilled && open.count == 1
        engines[key] = open
        return open
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
