import GranaryPlatform
import Testing

@testable import GranaryCore
@testable import GranarySQLite
import TestSupport

/// A store whose engine cannot tell what it changes.
private struct UnrecordedProvider: StoreProvider {
    let base: any StoreProvider
    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        UnrecordedStore(try base.open(schema, migration: migration))
    }
}

private final class UnrecordedStore: Store {
    let base: any Store
    init(_ base: any Store) { self.base = base }

    var kind: String { base.kind }
    var schema: Schema { base.schema }
    var capabilities: Capabilities {
        var capabilities = base.capabilities
        capabilities.features.subtract([.changeRecording, .history])
        return capabilities
    }
    var coordinator: StoreCoordinator { base.coordinator }
    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try base.beginRead(cancellation) }
    func beginWrite() throws -> any StoreWriter { UnrecordedWriter(try base.beginWrite()) }
    func verify() throws -> [String] { try base.verify() }
    func close() throws { try base.close() }
}

private final class UnrecordedWriter: StoreWriter {
    let base: any StoreWriter
    init(_ base: any StoreWriter) { self.base = base }

    var schema: Schema { base.schema }
    var transactionNumber: UInt64 { base.transactionNumber }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try base.find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try base.rows(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try base.lastAssignedKey(of: entity) }
    func end() { base.end() }
    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? { try base.insert(row, into: entity) }
    func update(_ row: borrowing Row, in entity: Int) throws -> Bool { try base.update(row, in: entity) }
    func delete(_ key: Cell, from entity: Int) throws -> Bool { try base.delete(key, from: entity) }
    func deferReferences() throws { try base.deferReferences() }
    func checkReferences() throws { try base.checkReferences() }
    func beginSavepoint() throws { try base.beginSavepoint() }
    func releaseSavepoint() throws { try base.releaseSavepoint() }
    func rollbackSavepoint() throws { try base.rollbackSavepoint() }
    func commit() throws -> UInt64 { try base.commit() }
}

@Suite struct UnrecordedTests {
    /// The change sets that a listener is given while a singer is inserted.
    private func changeSets(_ provider: some StoreProvider) throws -> [ChangeSet] {
        let stack = try Stack(Schema(Singer.self, Track.self, Badge.self), store: provider)
        _ = try stack.blocking.write { try $0.insert(Singer(1, "Ana")) }
        let lock = Lock()
        nonisolated(unsafe) var sets: [ChangeSet] = []
        let listener = stack.store.coordinator.listen { set in lock.withLock { sets.append(set) } }
        _ = try stack.blocking.write { try $0.insert(Singer(2, "Bo")) }
        stack.store.coordinator.stopListening(listener)
        try stack.blocking.close()
        return lock.withLock { sets }
    }

    @Test func `what a commit changes is told, and is unknown where the store cannot tell`() throws {
        let folder = try TemporaryFolder()
        let base = SQLiteStoreProvider.sqlite(atPath: folder.store, options: .init(durability: .off))
        let known = try changeSets(base)
        #expect(known.map(\.transactionNumber) == [2])
        #expect(known.first?.changes?.map(\.kind) == [.inserted])
        let other = try TemporaryFolder()
        let hidden = UnrecordedProvider(
            base: SQLiteStoreProvider.sqlite(atPath: other.store, options: .init(durability: .off)))
        let unknown = try changeSets(hidden)
        #expect(unknown.map(\.transactionNumber) == [2])
        #expect(unknown.first.map { $0.changes == nil } == true)
    }

    @Test func `a history policy is refused where the store keeps no history, and the store can be opened without one`()
        throws
    {
        let folder = try TemporaryFolder()
        let schema = Schema(Singer.self, Track.self, Badge.self)
        let hidden = UnrecordedProvider(
            base: SQLiteStoreProvider.sqlite(atPath: folder.store, options: .init(durability: .off)))
        let error = #expect(throws: GranaryError.self) { try Stack(schema, store: hidden, history: .everything) }
        #expect(error?.code == .unsupported)
        let stack = try Stack(schema, store: hidden)
        _ = try stack.blocking.write { try $0.insert(Singer(1, "Ana")) }
        try stack.blocking.close()
    }
}
