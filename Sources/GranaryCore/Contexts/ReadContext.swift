/// Something that records can be read from: a ``Snapshot``, a ``Transaction``, an ``EditContext``.
///
/// A snapshot and a transaction belong to the closure they were given to: they are not `Sendable`, and throw `closed`
/// when they are used later.
public class ReadContext {
    @usableFromInline package final let reader: any StoreReader
    /// The schema of what is read.
    public final var schema: Schema { setting.schema }
    final var types: RecordTypes { setting.types }
    final let setting: ContextSetting
    // The type that was asked for last, and its entity: a batch asks for the same type each time. Like everything that
    // changes in this class, they are read and set as a whole by one thread, so accesses never overlap.
    @usableFromInline @exclusivity(unchecked) final var lastType: ObjectIdentifier?
    @usableFromInline @exclusivity(unchecked) final var lastEntity = 0
    @usableFromInline @exclusivity(unchecked) final var isEnded = false
    /// The read or write that counts what is read here; nil if nothing counts it.
    @usableFromInline @exclusivity(unchecked) final var watch: RunningOperation?

    init(_ reader: any StoreReader, _ setting: ContextSetting) {
        self.reader = reader
        self.setting = setting
    }

    final func end() {
        isEnded = true
        reader.end()
    }

    /// Ends the context without ending the reader, which ends elsewhere or has ended with a commit.
    final func didEnd() { isEnded = true }

    @usableFromInline package final func checkOpen() throws {
        if isEnded {
            throw GranaryError(
                .closed, "The snapshot or transaction has ended. Use it only inside the closure it was given to.")
        }
    }

    /// The position of a record type's entity in the schema.
    ///
    /// - Throws: `unknownEntity` if the schema lacks it, `schemaMismatch` if it has another entity of that name,
    ///   `closed`.
    @inlinable public final func entity<R: Record>(of type: R.Type) throws -> Int {
        if lastType == ObjectIdentifier(type) && !isEnded { return lastEntity }
        return try lookUp(type)
    }

    @usableFromInline final func lookUp<R: Record>(_ type: R.Type) throws -> Int {
        try checkOpen()
        let entity = try setting.position(of: type)
        lastType = ObjectIdentifier(type)
        lastEntity = entity
        return entity
    }

    /// The record with a key, or nil. Cost: one look-up.
    ///
    /// ```swift
    /// let artist = try snapshot.find(Artist.self, 100)
    /// ```
    @inlinable public final func find<R: Record>(_ type: R.Type, _ key: R.Key) throws -> R? {
        let entity = try entity(of: type)
        // Set rather than returned: a record that is returned through several closures is copied in each of them.
        var found: R?
        try withKey(key, entity) { cell in
            guard let row = try reader.find(cell, in: entity) else { return }
            if let watch { watch.noteRow() }
            do {
                found = try R(row: row)
            } catch {
                throw explain(error, entity, row)
            }
        }
        return found
    }

    /// The rows of a request without types: every other read uses it.
    public final func rows(_ request: FetchRequest) throws -> any RowCursor {
        try checkOpen()
        if let watch { return try watch.following(request, reader) }
        return try reader.rows(reader.ranked(request))
    }

    final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try checkOpen()
        return try reader.history(after: number, limit: limit)
    }

    /// How the store would answer the request.
    public final func explain(_ request: FetchRequest) throws -> QueryPlan {
        try checkOpen()
        return try reader.explain(reader.ranked(request))
    }

    /// Lends a key as a cell.
    @inlinable final func withKey<Key: RecordKey, T>(_ key: Key, _ entity: Int, _ body: (Cell) throws -> T) throws -> T
    {
        try RowWriter.withOneCell { writer in
            do {
                try key.encode(into: &writer, at: 0)
            } catch {
                throw explainKey(error, entity)
            }
            return try body(writer.withRow { $0[0] })
        }
    }

    @usableFromInline final func explainKey(_ error: any Error, _ entity: Int) -> any Error {
        (error as? GranaryError)?.about(schema.entities[entity], schema.entities[entity].key) ?? error
    }

    /// Names the entity and the attribute at which a record could not be written.
    @usableFromInline final func explain(_ error: any Error, _ entity: Int) -> any Error {
        schema.explain(error, entity)
    }

    /// Names the entity, the attribute and the record that could not be read from a row.
    @usableFromInline package final func explain(_ error: any Error, _ entity: Int, _ row: borrowing Row) -> any Error {
        schema.explain(error, entity, row)
    }
}

extension ReadContext {
    /// The records with these keys, in the order of the keys; those that do not exist are left out.
    ///
    /// ```swift
    /// let artists = try snapshot.find(Artist.self, [100, 102])
    /// ```
    @inlinable public func find<R: Record>(_ type: R.Type, _ keys: some Sequence<R.Key>) throws -> [R] {
        var records: [R] = []
        for key in keys {
            if let record = try find(type, key) { records.append(record) }
        }
        return records
    }

    /// The record that a reference names, or nil if it does not exist.
    @inlinable public func find<R: Record>(_ reference: Ref<R>) throws -> R? { try find(R.self, reference.key) }

    /// The record that a reference names, or nil if it does not exist or the reference is nil.
    @inlinable public func find<R: Record>(_ reference: Ref<R>?) throws -> R? {
        try reference.flatMap { try find(R.self, $0.key) }
    }

    /// Whether a record with the key exists.
    ///
    /// ```swift
    /// if try snapshot.exists(Artist.self, 100) { print("known") }
    /// ```
    @inlinable public func exists<R: Record>(_ type: R.Type, _ key: R.Key) throws -> Bool { try find(type, key) != nil }
}
