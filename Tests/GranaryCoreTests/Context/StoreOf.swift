import GranaryMemory

@testable import GranaryCore

/// A store in memory that counts who reads it.
final class StoreOf {
    let store: any Store
    /// How many readers were opened, and are open.
    private(set) var opened = 0
    private(set) var open = 0

    init(_ schema: Schema) throws { store = try MemoryStoreProvider.inMemory.open(schema) }

    func write<T>(_ body: (any StoreWriter) throws -> T) throws -> T {
        let writer = try store.beginWrite()
        defer { writer.end() }
        let result = try body(writer)
        try writer.commit()
        return result
    }

    func overlay() -> Overlay { Overlay(store.schema, store.coordinator) { try self.reader() } }

    private func reader() throws -> any StoreReader {
        opened += 1
        open += 1
        return EndingReader(try store.beginRead(CancellationFlag())) { self.open -= 1 }
    }
}

extension Overlay {
    /// A child of an overlay.
    convenience init(over parent: Overlay) {
        self.init(parent.schema, parent.coordinator) { try parent.openLayer() }
    }
}

/// A reader that does something when it ends.
private final class EndingReader: StoreReader {
    private let reader: any StoreReader
    private let ending: () -> Void

    init(_ reader: any StoreReader, _ ending: @escaping () -> Void) {
        self.reader = reader
        self.ending = ending
    }

    var transactionNumber: UInt64 { reader.transactionNumber }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try reader.find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try reader.rows(request) }
    func count(_ request: FetchRequest) throws -> Int { try reader.count(request) }
    func aggregate(_ request: AggregateRequest) throws -> any RowCursor { try reader.aggregate(request) }
    func explain(_ request: FetchRequest) throws -> QueryPlan { try reader.explain(request) }
    func explain(_ request: AggregateRequest) throws -> QueryPlan { try reader.explain(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try reader.lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try reader.history(after: number, limit: limit)
    }

    func end() {
        reader.end()
        ending()
    }
}
