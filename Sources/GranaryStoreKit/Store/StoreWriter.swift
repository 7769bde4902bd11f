/// The single write transaction.
///
/// Each call is a statement. A statement that throws has changed nothing, and the transaction goes on. After `full`,
/// `io` and `corrupt` the transaction can only be ended.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `insert`, `update`, `upsert` | the rules of the schema hold after each: uniqueness always, references unless deferred |
/// | `delete` | follows the delete rules through all references to the row, or changes nothing |
/// | `commit` | durable as requested, and complete: after a crash all of it exists, or nothing |
public protocol StoreWriter: StoreReader, SavepointWriting, ReferenceDeferring, StatementWriting, ChangeRecording,
    HistoryWriting, StoreFilling
{
    /// Adds a row. If the entity's keys are assigned and the row's key is 0, the store makes a key.
    ///
    /// - Returns: The new key, or nil if the row had its own.
    /// - Throws: `uniqueness`, `danglingReference`, `limit`.
    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64?
    /// Replaces the row with the same key. Returns false if no row has that key.
    func update(_ row: borrowing Row, in entity: Int) throws -> Bool
    /// Deletes the row with a key, following the delete rules. Returns false if no row has the key.
    func delete(_ key: Cell, from entity: Int) throws -> Bool

    /// Makes everything durable, to the degree requested of the store, and ends the transaction. If it throws, nothing
    /// was changed; only after `commitOutcomeUnknown` this is not known.
    ///
    /// - Returns: The number of the newest commit: of this one, or of the one before if this one changed nothing.
    @discardableResult func commit() throws -> UInt64
}

/// Undoes a part of a transaction.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginSavepoint` | savepoints nest as deep as the capabilities' limits say, at least 100; one more throws `limit` and changes nothing: see ``Capabilities/Limits/checkSavepoint(insideOf:)`` |
/// | `releaseSavepoint` | the innermost savepoint ends; its writes belong to the enclosing savepoint, or to the transaction |
/// | `rollbackSavepoint` | all effects of its writes are undone: rows, assigned keys, history, deferred references, cursors |
///
/// `releaseSavepoint` and `rollbackSavepoint` are called only while a savepoint is open; otherwise the stores of this
/// library throw `closed`.
public protocol SavepointWriting: AnyObject {
    /// Begins a savepoint inside the innermost open one.
    ///
    /// - Throws: `limit` if it would nest too deep.
    func beginSavepoint() throws
    /// Ends the innermost savepoint, and keeps its writes.
    func releaseSavepoint() throws
    /// Undoes all writes since the innermost savepoint began, and ends that savepoint.
    func rollbackSavepoint() throws
}

/// Writes records that refer to each other, in any order: references are checked once all records exist.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `deferReferences` | from now on references may dangle; all other rules still hold; may be called again before the check |
/// | `checkReferences` | checks each row that was written since the innermost `deferReferences` and still exists |
///
/// Both are called inside one savepoint, which is rolled back if the check throws.
public protocol ReferenceDeferring: AnyObject {
    /// References may dangle from now on until ``checkReferences()``. Called only inside a savepoint, which is rolled
    /// back if the check throws.
    func deferReferences() throws
    /// Checks the rows written since the innermost ``deferReferences()``, and ends that part.
    ///
    /// - Throws: `danglingReference` with the entity and the attribute.
    func checkReferences() throws
}

/// Statements about many rows, or about a row that may exist. By default they use the other statements, row by row.
/// Then rows that deny each other's deletion in a circle cannot be deleted together, which the suite requires.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `upsert` | like `update` if a row with the key exists, otherwise like `insert`; with their rules, errors and new keys |
/// | `updateAll` | changes the rows that matched the request before the statement, each once, or none of them |
/// | `deleteAll` | deletes the rows that matched the request before the statement, with the delete rules, or none of them |
///
/// The counts are of matching rows. Rows that only a delete rule changed are not counted.
public protocol StatementWriting: AnyObject {
    /// Inserts the row, or replaces the one with the same key. Returns the new key, like `insert`.
    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64?
    /// Sets attributes of all rows of a request, or adds to them, each attribute once, never the key. Returns the
    /// number of matching rows.
    ///
    /// A store may check uniqueness row by row: if that fails, the caller repeats the statement with placeholders.
    ///
    /// - Throws: `overflow` if a sum does not fit its attribute.
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int
    /// Deletes all rows of a request, following the delete rules. Returns the number of matching rows.
    func deleteAll(_ request: FetchRequest) throws -> Int
}

/// The report of a store with ``Capability/changeRecording`` about its writes. By default a store cannot report them.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `record` | each row that a statement inserts, changes or deletes is recorded, also by delete rules and requests; no other row |
/// | savepoints | begin, end and are rolled back in the recorder together with the writer's own |
/// | `prepareCommit` | when it returns, all changes of the transaction are recorded; it commits nothing |
public protocol ChangeRecording: AnyObject {
    /// From now on every row that any statement inserts, changes or deletes is recorded. Called before the first write.
    ///
    /// - Throws: `unsupported` if the engine cannot report its changes.
    func record(into recorder: ChangeRecorder) throws
    /// Called before ``StoreWriter/commit()``, after the last statement, and before the hooks of records are asked: a writer that
    /// holds statements back runs them now, so that what is noted is whole. Statements may follow. Nothing by default.
    func prepareCommit() throws
}

extension ChangeRecording {
    public func record(into recorder: ChangeRecorder) throws {
        throw GranaryError.unsupported(
            .changeRecording,
            "This store cannot tell what a transaction changes, which \(Capability.changeRecording) needs.")
    }
    public func prepareCommit() throws {}
}

extension StoreWriter {
    public func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        if try update(row, in: entity) { return nil }
        return try insert(row, into: entity)
    }

    public func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let rows = try storedRows(request)
        let entity = schema.entities[request.entity]
        try entity.check(values)
        try undoneIfFailing {
            for row in rows {
                let changed = try entity.applying(values, to: row)
                _ = try update(changed.row, in: request.entity)
            }
        }
        return rows.count
    }

    public func deleteAll(_ request: FetchRequest) throws -> Int {
        let rows = try storedRows(request)
        let keyPosition = schema.entities[request.entity].keyPosition
        try undoneIfFailing {
            var left = rows.map { StoredValue($0[keyPosition]) }
            // A row may be kept from deletion by another one that is also to be deleted.
            while !left.isEmpty {
                var denied: [StoredValue] = []
                var denial: GranaryError?
                for key in left {
                    do {
                        _ = try key.withCell { try delete($0, from: request.entity) }
                    } catch let error as GranaryError where error.code == .deniedDeletion {
                        denied.append(key)
                        denial = denial ?? error
                    }
                }
                if let denial, denied.count == left.count { throw denial }
                left = denied
            }
        }
        return rows.count
    }

    /// Copies of the rows, because writing ends earlier cursors.
    private func storedRows(_ request: FetchRequest) throws -> [StoredRow] {
        guard schema.entities.indices.contains(request.entity) else { throw GranaryError.noEntity(at: request.entity) }
        let cursor = try rows(request)
        var rows: [StoredRow] = []
        while let row = try cursor.next() { rows.append(StoredRow(row)) }
        return rows
    }

    private func undoneIfFailing(_ body: () throws -> Void) throws {
        try beginSavepoint()
        do {
            try body()
            try releaseSavepoint()
        } catch {
            try rollbackSavepoint()
            throw error
        }
    }
}
