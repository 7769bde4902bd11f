/// Something that records can be read from: a ``Snapshot`` or a ``Transaction``.
///
/// A context belongs to the closure it was given to: it is not `Sendable`, and throws `closed` when it is used later.
public protocol ReadContext: AnyObject {
    /// The record with a key, or nil. Cost: one look-up.
    func find<R: Record>(_ type: R.Type, _ key: R.Key) throws -> R?
    /// The records a query names, in its order. Cost: memory for all of them; use ``cursor(_:)`` for one at a time.
    func fetch<R: Record>(_ query: Query<R>) throws -> [R]
    /// The same records one at a time, in constant memory.
    func cursor<R: Record>(_ query: Query<R>) throws -> RecordCursor<R>
    /// Calls a closure with each record a query names, one at a time, in constant memory.
    func forEach<R: Record>(_ query: Query<R>, _ body: (R) throws -> Void) throws
    /// How many records a query names, its limit and offset included.
    func count<R: Record>(_ query: Query<R>) throws -> Int
    /// How the store would answer the query: what is searched, with which index, what is sorted.
    func explain<R: Record>(_ query: Query<R>) throws -> QueryPlan

    /// The schema of what is read.
    var schema: Schema { get }
    /// The position of a record type's entity in the schema.
    ///
    /// - Throws: `unknownEntity` if the schema lacks it, `schemaMismatch` if it has another of that name, `closed`.
    func entity<R: Record>(of type: R.Type) throws -> Int
    /// The rows of a request without their types: what every other way of asking is made of.
    func rows(_ request: FetchRequest) throws -> any RowCursor
    func explain(_ request: FetchRequest) throws -> QueryPlan
}

extension ReadContext {
    /// The records with these keys, in the order of the keys; those that do not exist are left out.
    @inlinable public func find<R: Record>(_ type: R.Type, _ keys: some Sequence<R.Key>) throws -> [R] {
        var records: [R] = []
        for key in keys {
            if let record = try find(type, key) { records.append(record) }
        }
        return records
    }

    /// The record a reference names, or nil.
    @inlinable public func find<R: Record>(_ reference: Ref<R>) throws -> R? { try find(R.self, reference.key) }

    /// The record a reference names, or nil; of no reference, nil.
    @inlinable public func find<R: Record>(_ reference: Ref<R>?) throws -> R? {
        try reference.flatMap { try find(R.self, $0.key) }
    }

    /// The first record of a query, or nil.
    @inlinable public func first<R: Record>(_ query: Query<R>) throws -> R? {
        guard query.limit != 0 else { return nil }
        return try fetch(query.limit.map { $0 < 0 ? query : query.limit(1) } ?? query.limit(1)).first
    }

    /// Whether a query names any record.
    public func exists<R: Record>(_ query: Query<R>) throws -> Bool {
        guard query.limit != 0 else { return false }
        return try count(query.limit.map { $0 < 0 ? query : query.limit(1) } ?? query.limit(1)) > 0
    }

    /// Whether there is a record with a key.
    @inlinable public func exists<R: Record>(_ type: R.Type, _ key: R.Key) throws -> Bool { try find(type, key) != nil }
}

/// The records of a query, one at a time.
///
/// A write in the same transaction ends it: the next step throws `cursorInvalidated`.
public final class RecordCursor<R: Record> {
    @usableFromInline let rows: any RowCursor
    @usableFromInline let session: StoreSession
    @usableFromInline let entity: Int

    @usableFromInline init(rows: any RowCursor, session: StoreSession, entity: Int) {
        self.rows = rows
        self.session = session
        self.entity = entity
    }

    /// The next record, or nil at the end.
    @inlinable public func next() throws -> R? {
        try session.checkOpen()
        guard let row = try rows.next() else { return nil }
        do {
            return try R(row: row)
        } catch {
            throw session.explain(error, entity, row)
        }
    }
}

/// A read-only view of one committed state: what a ``Stack`` gives to `read`. It has no method that writes.
public final class Snapshot: ReadContext {
    @usableFromInline let session: StoreSession

    init(_ session: StoreSession) { self.session = session }

    /// The number of the last commit this state holds.
    public var transactionNumber: UInt64 { session.reader.transactionNumber }

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
}
