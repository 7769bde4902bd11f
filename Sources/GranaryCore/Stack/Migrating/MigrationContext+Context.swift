// A step reads and writes with the same verbs as a transaction. The verbs belong to this module, and steps run below it: so the
// objects that a step gets keep the session that the verbs need.

extension MigrationSource: ReadContext {
    private var session: StoreSession {
        if let known = attachment as? StoreSession { return known }
        let made = StoreSession(reader: reader, schema: reader.schema, types: RecordTypes())
        attachment = made
        return made
    }

    public func find<R: Record>(_ type: R.Type, _ key: R.Key) throws -> R? { try session.find(type, key) }
    public func fetch<R: Record>(_ query: Query<R>) throws -> [R] { try session.fetch(query) }
    public func cursor<R: Record>(_ query: Query<R>) throws -> RecordCursor<R> {
        let (entity, rows) = try session.open(query)
        return RecordCursor(rows: rows, session: session, entity: entity)
    }
    public func forEach<R: Record>(_ query: Query<R>, _ body: (R) throws -> Void) throws {
        try session.forEach(query, body)
    }
    public func count<R: Record>(_ query: Query<R>) throws -> Int { try session.count(query) }
    public func explain<R: Record>(_ query: Query<R>) throws -> QueryPlan { try session.explainPlan(query) }
    public func entity<R: Record>(of type: R.Type) throws -> Int { try session.entity(of: type) }
    public func rows(_ request: FetchRequest) throws -> any RowCursor { try session.rows(request) }
    public func explain(_ request: FetchRequest) throws -> QueryPlan { try session.explain(request) }
}

extension MigrationContext: Context {
    private var transaction: Transaction {
        if let known = attachment as? Transaction { return known }
        let session = StoreSession(reader: writer, schema: writer.schema, types: RecordTypes())
        let made = Transaction(session, writer: writer)
        attachment = made
        return made
    }

    public func find<R: Record>(_ type: R.Type, _ key: R.Key) throws -> R? { try transaction.find(type, key) }
    public func fetch<R: Record>(_ query: Query<R>) throws -> [R] { try transaction.fetch(query) }
    public func cursor<R: Record>(_ query: Query<R>) throws -> RecordCursor<R> { try transaction.cursor(query) }
    public func forEach<R: Record>(_ query: Query<R>, _ body: (R) throws -> Void) throws {
        try transaction.forEach(query, body)
    }
    public func count<R: Record>(_ query: Query<R>) throws -> Int { try transaction.count(query) }
    public func explain<R: Record>(_ query: Query<R>) throws -> QueryPlan { try transaction.explain(query) }
    public func entity<R: Record>(of type: R.Type) throws -> Int { try transaction.entity(of: type) }
    public func rows(_ request: FetchRequest) throws -> any RowCursor { try transaction.rows(request) }
    public func explain(_ request: FetchRequest) throws -> QueryPlan { try transaction.explain(request) }

    @discardableResult public func insert<R: Record>(_ record: R) throws -> R { try transaction.insert(record) }
    public func update<R: Record>(_ record: R) throws { try transaction.update(record) }
    @discardableResult public func upsert<R: Record>(_ record: R) throws -> R { try transaction.upsert(record) }
    @discardableResult public func delete<R: Record>(_ type: R.Type, _ key: R.Key) throws -> Bool {
        try transaction.delete(type, key)
    }

    @discardableResult public func insert(_ values: [StoredValue], into entity: Int) throws -> StoredValue {
        try transaction.insert(values, into: entity)
    }
    public func update(_ values: [StoredValue], in entity: Int) throws -> Bool {
        try transaction.update(values, in: entity)
    }
    @discardableResult public func upsert(_ values: [StoredValue], into entity: Int) throws -> StoredValue {
        try transaction.upsert(values, into: entity)
    }
    @discardableResult public func delete(_ key: StoredValue, from entity: Int) throws -> Bool {
        try transaction.delete(key, from: entity)
    }
    @discardableResult public func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try transaction.updateAll(request, setting: values)
    }
    @discardableResult public func deleteAll(_ request: FetchRequest) throws -> Int {
        try transaction.deleteAll(request)
    }
    public func savepoint<T>(_ body: () throws -> T) throws -> T { try transaction.savepoint(body) }
    public func deferringReferences<T>(_ body: () throws -> T) throws -> T {
        try transaction.deferringReferences(body)
    }
}
