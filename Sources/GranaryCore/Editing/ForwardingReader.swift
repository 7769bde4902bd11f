/// A reader that forwards to another reader, so that a subclass can add what happens at its end.
class ForwardingReader: StoreReader, WordCounting {
    final let reader: any StoreReader

    init(_ reader: any StoreReader) { self.reader = reader }

    final var schema: Schema { reader.schema }
    final var transactionNumber: UInt64 { reader.transactionNumber }
    final func find(_ key: Cell, in entity: Int) throws -> Row? { try reader.find(key, in: entity) }
    final func rows(_ request: FetchRequest) throws -> any RowCursor { try reader.rows(request) }
    final func count(_ request: FetchRequest) throws -> Int { try reader.count(request) }
    final func explain(_ request: FetchRequest) throws -> QueryPlan { try reader.explain(request) }
    final func lastAssignedKey(of entity: Int) throws -> Int64 { try reader.lastAssignedKey(of: entity) }
    final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try reader.history(after: number, limit: limit)
    }
    final func wordStatistics(_ question: WordQuestion, of entity: Int) throws -> WordStatistics? {
        try (reader as? any WordCounting)?.wordStatistics(question, of: entity)
    }
    final func words(_ asked: AskedWord, of entity: Int, limit: Int) throws -> [TermSuggestion]? {
        try (reader as? any WordCounting)?.words(asked, of: entity, limit: limit)
    }
    final func wordIndexSize(of entity: Int) throws -> WordIndexSize? {
        try (reader as? any WordCounting)?.wordIndexSize(of: entity)
    }
    func end() { reader.end() }
}

/// A reader over another one. It does not end the other reader explicitly: releasing it does.
final class OwningReader: ForwardingReader {
    private let owned: any StoreReader

    init(_ reader: any StoreReader, _ owned: any StoreReader) {
        self.owned = owned
        super.init(reader)
    }

    override func end() { owned.end() }
}
