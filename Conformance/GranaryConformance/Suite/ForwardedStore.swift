import GranaryCore

// Stores that do something at one place and else what another store does: bases, of which what differs is overridden.

/// Opens another provider's store in a wrapper.
struct ForwardedProvider: StoreProvider {
    let base: any StoreProvider
    let wrap: @Sendable (any Store) -> any Store

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        wrap(try base.open(schema, migration: migration))
    }

    func moveAside() throws -> String { try base.moveAside() }
    var readingOnly: any StoreProvider { ForwardedProvider(base: base.readingOnly, wrap: wrap) }
}

// @unchecked: the subclasses, all of this suite, have constants only, all of them Sendable.
class ForwardedStore: Store, @unchecked Sendable {
    final let base: any Store

    init(_ base: any Store) { self.base = base }

    final var kind: String { base.kind }
    final var schema: Schema { base.schema }
    final var location: String? { base.location }
    final var coordinator: StoreCoordinator { base.coordinator }
    var capabilities: Capabilities { base.capabilities }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try base.beginRead(cancellation) }
    func beginWrite() throws -> any StoreWriter { try base.beginWrite() }
    final func verify() throws -> [String] { try base.verify() }
    final func compact() throws { try base.compact() }
    final func replaceContents(with contents: StoreContents) throws { try base.replaceContents(with: contents) }
    final func close() throws { try base.close() }
}

class ForwardedReader: StoreReader {
    private let reader: any StoreReader

    init(_ reader: any StoreReader) { self.reader = reader }

    final var schema: Schema { reader.schema }
    final var transactionNumber: UInt64 { reader.transactionNumber }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try reader.find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try reader.rows(request) }
    func count(_ request: FetchRequest) throws -> Int { try reader.count(request) }
    final func explain(_ request: FetchRequest) throws -> QueryPlan { try reader.explain(request) }
    final func lastAssignedKey(of entity: Int) throws -> Int64 { try reader.lastAssignedKey(of: entity) }
    final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try reader.history(after: number, limit: limit)
    }
    final func end() { reader.end() }
}

class ForwardedWriter: ForwardedReader, StoreWriter {
    private let writer: any StoreWriter

    init(_ writer: any StoreWriter) {
        self.writer = writer
        super.init(writer)
    }

    final func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? { try writer.insert(row, into: entity) }
    final func update(_ row: borrowing Row, in entity: Int) throws -> Bool { try writer.update(row, in: entity) }
    final func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? { try writer.upsert(row, into: entity) }
    final func delete(_ key: Cell, from entity: Int) throws -> Bool { try writer.delete(key, from: entity) }
    final func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try writer.updateAll(request, setting: values)
    }
    final func deleteAll(_ request: FetchRequest) throws -> Int { try writer.deleteAll(request) }
    final func deferReferences() throws { try writer.deferReferences() }
    final func checkReferences() throws { try writer.checkReferences() }
    final func beginSavepoint() throws { try writer.beginSavepoint() }
    final func releaseSavepoint() throws { try writer.releaseSavepoint() }
    final func rollbackSavepoint() throws { try writer.rollbackSavepoint() }
    final func record(into recorder: ChangeRecorder) throws { try writer.record(into: recorder) }
    final func keepHistory(_ entry: HistoryEntry) throws { try writer.keepHistory(entry) }
    final func deleteHistory(through number: UInt64) throws { try writer.deleteHistory(through: number) }
    final func prepareCommit() throws { try writer.prepareCommit() }
    func commit() throws -> UInt64 { try writer.commit() }
}
