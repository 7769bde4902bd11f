import GranaryStoreKit

/// A store whose contents are replaced in one transaction of its engine, in the form for the code that fills it. The
/// transaction begins before the old contents are read, so that there is no commit in between.
final class StoreFillingInPlace: Store {
    let store: KeyValueStore
    // Not shared: the thread that makes this object fills it, and ends it.
    /// The contents of the store before.
    nonisolated(unsafe) let old: any StoreReader
    nonisolated(unsafe) private let writer: KeyValueStoreWriter
    private let isTaken = CancellationFlag()

    /// - Parameter seed: The seed of the new contents; nil if it stays the same.
    init(_ store: KeyValueStore, seed: SeedIdentity?, _ didCommit: @escaping () -> Void) throws {
        let engine = try store.engine.beginWrite()
        writer = KeyValueStoreWriter(try KeyValueSession(store.base, engine, nil), engine)
        writer.didCommit = didCommit
        self.store = store
        do {
            old = try store.beginRead(CancellationFlag())
        } catch {
            writer.end()
            throw error
        }
        do {
            if let seed, var stored = try KeyValueStore.description(engine, store.kind)?.schema {
                stored.seed = seed
                try Meta.write(stored.json(), Meta.schema, engine)
            }
        } catch {
            old.end()
            writer.end()
            throw error
        }
    }

    func end() {
        old.end()
        writer.end()
    }

    var kind: String { store.kind }
    var schema: Schema { store.schema }
    var capabilities: Capabilities { store.capabilities }
    var coordinator: StoreCoordinator { store.coordinator }
    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try store.beginRead(cancellation) }

    /// The first call returns the open transaction. Later writes are commits of their own.
    func beginWrite() throws -> any StoreWriter {
        if isTaken.isSet { return try store.beginWrite() }
        isTaken.set()
        return writer
    }

    func verify() throws -> [String] { try store.verify() }
    func close() throws {}
}
