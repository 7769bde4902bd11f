import GranaryKeyValue
import GranaryPlatform
import GranaryStoreKit

/// Shared by the stacks of this process that open a store in memory by the same name. Each has a ``KeyValueStore`` of
/// its own over the engine, because each may declare the attributes in another order.
///
/// Providers and open stores hold this object, and the list of names does not. It is released with the last of them,
/// together with its records.
final class NamedStore: Sendable {
    private let name: String
    private let lock = Lock()
    private let isFree = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var state = State()

    private struct State {
        /// Nil while the store does not exist: it was not opened yet, or it was destroyed.
        var engine: MemoryEngine?
        var coordinators = SharedCoordinators()
        /// The number of open stores over the engine.
        var count = 0
        /// Whether a thread is making or migrating the store. Other threads wait.
        var isTaken = false
    }

    fileprivate init(_ name: String) { self.name = name }

    deinit {
        names.forget(name)
        // A closed stack keeps its store, and so the engine. No transaction is open.
        try? state.engine?.close()
    }

    /// The object with the name; made if it does not exist.
    static func named(_ name: String) -> NamedStore { names.find(name) }

    /// The engine of the store; nil if the store does not exist.
    var liveEngine: MemoryEngine? { lock.withLock { state.engine } }

    /// Whether the store exists. A store that is being made does not exist yet.
    var exists: Bool { lock.withLock { state.engine != nil } }

    /// - Parameters:
    ///   - schema: Nil for the stored schema.
    ///   - contents: The contents of a new store.
    func open(_ schema: Schema?, _ policy: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        let before = try take()
        do {
            let engine = try engine(before, schema, policy, contents)
            // Coordinators know the schemas of the open stores.
            let coordinators = before.count > 0 ? before.coordinators : SharedCoordinators()
            let store = try KeyValueStore(
                engine: engine, schema: schema ?? KeyValueStore.storedSchema(engine),
                capabilities: Capabilities(features: [.storedSchema, .reopening]), coordinators: coordinators)
            give { state in
                (state.engine, state.coordinators) = (engine, coordinators)
                state.count += 1
            }
            // Its records are in the new engine. No stack has it open, otherwise it would not have been migrated.
            if let old = before.engine, old !== engine { try? old.close() }
            return SharedStore(try store.answeringSearches()) { [self] in lock.withLock { state.count -= 1 } }
        } catch {
            give { _ in }
            throw error
        }
    }

    func destroy() throws {
        let engine = try lock.withLock {
            guard let engine = state.engine else {
                throw GranaryError(.notAStore, "This process has no store in memory that is named \"\(name)\".")
            }
            guard state.count == 0, !state.isTaken else {
                throw GranaryError(
                    .busy, "The store in memory \"\(name)\" is open. Close every stack on it before it is destroyed.")
            }
            state.engine = nil
            return engine
        }
        try engine.close()
    }

    /// The engine with the schema: the existing one, one with converted records, or a new one.
    private func engine(
        _ before: State, _ schema: Schema?, _ policy: MigrationPolicy, _ contents: StoreContents?
    ) throws -> MemoryEngine {
        if let engine = before.engine {
            // A store that another stack has open is not migrated.
            guard let schema, before.count == 0 else { return engine }
            return try NamedStore.migrate(engine, to: schema, policy)
        }
        guard let schema else {
            throw GranaryError(
                .notAStore, "This process has no store in memory that is named \"\(name)\". Pass a schema to make one."
            )
        }
        let engine = MemoryEngine()
        let store = try KeyValueStore(engine: engine, schema: (contents?.schema ?? schema).forNewStore)
        try contents?.fill(store)
        return engine
    }

    /// Changes the schema as far as a policy allows. Records that must be converted are written to a new engine: the
    /// old one stays as it is until the new one is complete.
    private static func migrate(
        _ first: MemoryEngine, to schema: Schema, _ policy: MigrationPolicy
    ) throws -> MemoryEngine {
        var engine = first
        while true {
            try KeyValueStore.migrate(engine, to: schema, policy, stopsAtRewriting: true)
            let stored = try KeyValueStore.storedSchema(engine)
            guard let migration = try SchemaMigration(from: stored, to: schema, policy), !migration.isInstant else {
                return engine
            }
            let old = try KeyValueStore(engine: engine, schema: stored, coordinators: SharedCoordinators())
            try migration.requireSteps(for: old)
            let new = MemoryEngine()
            try migration.fill(try KeyValueStore(engine: new, schema: migration.target), from: old) { schema, use in
                let draft = MemoryEngine()
                defer { try? draft.close() }
                try use(try KeyValueStore(engine: draft, schema: schema))
            }
            LongWork.current?.note(migration)
            // The first engine is the live one until the whole migration is done.
            if engine !== first { try? engine.close() }
            engine = new
        }
    }

    /// How many seconds an opening waits for another one that makes or migrates the store: the same as the default of
    /// stores on disk.
    private static let timeout: Double = 10

    private func take() throws -> State {
        let deadline = Deadline(seconds: NamedStore.timeout)
        return try lock.withLock {
            while state.isTaken {
                guard !deadline.isOver else {
                    throw GranaryError(
                        .busy,
                        "Another thread has been making or migrating the store in memory \"\(name)\" for \(deadline.waitedText). Open the store again when that is done."
                    )
                }
                _ = isFree.wait(lock, seconds: deadline.remaining)
            }
            state.isTaken = true
            return state
        }
    }

    private func give(_ change: (inout State) -> Void) {
        lock.withLock {
            change(&state)
            state.isTaken = false
            isFree.broadcast()
        }
    }
}

private let names = StoreNamesInMemory()

/// The named stores of this process, by the bytes of their names.
private final class StoreNamesInMemory: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var stores: [[UInt8]: Known] = [:]

    private struct Known {
        weak var store: NamedStore?
    }

    func find(_ name: String) -> NamedStore {
        let key = Array(name.utf8)
        return lock.withLock {
            if let store = stores[key]?.store { return store }
            let store = NamedStore(name)
            stores[key] = Known(store: store)
            return store
        }
    }

    /// Removes a name whose store is gone, unless the name has another store by now.
    func forget(_ name: String) {
        let key = Array(name.utf8)
        let other = lock.withLock {
            let store = stores[key]?.store
            if store == nil { stores[key] = nil }
            return store
        }
        // Released only here: if this is the last reference, `deinit` takes the lock.
        withExtendedLifetime(other) {}
    }
}
