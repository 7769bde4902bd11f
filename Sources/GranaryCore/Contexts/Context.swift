/// Something that records can be read from and written to: a ``Transaction``, an ``EditContext``, a
/// ``MigrationContext``.
///
/// It reads what it has written. Each call is all or nothing, and so is each call for many records.
public class Context: ReadContext {
    @usableFromInline final let writer: any StoreWriter
    // Behind a pointer of its own: a stored property of a class is checked for overlapping access each time it is used.
    // Freed in deinit, never handed out.
    @usableFromInline final let rowWriter: UnsafeMutablePointer<RowWriter>
    /// A record is being encoded; its `encode` must not write another with the same row writer.
    @usableFromInline @exclusivity(unchecked) final var isEncoding = false

    /// Whether records are validated when they are written.
    @usableFromInline final let validates: Bool
    /// Whether any entity has a version or a time of creation.
    @usableFromInline final let hasVersions: Bool
    /// Whether any entity's records hold their places in lists.
    @usableFromInline final let hasLists: Bool
    /// The positions of the entities whose records hold their places in lists.
    private(set) final lazy var listed = hasLists ? schema.listedEntities : []
    /// New records that have got no place from a list yet.
    final var unplaced = UnplacedRecords()
    /// Whether a changed record gets the next version: true in a store; false in an edit context, whose save raises the
    /// version.
    final let raisesVersions: Bool
    /// Nil if no deletion can set a reference to nil in records that have rules.
    final let nullified: NullifiedRecords?

    init(
        _ writer: any StoreWriter, _ setting: ContextSetting, validates: Bool = true,
        raisesVersions: Bool = true, checking nullified: NullifiedRecords? = nil
    ) {
        self.nullified = nullified
        let schema = setting.schema
        hasVersions = setting.types.haveCreationTimes || schema.entities.contains { $0.version != nil }
        hasLists = schema.entities.contains { $0.relationships.contains(where: \.isListOfRecords) }
        self.raisesVersions = raisesVersions
        self.writer = writer
        self.validates = validates
        rowWriter = .allocate(capacity: 1)
        rowWriter.initialize(to: RowWriter(count: schema.entities.map(\.attributes.count).max() ?? 1))
        super.init(writer, setting)
    }

    deinit {
        rowWriter.deinitialize(count: 1)
        rowWriter.deallocate()
    }

    /// Adds a record. Where the store assigns keys and the record's key is 0, the result has its new key.
    ///
    /// ```swift
    /// let artist = try tx.insert(Artist(id: 100, name: "Jimi Hendrix", rating: 4.7))
    /// let song = try tx.insert(Song(title: "Fire", artist: Ref(artist)))  // with the key that the store assigned
    /// ```
    ///
    /// - Throws: `uniqueness` if its key or the values of a unique index are taken, `danglingReference`, `required`,
    ///   `range`, `limit`. The transaction is as it was before and can go on.
    @inlinable @discardableResult public final func insert<R: Record>(_ record: R) throws -> R {
        let entity = try entity(of: R.self)
        try encode(record, entity)
        let assigned = try rowWriter.pointee.withRow { row in
            do { return try writer.insert(row, into: entity) } catch { throw explained(error, row, entity) }
        }
        if watch != nil { noteWritten() }
        if hasLists { noteUnplaced(entity, assigned) }
        return try withAssignedKey(record, assigned)
    }

    /// Replaces the record with the same key.
    ///
    /// ```swift
    /// var artist = try tx.find(Artist.self, 100)!
    /// artist.rating = 5
    /// try tx.update(artist)
    /// ```
    ///
    /// - Throws: `recordNotFound` if no record has the key; `mergeConflict` if the record has a version other than the
    ///   stored one; and what ``insert(_:)-(R)`` throws.
    @inlinable public final func update<R: Record>(_ record: R) throws {
        let entity = try entity(of: R.self)
        try encode(record, entity)
        if hasVersions { try takeVersion(entity) }
        let isThere = try rowWriter.pointee.withRow { row in
            do { return try writer.update(row, in: entity) } catch { throw explained(error, row, entity) }
        }
        if !isThere { throw notFound(entity) }
        if watch != nil { noteWritten() }
    }

    /// Inserts the record, or replaces the one with the same key. Throws `uniqueness` if another record has its value
    /// of a unique index.
    ///
    /// ```swift
    /// try tx.upsert(Artist(id: 101, name: "Nina Simone"))
    /// ```
    @inlinable @discardableResult public final func upsert<R: Record>(_ record: R) throws -> R {
        let entity = try entity(of: R.self)
        try encode(record, entity)
        if hasVersions { try takeVersion(entity) }
        let assigned = try rowWriter.pointee.withRow { row in
            do { return try writer.upsert(row, into: entity) } catch { throw explained(error, row, entity) }
        }
        if watch != nil { noteWritten() }
        return try withAssignedKey(hasVersions ? withVersion(record) : record, assigned)
    }

    /// Deletes the record with a key, following the delete rules of the references to it.
    ///
    /// ```swift
    /// try tx.delete(Artist.self, 102)
    /// ```
    ///
    /// - Returns: Whether the record existed.
    /// - Throws: `deniedDeletion` if a reference with the rule `deny` would dangle.
    @discardableResult public final func delete<R: Record>(_ type: R.Type, _ key: R.Key) throws -> Bool {
        let entity = try entity(of: type)
        return try deleting({ [try StoredValue(encoding: key)] }, from: entity) {
            try withKey(key, entity) { key in
                let existed = try writer.delete(key, from: entity)
                if existed { noteWritten() }
                return existed
            }
        }
    }

    /// Runs a part of the work. The part is kept when the closure returns. When the closure throws, only this part is
    /// undone, the error is thrown, and the context can go on. Savepoints nest at least 100 deep.
    ///
    /// ```swift
    /// _ = try? tx.savepoint { try tx.insert(songs) }  // all of them, or none if one is refused
    /// ```
    public func savepoint<T>(_ body: () throws -> T) throws -> T {
        try checkOpen()
        try writer.beginSavepoint()
        do {
            let result = try body()
            try checkOpen()
            try writer.releaseSavepoint()
            return result
        } catch {
            if !isEnded { try writer.rollbackSavepoint() }
            throw error
        }
    }

    /// Runs a part in which references may dangle until its end: for records that refer to each other in a circle, or
    /// that come in any order. All or nothing.
    ///
    /// ```swift
    /// try tx.deferringReferences {
    ///     try tx.insert(Song(title: "Fire", artist: Ref(100)))
    ///     try tx.insert(Artist(id: 100, name: "Jimi Hendrix"))
    /// }
    /// ```
    ///
    /// - Throws: `danglingReference` if a reference dangles at the end.
    public final func deferringReferences<T>(_ body: () throws -> T) throws -> T {
        try savepoint {
            try writer.deferReferences()
            let result = try body()
            try writer.checkReferences()
            return result
        }
    }

    @inlinable final func encode<R: Record>(_ record: R, _ entity: Int) throws {
        guard !isEncoding else { throw writesWhileEncoding(entity) }
        isEncoding = true
        defer { isEncoding = false }
        if validates { try record.validate() }
        rowWriter.pointee.reset(count: attributeCount(entity))
        do {
            try record.encode(into: &rowWriter.pointee)
        } catch {
            throw explain(error, entity)
        }
    }

    @usableFromInline final func attributeCount(_ entity: Int) -> Int { schema.entities[entity].attributes.count }

    @inlinable final func withAssignedKey<R: Record>(_ record: R, _ assigned: Int64?) throws -> R {
        guard let assigned else { return record }
        var record = record
        record.take(assignedKey: try R.Key.decode(.integer(assigned)))
        return record
    }

    /// Counts written records for the write that this belongs to, if something needs to know.
    ///
    /// - Returns: The number.
    @usableFromInline @discardableResult final func noteWritten(_ count: Int = 1) -> Int {
        watch?.noteWritten(count)
        return count
    }

    @usableFromInline final func writesWhileEncoding(_ entity: Int) -> GranaryError {
        GranaryError(
            .reentrantWrite, "A record's encode(into:) wrote another record. Write both after each other.",
            entity: schema.entities[entity].name)
    }

    @usableFromInline final func notFound(_ entity: Int) -> GranaryError { .noRecord(schema.entities[entity]) }
}
