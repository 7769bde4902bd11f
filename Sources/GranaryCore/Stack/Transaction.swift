/// Something that records can be read from and written to.
public protocol Context: ReadContext {
    /// Adds a record. Where the store assigns keys and the record's is 0, the result has the key it was given.
    ///
    /// - Throws: `uniqueness` if its key or the values of a unique index are taken, `danglingReference`, `required`,
    ///   `range`, `limit`. The transaction is as it was before and can go on.
    @discardableResult func insert<R: Record>(_ record: R) throws -> R
    /// Replaces the record with the same key.
    ///
    /// - Throws: `recordNotFound` if there is none, `mergeConflict` if it has a version and that is not the stored one, and
    ///   what ``insert(_:)-(R)`` throws.
    func update<R: Record>(_ record: R) throws
    /// Inserts the record, or replaces the one with the same key. If another record has a value of a unique index, it
    /// throws.
    @discardableResult func upsert<R: Record>(_ record: R) throws -> R
    /// Deletes the record with a key, following the delete rules of what refers to it.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `deniedDeletion` if a reference with the rule `deny` would dangle.
    @discardableResult func delete<R: Record>(_ type: R.Type, _ key: R.Key) throws -> Bool

    // The same without types, by positions of ``ReadContext/schema``: what every other way of writing is made of.

    /// Adds a record of an entity by its stored values, in the order of the attributes. Returns its key, given by the store
    /// where it assigns keys and the value is 0.
    @discardableResult func insert(_ values: [StoredValue], into entity: Int) throws -> StoredValue
    /// Replaces the record with the same key. Returns false, having done nothing, if there is none.
    func update(_ values: [StoredValue], in entity: Int) throws -> Bool
    /// Inserts or replaces the record. Returns its key.
    @discardableResult func upsert(_ values: [StoredValue], into entity: Int) throws -> StoredValue
    /// Deletes the record with a key. Returns whether there was one.
    @discardableResult func delete(_ key: StoredValue, from entity: Int) throws -> Bool
    /// Sets attributes of all records a request names. Returns how many there are.
    @discardableResult func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int
    /// Deletes all records a request names, following the delete rules. Returns how many there were.
    @discardableResult func deleteAll(_ request: FetchRequest) throws -> Int

    /// Runs a part of the work. If it throws, only this part is undone.
    func savepoint<T>(_ body: () throws -> T) throws -> T
    /// Runs a part in which references may dangle until its end: for records that refer to each other in a circle, or
    /// that come in any order. All or nothing.
    ///
    /// - Throws: `danglingReference` if one dangles at the end.
    func deferringReferences<T>(_ body: () throws -> T) throws -> T
}

/// The one write transaction of a store: what a ``Stack`` gives to `write`. Commits when the closure returns, rolls back
/// when it throws.
///
/// It reads what it has written. Each call is all or nothing, and so is each call for many records.
public final class Transaction: Context {
    @usableFromInline let session: StoreSession
    @usableFromInline let writer: any StoreWriter
    // Behind a pointer of its own: a stored property of a class is checked for overlapping access each time it is used.
    // Freed in deinit, never handed out.
    @usableFromInline let rowWriter: UnsafeMutablePointer<RowWriter>

    /// Whether records are asked if they are valid when they are written.
    @usableFromInline let validates: Bool

    /// Whether any entity has a version.
    @usableFromInline let hasVersions: Bool
    /// Whether any entity's records hold their places in lists.
    @usableFromInline let hasLists: Bool
    /// The positions of these entities.
    private(set) lazy var listed = hasLists ? session.schema.listedEntities : []
    /// New records that are in no place of a list yet.
    var unplaced = UnplacedRecords()
    /// Whether a changed record gets the next version: in a store, and not in a context, whose save does it.
    let raisesVersions: Bool

    /// Nil if no deletion makes a reference nil in records that have rules.
    let nullified: NullifiedRecords?

    init(
        _ session: StoreSession, writer: any StoreWriter, validates: Bool = true, raisesVersions: Bool = true,
        checking nullified: NullifiedRecords? = nil
    ) {
        self.nullified = nullified
        hasVersions = session.schema.entities.contains { $0.version != nil }
        hasLists = session.schema.entities.contains { $0.relationships.contains(where: \.isListOfRecords) }
        self.raisesVersions = raisesVersions
        self.session = session
        self.writer = writer
        self.validates = validates
        rowWriter = .allocate(capacity: 1)
        rowWriter.initialize(to: RowWriter(count: session.schema.entities.map(\.attributes.count).max() ?? 1))
    }

    deinit {
        rowWriter.deinitialize(count: 1)
        rowWriter.deallocate()
    }

    /// The number of the last commit before this transaction.
    public var transactionNumber: UInt64 { writer.transactionNumber }

    @inlinable public func find<R: Record>(_ type: R.Type, _ key: R.Key) throws -> R? { try session.find(type, key) }
    @inlinable public func fetch<R: Record>(_ query: Query<R>) throws -> [R] { try session.fetch(query) }
    @inlinable public func cursor<R: Record>(_ query: Query<R>) throws -> RecordCursor<R> {
        let (entity, rows) = try session.open(query)
        return RecordCursor(rows: rows, session: session, entity: entity)
    }
    @inlinable public func forEach<R: Record>(_ query: Query<R>, _ body: (R) throws -> Void) throws {
        try session.forEach(query, body)
    }
    @inlinable public func count<R: Record>(_ query: Query<R>) throws -> Int { try session.count(query) }
    @inlinable public func explain<R: Record>(_ query: Query<R>) throws -> QueryPlan { try session.explainPlan(query) }
    public var schema: Schema { session.schema }
    public func entity<R: Record>(of type: R.Type) throws -> Int { try session.entity(of: type) }
    public func rows(_ request: FetchRequest) throws -> any RowCursor { try session.rows(request) }
    public func explain(_ request: FetchRequest) throws -> QueryPlan { try session.explain(request) }

    @inlinable @discardableResult public func insert<R: Record>(_ record: R) throws -> R {
        let entity = try session.entity(of: R.self)
        try encode(record, entity)
        let assigned = try rowWriter.pointee.withRow { row in
            do { return try writer.insert(row, into: entity) } catch { throw explained(error, row, entity) }
        }
        if hasLists { noteUnplaced(entity, assigned) }
        return try withAssignedKey(record, assigned)
    }

    @inlinable public func update<R: Record>(_ record: R) throws {
        let entity = try session.entity(of: R.self)
        try encode(record, entity)
        if hasVersions { try takeVersion(entity) }
        let isThere = try rowWriter.pointee.withRow { row in
            do { return try writer.update(row, in: entity) } catch { throw explained(error, row, entity) }
        }
        if !isThere { throw notFound(entity) }
    }

    @inlinable @discardableResult public func upsert<R: Record>(_ record: R) throws -> R {
        let entity = try session.entity(of: R.self)
        try encode(record, entity)
        if hasVersions { try takeVersion(entity) }
        let assigned = try rowWriter.pointee.withRow { row in
            do { return try writer.upsert(row, into: entity) } catch { throw explained(error, row, entity) }
        }
        return try withAssignedKey(hasVersions ? withVersion(record) : record, assigned)
    }

    @discardableResult public func delete<R: Record>(_ type: R.Type, _ key: R.Key) throws -> Bool {
        let entity = try session.entity(of: type)
        return try deleting({ [try StoredValue(encoding: key)] }, from: entity) {
            try session.withKey(key, entity) { try writer.delete($0, from: entity) }
        }
    }

    /// Runs a part of the work. It is kept when the closure returns. When the closure throws, only this part is undone,
    /// the error is thrown, and the transaction can go on. Savepoints nest at least 100 deep.
    public func savepoint<T>(_ body: () throws -> T) throws -> T {
        try session.checkOpen()
        try writer.beginSavepoint()
        do {
            let result = try body()
            try session.checkOpen()
            try writer.releaseSavepoint()
            return result
        } catch {
            if !session.isEnded { try writer.rollbackSavepoint() }
            throw error
        }
    }

    public func deferringReferences<T>(_ body: () throws -> T) throws -> T {
        try savepoint {
            try writer.deferReferences()
            let result = try body()
            try writer.checkReferences()
            return result
        }
    }

    @inlinable func encode<R: Record>(_ record: R, _ entity: Int) throws {
        guard !session.isEncoding else { throw writesWhileEncoding(entity) }
        session.isEncoding = true
        defer { session.isEncoding = false }
        if validates { try record.validate() }
        rowWriter.pointee.reset(count: attributeCount(entity))
        do {
            try record.encode(into: &rowWriter.pointee)
        } catch {
            throw session.explain(error, entity)
        }
    }

    @usableFromInline func attributeCount(_ entity: Int) -> Int { session.schema.entities[entity].attributes.count }

    @inlinable func withAssignedKey<R: Record>(_ record: R, _ assigned: Int64?) throws -> R {
        guard let assigned else { return record }
        var record = record
        record.take(assignedKey: try R.Key.decode(.integer(assigned)))
        return record
    }

    @usableFromInline func writesWhileEncoding(_ entity: Int) -> GranaryError {
        GranaryError(
            .reentrantWrite, "A record's encode(into:) wrote another record. Write both after each other.",
            entity: session.schema.entities[entity].name)
    }

    @usableFromInline func notFound(_ entity: Int) -> GranaryError {
        .noRecord(session.schema.entities[entity])
    }
}
