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
    ///
    /// Indexes of entities that are no longer searchable are removed: nothing would bring them up to date, and they
    /// would be wrong if the entity became searchable again.
    static func over(_ store: any Store) throws -> any Store {
        let whole = SearchedStore(store)
        guard store.capabilities.has(.changeRecording) else { return store }
        guard let found = try whole.findings() else { return store }
        if found.hasAbandoned { try whole.removeAbandoned() }
        guard whole.entities.contains(where: { $0 != nil }) else { return store }
        if found.lacksSome { try whole.makeMissing() }
        return whole
    }

    /// Whether the newest state has indexes that nothing uses, and lacks some; nil if the store cannot keep indexes. The
    /// read has ended when it returns, because an engine may not get more room while there is one.
    private func findings() throws -> (hasAbandoned: Bool, lacksSome: Bool)? {
        let reader = try inner.beginRead(CancellationFlag())
        defer { reader.end() }
        guard let keeper = reader as? any WordKeeping else { return nil }
        return (try !abandoned(in: keeper).isEmpty, try !missing(in: keeper).isEmpty)
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
    func beginWrite(_ durability: Durability) throws -> any StoreWriter {
        SearchedWriter(try inner.beginWrite(durability), self)
    }

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

    /// The first bytes of the blocks of indexes whose entities are not searchable.
    private func abandoned(in reader: any WordKeeping) throws -> [[UInt8]] {
        guard let blocks = try reader.wordBlocks() else { return [] }
        return try zip(schema.entities, entities).compactMap { entity, searched in
            guard searched == nil, let index = UInt32(exactly: entity.id) else { return nil }
            do {
                let hasIndex = try blocks.read(SearchedEntity.descriptionKey(of: index)) { _ in }
                return hasIndex ? SearchedEntity.prefix(of: index) : nil
            } catch is WordIndexError {
                return SearchedEntity.prefix(of: index)
            }
        }
    }

    /// Removes the indexes of entities that are no longer searchable, unless the store is only read.
    private func removeAbandoned() throws {
        let writer: any StoreWriter
        do {
            writer = try inner.beginWrite()
        } catch let error as GranaryError where error.code == .readOnly {
            return
        }
        defer { writer.end() }
        guard let keeper = writer as? any WordWriting else { return }
        let abandoned = try abandoned(in: keeper)
        if abandoned.isEmpty { return }
        let blocks = try keeper.writableWordBlocks()
        for prefix in abandoned { try blocks.deleteAll(prefix: prefix) }
        _ = try writer.commit()
    }

    /// The entities whose index a state lacks.
    private func missing(in reader: any WordKeeping) throws -> [SearchedEntity] {
        let blocks = try reader.wordBlocks()
        return try entities.compactMap { entity in
            // The program with the tokenizer makes the index.
            guard let entity, entity.rules.canFindWords else { return nil }
            return try blocks.map { try entity.isKept(in: $0) } ?? false ? nil : entity
        }
    }

    /// Makes the missing indexes from the rows, unless the store is only read.
    private func makeMissing() throws {
        for attempt in 1...8 {
            do {
                return try makeIndexes { try self.missing(in: $0) }
            } catch let error as GranaryError where error.code == .full && attempt < 8 {
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
        let known = entities.filter(\.rules.canFindWords)
        var counter = try RecordCounter {
            try known.reduce(0) { try $0 + reader.count(FetchRequest(entity: $1.position)) }
        }
        for entity in entities { try make(entity, from: reader, in: blocks, &counter) }
        _ = try writer.commit()
    }

    private func make(
        _ entity: SearchedEntity, from reader: any StoreReader, in blocks: any WritableWordBlocks,
        _ counter: inout RecordCounter
    ) throws {
        let index = try WordIndexWriter(emptying: blocks, index: entity.index, entity.options)
        // Without the tokenizer, searches of the program that has it are answered from the rows until it opens the store.
        guard entity.rules.canFindWords else { return }
        do {
            try entity.forEachDocument(in: reader) { document, words in
                try index.add(document, words)
                try counter.count(entity.entity)
            }
            try counter.tell(entity.entity)
            try index.flush()
            try entity.describe(in: blocks)
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
