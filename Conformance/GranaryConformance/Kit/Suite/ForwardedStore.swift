package import GranaryCore

// Stores that do something at one place and else what another store does: bases, of which what differs is overridden.

/// Opens another provider's store in a wrapper.
package struct ForwardedProvider: StoreProvider {
    package let base: any StoreProvider
    package let wrap: @Sendable (any Store) -> any Store

    package init(base: any StoreProvider, wrap: @escaping @Sendable (any Store) -> any Store) {
        self.base = base
        self.wrap = wrap
    }

    package func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        wrap(try base.open(schema, migration: migration))
    }

    package func moveAside() throws -> String { try base.moveAside() }
    package var readingOnly: any StoreProvider { ForwardedProvider(base: base.readingOnly, wrap: wrap) }
}

// @unchecked: the subclasses, all of this suite, have constants only, all of them Sendable.
package class ForwardedStore: Store, @unchecked Sendable {
    package final let base: any Store

    package init(_ base: any Store) { self.base = base }

    package final var kind: String { base.kind }
    package final var schema: Schema { base.schema }
    package final var location: String? { base.location }
    package final var coordinator: StoreCoordinator { base.coordinator }
    package var capabilities: Capabilities {
        var capabilities = base.capabilities
        // Its writers are not.
        capabilities.features.remove(.groupCommit)
        return capabilities
    }

    package func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        try base.beginRead(cancellation)
    }
    package func beginWrite() throws -> any StoreWriter { try base.beginWrite() }
    package final func verify() throws -> [String] { try base.verify() }
    package final func compact() throws { try base.compact() }
    package final func replaceContents(with contents: StoreContents) throws { try base.replaceContents(with: contents) }
    package final func synchronize() throws { try base.synchronize() }
    package final func close() throws { try base.close() }
}

package class ForwardedReader: StoreReader {
    private let reader: any StoreReader

    package init(_ reader: any StoreReader) { self.reader = reader }

    package final var schema: Schema { reader.schema }
    package final var transactionNumber: UInt64 { reader.transactionNumber }
    package func find(_ key: Cell, in entity: Int) throws -> Row? { try reader.find(key, in: entity) }
    package func rows(_ request: FetchRequest) throws -> any RowCursor { try reader.rows(request) }
    package func count(_ request: FetchRequest) throws -> Int { try reader.count(request) }
    package final func explain(_ request: FetchRequest) throws -> QueryPlan { try reader.explain(request) }
    package final func lastAssignedKey(of entity: Int) throws -> Int64 { try reader.lastAssignedKey(of: entity) }
    package final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try reader.history(after: number, limit: limit)
    }
    package final func end() { reader.end() }
}

package class ForwardedWriter: ForwardedReader, StoreWriter {
    private let writer: any StoreWriter

    package init(_ writer: any StoreWriter) {
        self.writer = writer
        super.init(writer)
    }

    package final func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try writer.insert(row, into: entity)
    }
    package final func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        try writer.update(row, in: entity)
    }
    package final func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try writer.upsert(row, into: entity)
    }
    package final func delete(_ key: Cell, from entity: Int) throws -> Bool { try writer.delete(key, from: entity) }
    package final func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try writer.updateAll(request, setting: values)
    }
    package final func deleteAll(_ request: FetchRequest) throws -> Int { try writer.deleteAll(request) }
    package final func deferReferences() throws { try writer.deferReferences() }
    package final func checkReferences() throws { try writer.checkReferences() }
    package final func beginSavepoint() throws { try writer.beginSavepoint() }
    package final func releaseSavepoint() throws { try writer.releaseSavepoint() }
    package final func rollbackSavepoint() throws { try writer.rollbackSavepoint() }
    package final func record(into recorder: ChangeRecorder) throws { try writer.record(into: recorder) }
    package final func keepHistory(_ entry: HistoryEntry) throws { try writer.keepHistory(entry) }
    package final func deleteHistory(through number: UInt64) throws { try writer.deleteHistory(through: number) }
    package final func prepareCommit() throws { try writer.prepareCommit() }
    package func commit() throws -> UInt64 { try writer.commit() }
}
