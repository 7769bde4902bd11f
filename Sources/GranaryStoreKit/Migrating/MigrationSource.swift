/// The store as it was before its release, for the release's steps: reads records by the stored schema, with the verbs of a
/// `ReadContext`.
///
/// It is valid while the step runs.
public final class MigrationSource {
    package let reader: any StoreReader
    /// What the verbs of a `ReadContext` keep here.
    package var attachment: AnyObject?

    init(_ reader: any StoreReader) { self.reader = reader }

    /// The stored schema.
    public var schema: Schema { reader.schema }

    /// The record of an entity with a key in its stored form, or nil.
    public func find(_ entity: String, key: StoredValue) throws -> DynamicRecord? {
        try reader.record(entity, key)
    }

    /// Calls a closure with each record of a query, one at a time.
    public func forEach(_ query: DynamicQuery, _ body: (DynamicRecord) throws -> Void) throws {
        try reader.forEachRecord(query, body)
    }

    /// The records of a query.
    public func fetch(_ query: DynamicQuery) throws -> [DynamicRecord] {
        var records: [DynamicRecord] = []
        try forEach(query) { records.append($0) }
        return records
    }

    /// A value of the record with a key; nil if there is no such record.
    func value(at position: Int, ofKey key: Cell, in entity: Int) throws -> StoredValue? {
        if key.isNull { return nil }
        guard let row = try reader.find(key, in: entity) else { return nil }
        return StoredValue(row[position])
    }

    /// Values of the records that have a value at another position.
    func values(
        at position: Int, where other: Int, equals value: StoredValue, in entity: Int, limit: Int
    ) throws -> [StoredValue] {
        let rows = try reader.rows(
            FetchRequest(entity: entity, condition: .compare(position: other, .equal, value), limit: limit))
        defer { withExtendedLifetime(rows) {} }
        var values: [StoredValue] = []
        while let row = try rows.next() { values.append(StoredValue(row[position])) }
        return values
    }
}

/// The new files of a store on their way to a release, for a step with code: a `Context`, with all its verbs. All that is
/// written is one transaction.
///
/// ```swift
/// .code("one tag for a name") { store in
///     var first: [String: DynamicRecord] = [:]
///     for tag in try store.fetch(DynamicQuery("Tag")) {
///         let name = try tag.value("name", as: String.self)
///         guard let kept = first[name] else { first[name] = tag; continue }
///         try kept.related("songs").add(keys: tag.related("songs").fetch(in: store).map(\.key), in: store)
///         try store.delete(tag)
///     }
/// }
/// ```
///
/// It is valid while the step runs.
public final class MigrationContext {
    /// The store as it was before the release.
    public let old: MigrationSource
    package let writer: any StoreWriter
    /// What the verbs of a `Context` keep here.
    package var attachment: AnyObject?

    init(_ old: MigrationSource, _ writer: any StoreWriter) { (self.old, self.writer) = (old, writer) }

    /// The schema of the step's release, and what it takes away: entities and attributes that it removes are still there, what is
    /// required may still be nil, and values that become unique may still be the same. An attribute that is removed is missing if
    /// something new has its name.
    public var schema: Schema { writer.schema }

    /// A new record of an entity, with its defaults.
    public func record(_ entity: String) throws -> DynamicRecord { try DynamicRecord(entity, in: schema) }

    /// The record of an entity with a key in its stored form, or nil.
    public func find(_ entity: String, key: StoredValue) throws -> DynamicRecord? { try writer.record(entity, key) }

    /// Calls a closure with each record of a query, one at a time. It must not write: collect what is to be written, or read
    /// from ``old``.
    public func forEach(_ query: DynamicQuery, _ body: (DynamicRecord) throws -> Void) throws {
        try writer.forEachRecord(query, body)
    }

    /// Inserts a record, and returns it with the key that the store assigned, if it assigns keys.
    @discardableResult public func insert(_ record: DynamicRecord) throws -> DynamicRecord {
        let entity = try writer.schema.position(ofEntity: record.entity.name)
        try check(record)
        var inserted = record
        let key = try StoredRow(record.values).withRow { try writer.insert($0, into: entity) }
        if let key { inserted.take(key: .integer(key)) }
        return inserted
    }

    /// Replaces the record with the same key.
    ///
    /// - Throws: `recordNotFound`.
    public func update(_ record: DynamicRecord) throws {
        let entity = try writer.schema.position(ofEntity: record.entity.name)
        try check(record)
        let row = StoredRow(record.values)
        guard try row.withRow({ try writer.update($0, in: entity) }) else {
            throw GranaryError(
                .recordNotFound, "\(record.entity.path) has no record with that key. Insert it.", about: record.entity)
        }
    }

    /// Deletes the record with a key, following the delete rules. Returns false if no record has the key.
    @discardableResult public func delete(_ entity: String, key: StoredValue) throws -> Bool {
        let position = try writer.schema.position(ofEntity: entity)
        return try key.withCell { try writer.delete($0, from: position) }
    }

    private func check(_ record: DynamicRecord) throws {
        let attributes = record.entity.attributes
        for (attribute, value) in zip(attributes, record.values) {
            if attribute.name == record.entity.key, record.entity.keyGeneration == .assigned { continue }
            try attribute.check(value, in: record.entity)
        }
    }
}

extension StoreReader {
    fileprivate func record(_ entity: String, _ key: StoredValue) throws -> DynamicRecord? {
        let position = try schema.position(ofEntity: entity)
        return try key.withCell { key in
            guard let row = try find(key, in: position) else { return nil }
            return DynamicRecord(schema.entities[position], row: row)
        }
    }

    fileprivate func forEachRecord(_ query: DynamicQuery, _ body: (DynamicRecord) throws -> Void) throws {
        let request = try FetchRequest(query, in: schema)
        let rows = try rows(request)
        defer { withExtendedLifetime(rows) {} }
        while let row = try rows.next() { try body(DynamicRecord(schema.entities[request.entity], row: row)) }
    }
}
