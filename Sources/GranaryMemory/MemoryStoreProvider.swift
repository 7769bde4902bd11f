public import GranaryCore
internal import GranaryKeyValue

/// Opens stores in memory: `.inMemory`, `.inMemory(named:)`.
public struct MemoryStoreProvider: StoreProvider {
    let name: String?

    public func open(_ schema: Schema) throws -> any Store {
        guard let name else { return try MemoryStoreProvider.make(schema) }
        return try NamedStores.shared.open(name, schema)
    }

    fileprivate static func make(_ schema: Schema) throws -> KeyValueStore {
        try KeyValueStore(engine: MemoryEngine(), schema: schema)
    }
}

extension StoreProvider where Self == MemoryStoreProvider {
    /// A store in memory of the stack's own, gone when the stack is closed. Each test can have one.
    public static var inMemory: Self { MemoryStoreProvider(name: nil) }

    /// A store in memory that every stack of this process shares that opens it by the same name, gone when the last of
    /// them is closed.
    public static func inMemory(named name: String) -> Self { MemoryStoreProvider(name: name) }
}

/// The shared stores of this process, by the bytes of their names.
private final class NamedStores: Sendable {
    static let shared = NamedStores()

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var stores: [[UInt8]: (store: KeyValueStore, count: Int)] = [:]

    func open(_ name: String, _ schema: Schema) throws -> any Store {
        let key = Array(name.utf8)
        let store = try lock.withLock {
            let store = try stores[key]?.store ?? MemoryStoreProvider.make(schema)
            guard store.schema.fingerprint == schema.fingerprint else { throw schema.mismatch(with: store.schema) }
            stores[key] = (store, (stores[key]?.count ?? 0) + 1)
            return store
        }
        return SharedStore(store) { [self] in try release(key) }
    }

    private func release(_ key: [UInt8]) throws {
        let last: KeyValueStore? = lock.withLock {
            guard let (store, count) = stores[key] else { return nil }
            stores[key] = count > 1 ? (store, count - 1) : nil
            return count > 1 ? nil : store
        }
        try last?.close()
    }
}
