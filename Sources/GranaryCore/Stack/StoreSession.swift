import GranaryPlatform
import Synchronization

/// What a snapshot and a transaction have in common: typed reading over one ``StoreReader``.
///
/// `@usableFromInline` so that ``Snapshot`` and ``Transaction`` are specialised in the user's module, where the record's
/// decoder is: between the store and the record there is then one dynamic call a row.
@usableFromInline final class StoreSession {
    @usableFromInline let reader: any StoreReader
    let schema: Schema
    private let map: RecordTypes
    // The last type asked for and its entity: a batch asks for the same one each time. As all that changes here they are
    // read and set as a whole, by one thread: no access lasts.
    @usableFromInline @exclusivity(unchecked) var lastType: ObjectIdentifier?
    @usableFromInline @exclusivity(unchecked) var lastEntity = 0
    @usableFromInline @exclusivity(unchecked) var isEnded = false
    /// A record is being encoded; its `encode` must not write another with the same row writer.
    @usableFromInline @exclusivity(unchecked) var isEncoding = false

    init(reader: any StoreReader, schema: Schema, types: RecordTypes) {
        self.reader = reader
        self.schema = schema
        map = types
    }

    func end() {
        isEnded = true
        reader.end()
    }

    /// Ends the session without ending the reader, which has ended by a commit.
    func didCommit() { isEnded = true }

    @usableFromInline func checkOpen() throws {
        if isEnded {
            throw GranaryError(
                .closed, "The snapshot or transaction has ended. Use it only inside the closure it was given to.")
        }
    }

    @inlinable func entity<R: Record>(of type: R.Type) throws -> Int {
        if lastType == ObjectIdentifier(type) && !isEnded { return lastEntity }
        return try lookUp(type)
    }

    @usableFromInline func lookUp<R: Record>(_ type: R.Type) throws -> Int {
        try checkOpen()
        let entity = try map.position(of: type, in: schema)
        lastType = ObjectIdentifier(type)
        lastEntity = entity
        return entity
    }

    /// Lends a key as a cell.
    @inlinable func withKey<Key: RecordKey, T>(_ key: Key, _ entity: Int, _ body: (Cell) throws -> T) throws -> T {
        try RowWriter.withOneCell { writer in
            do {
                try key.encode(into: &writer, at: 0)
            } catch {
                throw explainKey(error, entity)
            }
            return try body(writer.withRow { $0[0] })
        }
    }

    @usableFromInline func explainKey(_ error: any Error, _ entity: Int) -> any Error {
        (error as? GranaryError)?.about(schema.entities[entity], schema.entities[entity].key) ?? error
    }

    @inlinable func find<R: Record>(_ type: R.Type, _ key: R.Key) throws -> R? {
        let entity = try entity(of: type)
        // Set rather than returned: a record that is returned through several closures is copied at each.
        var found: R?
        try withKey(key, entity) { cell in
            guard let row = try reader.find(cell, in: entity) else { return }
            do {
                found = try R(row: row)
            } catch {
                throw explain(error, entity, row)
            }
        }
        return found
    }

    @inlinable func fetch<R: Record>(_ query: Query<R>) throws -> [R] {
        let (entity, rows) = try open(query)
        var records: [R] = []
        // As a rule there are as many.
        if let limit = query.limit { records.reserveCapacity(min(limit, 1_000)) }
        // A row points into its cursor: also the one that an error is about.
        defer { withExtendedLifetime(rows) {} }
        while let row = try rows.next() {
            do {
                records.append(try R(row: row))
            } catch {
                throw explain(error, entity, row)
            }
        }
        return records
    }

    @inlinable func forEach<R: Record>(_ query: Query<R>, _ body: (R) throws -> Void) throws {
        let (entity, rows) = try open(query)
        // A row points into its cursor: also the one that an error is about.
        defer { withExtendedLifetime(rows) {} }
        while let row = try rows.next() {
            let record: R
            do {
                record = try R(row: row)
            } catch {
                throw explain(error, entity, row)
            }
            try body(record)
        }
    }

    @usableFromInline func open<R: Record>(_ query: Query<R>) throws -> (Int, any RowCursor) {
        let entity = try entity(of: R.self)
        return (entity, try reader.rows(try FetchRequest(query, in: schema)))
    }

    @usableFromInline func count<R: Record>(_ query: Query<R>) throws -> Int {
        _ = try entity(of: R.self)
        return try reader.count(try FetchRequest(query, in: schema))
    }

    @usableFromInline func explainPlan<R: Record>(_ query: Query<R>) throws -> QueryPlan {
        _ = try entity(of: R.self)
        return try reader.explain(try FetchRequest(query, in: schema))
    }

    func rows(_ request: FetchRequest) throws -> any RowCursor {
        try checkOpen()
        return try reader.rows(request)
    }

    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try checkOpen()
        return try reader.history(after: number, limit: limit)
    }

    func explain(_ request: FetchRequest) throws -> QueryPlan {
        try checkOpen()
        return try reader.explain(request)
    }

    /// Names the entity and the attribute at which a record could not be written.
    @usableFromInline func explain(_ error: any Error, _ entity: Int) -> any Error { schema.explain(error, entity) }

    /// Names the entity, the attribute and the record that could not be read from a row.
    @usableFromInline func explain(_ error: any Error, _ entity: Int, _ row: borrowing Row) -> any Error {
        schema.explain(error, entity, row)
    }
}

extension Schema {
    func explain(_ error: any Error, _ entity: Int) -> any Error { entities[entity].explain(error) }

    /// Names also the key of the record, which is in its place in the row.
    func explain(_ error: any Error, _ entity: Int, _ row: borrowing Row) -> any Error {
        entities[entity].explain(error, row)
    }
}

extension Entity {
    /// Makes a record of a row, and names the entity, the attribute and the key where that fails.
    func record<R: Record>(_ type: R.Type = R.self, from row: borrowing Row) throws -> R {
        do {
            return try R(row: row)
        } catch {
            throw explain(error, row)
        }
    }

    fileprivate func explain(_ error: any Error, _ row: borrowing Row) -> any Error {
        guard error is DecodingFailure, var explained = explain(error) as? GranaryError else { return error }
        explained.key = StoredValue(row[keyPosition])
        return explained
    }

    /// Names the entity and the attribute at which a record could not be read or written.
    func explain(_ error: any Error) -> any Error {
        let (position, type, cause): (Int, String, any Error)
        switch error {
        case let error as DecodingFailure: (position, type, cause) = (error.position, error.type, error.cause)
        case let error as EncodingFailure: (position, type, cause) = (error.position, error.type, error.cause)
        default: return error
        }
        let attribute = attributes.indices.contains(position) ? attributes[position].name : "\(position)"
        let error =
            cause as? GranaryError
            ?? GranaryError(.typeMismatch, "The value cannot be made a \(type): \(Swift.type(of: cause)).")
        return error.about(self, attribute)
    }
}

/// Which record type is which entity of a stack's schema, found and checked once a type.
///
/// Every read asks, so that asking takes no lock and computes no hash: the types found so far are a list that is never
/// changed. A further type makes a new list, and the old ones stay until the end, because another thread may be reading one.
final class RecordTypes: Sendable {
    private final class List: Sendable {
        let entries: [(type: ObjectIdentifier, position: Int)]

        init(_ entries: [(type: ObjectIdentifier, position: Int)]) { self.entries = entries }

        func position(of type: ObjectIdentifier) -> Int? { entries.first { $0.type == type }?.position }
    }

    private let newest = Atomic<Unmanaged<List>?>(nil)
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var lists: [List] = []

    /// - Throws: `unknownEntity` if the schema lacks the type, `schemaMismatch` if it has another entity of that name.
    func position<R: Record>(of type: R.Type, in schema: Schema) throws -> Int {
        let known = newest.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
            $0.position(of: ObjectIdentifier(type))
        }
        return try known ?? nil ?? find(type, in: schema)
    }

    @inline(never) private func find<R: Record>(_ type: R.Type, in schema: Schema) throws -> Int {
        let position = try schema.position(ofEntity: R.entityName)
        let (declared, stored) = (R.entity, schema.entities[position])
        let agree =
            declared.attributes.count == stored.attributes.count
            && zip(declared.attributes, stored.attributes).allSatisfy {
                ($0.name, $0.type, $0.isOptional) == ($1.name, $1.type, $1.isOptional)
            }
        guard agree, declared.key == stored.key else {
            throw GranaryError(
                .schemaMismatch,
                "\(R.self) declares other attributes than the entity \(R.entityName) of the stack's schema. Pass \(R.self).self to Schema(...).",
                entity: R.entityName)
        }
        lock.withLock {
            let entries = lists.last?.entries ?? []
            if entries.contains(where: { $0.type == ObjectIdentifier(type) }) { return }
            let list = List([(ObjectIdentifier(type), position)] + entries)
            lists.append(list)
            newest.store(Unmanaged.passUnretained(list), ordering: .releasing)
        }
        return position
    }
}
