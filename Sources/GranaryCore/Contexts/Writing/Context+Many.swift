extension Context {
    /// Adds records, all or none. They may refer to each other in any order.
    ///
    /// ```swift
    /// try tx.insert([Artist(id: 101, name: "Nina Simone"), Artist(id: 102, name: "Prince")])
    /// ```
    ///
    /// - Returns: The records with the keys the store assigned.
    @inlinable @discardableResult public func insert<R: Record>(_ records: some Sequence<R>) throws -> [R] {
        try together(R.self) { try each(records) { try insert($0) } }
    }

    /// Replaces the records with the same keys, all or none. They may exchange unique values.
    ///
    /// - Throws: `recordNotFound` if one of them does not exist.
    @inlinable public func update<R: Record>(_ records: some Sequence<R>) throws {
        let records = Array(records)
        try exchanging(records) { for record in records { try update(record) } }
    }

    /// Inserts or replaces records by key, all or none. Existing records may exchange unique values.
    @inlinable @discardableResult public func upsert<R: Record>(_ records: some Sequence<R>) throws -> [R] {
        let records = Array(records)
        return try exchanging(records) { try each(records) { try upsert($0) } }
    }

    /// Deletes the record with this record's key.
    ///
    /// - Returns: Whether the record existed.
    @discardableResult public func delete<R: Record>(_ record: R) throws -> Bool { try delete(R.self, record.id) }

    /// Deletes the records with these keys, all or none. Returns how many of them existed.
    @discardableResult public func delete<R: Record>(_ type: R.Type, _ keys: some Sequence<R.Key>) throws -> Int {
        try together(type) { try keys.reduce(0) { try $0 + (delete(type, $1) ? 1 : 0) } }
    }

    /// Deletes these records by key, all or none. Returns how many of them existed.
    @discardableResult public func delete<R: Record>(_ records: some Sequence<R>) throws -> Int {
        try delete(R.self, records.map(\.id))
    }

    /// The records as they are after each was written. If no key was assigned, this is the array that was passed.
    @inlinable func each<R: Record>(_ records: some Sequence<R>, _ write: (R) throws -> R) throws -> [R] {
        var results = Array(records)
        guard R.entity.keyGeneration == .assigned || R.entity.version != nil else {
            for record in results { _ = try write(record) }
            return results
        }
        for index in results.indices { results[index] = try write(results[index]) }
        return results
    }

    /// Runs a call that writes these records, all or nothing. The records may exchange unique values.
    @usableFromInline func exchanging<R: Record, T>(_ records: [R], _ body: () throws -> T) throws -> T {
        let entity = try self.entity(of: R.self)
        return try exchanging {
            try records.map { (entity, try row(of: $0, entity)) }
        } _: {
            try together(R.self, body)
        }
    }

    @usableFromInline func together<R: Record, T>(_ type: R.Type, _ body: () throws -> T) throws -> T {
        let entity = schema.entities[try self.entity(of: type)]
        let hasReferences = entity.attributes.contains { $0.reference != nil }
        return hasReferences ? try deferringReferences(body) : try savepoint(body)
    }
}
