import GranaryPlatform

/// A store that answers searches from indexes of words, for any engine that can keep their blocks: it stands between
/// the engine's store and its users.
///
/// An index is used only while the store has the block that describes it. So a store that was made, filled or migrated
/// in another way has no index until it is opened for writing, and answers searches from its rows, with the same
/// results. If blocks turn out to be damaged, searches are answered from the rows, too.
final class SearchedStore: Store {
    let inner: any Store
    /// By position; nil for entities without an index.
    let entities: [SearchedEntity?]

    private init(_ inner: any Store) {
        self.inner = inner
        entities = inner.schema.entities.enumerated().map { SearchedEntity($1, at: $0) }
    }

    /// A store with indexes for its searchable attributes, which are made if they are missing and the store can be
    /// written to. A store without such attributes stays as it is, and so does one that cannot keep indexes.
    static func over(_ store: any Store) throws -> any Store {
        let whole = SearchedStore(store)
        guard whole.entities.contains(where: { $0 != nil }), store.capabilities.has(.changeRecording) else {
            return store
        }
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        guard let keeper = reader as? any WordKeeping else { return store }
        if try !whole.missing(in: keeper).isEmpty { try whole.makeMissing() }
        return whole
    }

    var kind: String { inner.kind }
    var schema: Schema { inner.schema }
    var capabilities: Capabilities { inner.capabilities }
    var location: String? { inner.location }
    var coordinator: StoreCoordinator { inner.coordinator }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        SearchedReader(try inner.beginRead(cancellation), self)
    }

    func beginWrite() throws -> any StoreWriter { SearchedWriter(try inner.beginWrite(), self) }

    func compact() throws { try inner.compact() }
    func removeDroppedIndexes() throws { try inner.removeDroppedIndexes() }
    func backUp(to path: String) throws { try inner.backUp(to: path) }
    func foreignReads() -> [ForeignRead] { inner.foreignReads() }
    func foreignBlockage() -> Duration? { inner.foreignBlockage() }
    func synchronize() throws { try inner.synchronize() }
    func close() throws { try inner.close() }

    func replaceContents(with contents: StoreContents) throws {
        try inner.replaceContents(with: contents)
        try makeMissing()
    }

    // MARK: Making indexes

    /// The entities whose index a state lacks.
    private func missing(in reader: any WordKeeping) throws -> [SearchedEntity] {
        let blocks = try reader.wordBlocks()
        return try entities.compactMap { entity in
            guard let entity else { return nil }
            return try blocks.map { try entity.isKept(in: $0) } ?? false ? nil : entity
        }
    }

    /// Makes the missing indexes from the rows, unless the store is only read.
    private func makeMissing() throws {
        for attempt in 1...4 {
            do {
                return try makeIndexes { try self.missing(in: $0) }
            } catch let error as GranaryError where error.code == .full && attempt < 4 {
                // An engine may give the next transaction more room.
            } catch let error as GranaryError where [.readOnly, .busy, .full].contains(error.code) {
                // Searches are answered from the rows until the store is opened again.
                return
            }
        }
    }

    private func makeIndexes(_ chosen: (any WordKeeping) throws -> [SearchedEntity]) throws {
        let writer = try inner.beginWrite()
        defer { writer.end() }
        guard let keeper = writer as? any WordWriting else { return }
        let entities = try chosen(keeper)
        if entities.isEmpty { return }
        let blocks = try keeper.writableWordBlocks()
        // The newest state: this transaction has the turn to write, and has written nothing.
        let reader = try inner.beginRead(LongWork.current?.cancellation ?? CancellationFlag())
        defer { reader.end() }
        for entity in entities { try make(entity, from: reader, in: blocks) }
        _ = try writer.commit()
    }

    private func make(_ entity: SearchedEntity, from reader: any StoreReader, in blocks: any WritableWordBlocks) throws
    {
        let index = try WordIndexWriter(emptying: blocks, index: entity.index, entity.options)
        do {
            try entity.forEachDocument(in: reader) { try index.add($0, $1) }
            try index.flush()
            try blocks.put(entity.descriptionKey, entity.description)
        } catch is WordIndexError {
            // A key that is too long: the entity has no index.
            try index.removeAll()
        }
    }

    func rebuildIndexes() throws {
        try inner.rebuildIndexes()
        try makeIndexes { _ in self.entities.compactMap(\.self) }
    }

    // MARK: Checking

    func verify() throws -> [String] {
        var faults = try inner.verify()
        let reader = try inner.beginRead(LongWork.current?.cancellation ?? CancellationFlag())
        defer { reader.end() }
        guard faults.isEmpty, let blocks = try (reader as? any WordKeeping)?.wordBlocks() else { return faults }
        for entity in entities {
            guard let entity, try entity.isKept(in: blocks) else { continue }
            faults += try faultsOfIndex(entity, blocks, reader)
        }
        return faults
    }

    private func faultsOfIndex(
        _ entity: SearchedEntity, _ blocks: any WordBlocks, _ reader: any StoreReader
    ) throws -> [String] {
        var found: [String]
        do {
            found = try WordIndexVerifier.verify(
                ExceptDescriptions(blocks), index: entity.index, keys: entity.options.keys
            ) { body in try entity.forEachDocument(in: reader, body) }
        } catch let error as WordIndexError {
            found = ["\(error)"]
        }
        return found.map { "\(entity.entity.path): the index of words: \($0). Rebuild the indexes." }
    }
}

extension SearchedStore: StructureVerifying {
    func verifyStructure() throws -> [String] {
        try (inner as? any StructureVerifying)?.verifyStructure() ?? []
    }
}

/// Blocks without those that describe indexes.
private final class ExceptDescriptions: WordBlocks {
    private let blocks: any WordBlocks

    init(_ blocks: any WordBlocks) { self.blocks = blocks }

    func read(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        try blocks.read(key, body)
    }
    func readLast(atOrBefore key: [UInt8], _ body: (WordBlock) throws -> Void) throws -> Bool {
        try blocks.readLast(atOrBefore: key, body)
    }
    func readEach(from key: [UInt8], _ body: (WordBlock) throws -> Bool) throws {
        try blocks.readEach(from: key) { block in
            if block.key.count == 5, block.key[4] == 255 { return true }
            return try body(block)
        }
    }
}
