// Many records by names, of one entity or of several: all or none, and in any order where they refer to each other.
extension Context {
    /// Adds records. Returns them with the keys the store assigned.
    ///
    /// - Throws: `danglingReference` if a record refers to one that is neither in the store nor among `records`.
    @discardableResult public func insert(_ records: some Sequence<DynamicRecord>) throws -> [DynamicRecord] {
        try deferringReferences { try records.map { try insert($0) } }
    }

    /// Replaces the records with the same keys. They may exchange unique values.
    ///
    /// - Throws: `recordNotFound` if one of them does not exist.
    public func update(_ records: some Sequence<DynamicRecord>) throws {
        let records = Array(records)
        try exchanging(records) { for record in records { try update(record) } }
    }

    /// Inserts or replaces records by key. Those that exist may exchange unique values.
    @discardableResult public func upsert(_ records: some Sequence<DynamicRecord>) throws -> [DynamicRecord] {
        let records = Array(records)
        return try exchanging(records) { try records.map { try upsert($0) } }
    }

    private func exchanging<T>(_ records: [DynamicRecord], _ body: () throws -> T) throws -> T {
        try exchanging {
            try records.map { (try schema.position(ofEntity: $0.entity.name), StoredRow($0.values)) }
        } _: {
            try deferringReferences(body)
        }
    }

    /// Deletes these records by key. Returns how many of them existed.
    @discardableResult public func delete(_ records: some Sequence<DynamicRecord>) throws -> Int {
        try deferringReferences { try records.reduce(0) { try $0 + (delete($1) ? 1 : 0) } }
    }
}
