import ConformanceKit
import GranaryCore
import GranaryPlatform

/// A good store with one fault.
struct BrokenProvider: StoreProvider {
    let base: any StoreProvider
    let fault: Fault

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        BrokenStore(try base.open(weakened(schema), migration: migration), schema: schema, fault: fault)
    }

    func openStored() throws -> any Store {
        let store = try base.openStored()
        return BrokenStore(store, schema: store.schema, fault: fault)
    }

    /// The schema without the rules that the fault ignores.
    private func weakened(_ schema: Schema) -> Schema {
        var entities = schema.entities
        for entity in entities.indices {
            switch fault {
            case .uniquenessIsNotChecked:
                for index in entities[entity].indexes.indices { entities[entity].indexes[index].isUnique = false }
                var seen: Set<Index> = []
                entities[entity].indexes = entities[entity].indexes.filter { seen.insert($0).inserted }
            case .referencesAreNotChecked:
                for attribute in entities[entity].attributes.indices {
                    entities[entity].attributes[attribute].reference?.onDelete = .noAction
                }
            case .cascadesNothing:
                for attribute in entities[entity].attributes.indices
                where entities[entity].attributes[attribute].isOptional {
                    if entities[entity].attributes[attribute].reference?.onDelete == .cascade {
                        entities[entity].attributes[attribute].reference?.onDelete = .nullify
                    }
                }
            default: break
            }
        }
        return Schema(entities: entities)
    }
}

final class BrokenStore: Store {
    let base: any Store
    let schema: Schema
    let fault: Fault
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var old: (any StoreReader)?
    nonisolated(unsafe) private var open: BrokenWriter?

    init(_ base: any Store, schema: Schema, fault: Fault) {
        self.base = base
        self.schema = schema
        self.fault = fault
    }

    var kind: String { base.kind }
    var location: String? { base.location }
    let coordinator = StoreCoordinator()
    var capabilities: Capabilities {
        var capabilities = base.capabilities
        if fault == .claimsRowChecksums { capabilities.features.formSymmetricDifference([.rowChecksums]) }
        if fault == .claimsPersistence { capabilities.features.insert(.persistence) }
        return capabilities
    }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        let cancellation = fault == .ignoresCancellation ? CancellationFlag() : cancellation
        let waiting = lock.withLock {
            defer { old = nil }
            return old
        }
        if let waiting { return BrokenReader(waiting, self) }
        return BrokenReader(try base.beginRead(cancellation), self)
    }

    func beginWrite() throws -> any StoreWriter {
        let writer = BrokenWriter(try base.beginWrite(), self)
        lock.withLock { open = writer }
        return writer
    }

    /// The transaction under way, for readers that look into it.
    func withOpenWriter<T>(_ body: (BrokenWriter?) throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(open)
    }

    func willEnd() { lock.withLock { open = nil } }

    /// Keeps a snapshot of the state before a commit for the next reader.
    func keepOld() throws {
        guard fault == .readersLagBehind else { return }
        let reader = try base.beginRead(CancellationFlag())
        let before = lock.withLock {
            defer { old = reader }
            return old
        }
        before?.end()
    }

    func verify() throws -> [String] { try base.verify() }
    func close() throws {
        lock.withLock { old }?.end()
        try base.close()
    }
}
