import GranaryPlatform
public import GranaryStoreKit

/// A complete ``/Granary/Store`` over any engine with ordered keys: rows, indexes, uniqueness, references, queries.
///
/// ```swift
/// let store = try KeyValueStore(engine: MyEngine(), schema: schema)
/// ```
///
/// Each entity has a keyspace with keys and rows, and each index has one with encoded values and keys. Keyspace 0 holds
/// the store's data about itself. The engine needs to know nothing about this.
///
/// Guarantees: those of ``/Granary/Store``; every row has a checksum, which is checked whenever a record is made from
/// the row. Cost: a find is one `get`; an insert is one `reserve`, and one more for each index.
public final class KeyValueStore: Store {
    public let kind: String
    public let schema: Schema
    public let capabilities: Capabilities
    public let location: String?
    public let coordinator: StoreCoordinator
    let engine: any OrderedKeyValueEngine
    let base: StoreBase
    private let shelves = Shards { SessionShelf() }

    var tables: ContiguousArray<Table> { base.tables }
    var schemaNumber: UInt64 { base.schemaNumber }

    /// Opens the store that an engine holds; makes a new one if the engine is empty.
    ///
    /// - Parameters:
    ///   - engine: The open engine. The store closes it.
    ///   - schema: The schema of the caller.
    ///   - migration: The policy if the engine holds a store of another schema. No other store over the engine may be
    ///     open.
    ///   - location: The path of the engine's files, for people.
    ///   - capabilities: The capabilities of the engine; `rowChecksums` and `changeRecording` are added.
    /// - Throws: `schemaMismatch`, `newerFormat`, `notAStore`, `corrupt`, `invalidSchema`, and what the engine throws.
    public convenience init(
        engine: any OrderedKeyValueEngine, schema: Schema, migration: MigrationPolicy = .automatic,
        location: String? = nil, capabilities: Capabilities = Capabilities(features: [])
    ) throws {
        try schema.validate()
        try KeyValueStore.migrate(engine, to: schema, migration)
        try self.init(
            engine: engine, schema: schema, location: location, capabilities: capabilities,
            coordinators: SharedCoordinators())
    }

    /// Opens one of several stores over an engine, which share their information about commits.
    package init(
        engine: any OrderedKeyValueEngine, schema: Schema, location: String? = nil,
        capabilities: Capabilities = Capabilities(features: []), coordinators: SharedCoordinators
    ) throws {
        try schema.validate()
        guard engine.limits.keySize >= KeyFormat.bufferSize else {
            throw GranaryError(
                .limit, "The engine \(engine.kind) takes keys of \(engine.limits.keySize) bytes; 480 are needed.")
        }
        let (adopted, catalog, number) = try KeyValueStore.load(engine, schema)
        var tables: ContiguousArray<Table> = []
        for rules in EntityRules.all(of: adopted) {
            guard let kept = catalog.tables.first(where: { $0.entity == rules.entity.id }) else {
                throw Meta.damaged("the place of \(rules.entity.name)")
            }
            tables.append(try Table(rules, of: adopted, catalog: kept))
        }
        self.engine = engine
        self.schema = adopted
        coordinator = coordinators.coordinator(for: adopted)
        self.location = location
        kind = engine.kind
        var capabilities = capabilities
        capabilities.features.formUnion([
            .rowChecksums, .indexedQueries, .migration, .history, .changeRecording, .filling, .groupCommit,
        ])
        capabilities.limits.valueSize = min(capabilities.limits.valueSize, engine.limits.valueSize)
        self.capabilities = capabilities
        base = StoreBase(kind, schema, capabilities, coordinator, tables, schemaNumber: number)
    }

    public func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        let shelf = shelves.own
        if let session = shelf.take(), try session.renew(cancellation) { return KeyValueStoreReader(session, shelf) }
        return KeyValueStoreReader(try KeyValueSession(base, engine.beginRead(), cancellation), shelf)
    }

    public func beginWrite() throws -> any StoreWriter { try writer(engine.beginWrite()) }

    public func beginWrite(_ durability: Durability) throws -> any StoreWriter {
        try writer(engine.beginWrite(durability))
    }

    private func writer(_ engine: any KeyValueWriter) throws -> any StoreWriter {
        KeyValueStoreWriter(try KeyValueSession(base, engine, nil), engine)
    }

    /// Replaces the contents in place, in one transaction. ``/Granary/FolderStores`` replaces an engine with files.
    public func replaceContents(with contents: StoreContents) throws {
        guard contents.schema.map({ $0.fingerprint == schema.fingerprint }) ?? true else {
            throw GranaryError.cannotBeFilled
        }
        let filling = try StoreFillingInPlace(self, seed: contents.schema?.seed, contents.didGoLive)
        defer { filling.end() }
        try contents.fill(filling, replacing: filling.old)
    }

    public func rebuildIndexes() throws {
        let writer = try engine.beginWrite()
        defer { writer.end() }
        guard try Meta.readState(writer).schemaNumber == schemaNumber else { throw GranaryError.schemaReplaced }
        var counter = try RecordCounter {
            try tables.reduce(0) { try $0 + $1.indexes.count * writer.count(in: $1.keyspace) }
        }
        for table in tables {
            for index in table.indexes {
                try writer.deleteAll(in: index.keyspace)
                let filling = IndexFilling(table, index, writer)
                filling.counter = counter
                try filling.run()
                counter = filling.counter ?? counter
            }
        }
        if let last = tables.last { try counter.tell(last.entity) }
        try writer.commit()
    }

    public func foreignReads() -> [ForeignRead] { engine.foreignReads() }

    public func synchronize() throws { try engine.synchronize() }

    public func close() throws {
        try engine.close()
    }
}
