/// The one write transaction.
///
/// Each call is a statement. A statement that throws has changed nothing, and the transaction goes on. After `full`, `io`
/// and `corrupt` the transaction can only be ended.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `insert`, `update`, `upsert` | the rules of the schema hold after each: uniqueness always, references unless deferred |
/// | `delete` | follows the delete rules through all that refers to the row, or changes nothing |
/// | `commit` | durable as asked for, and whole: after a crash all of it is there, or nothing |
public protocol StoreWriter: StoreReader, SavepointWriting, ReferenceDeferring, StatementWriting, ChangeRecording,
    HistoryWriting, StoreFilling
{
    /// Adds a row. Where the entity's key is assigned and the row's is 0, the store makes one.
    ///
    /// - Returns: The key made, or nil if the row had its own.
    /// - Throws: `uniqueness`, `danglingReference`, `limit`.
    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64?
    /// Replaces the row with the same key. Returns false if no row has that key.
    func update(_ row: borrowing Row, in entity: Int) throws -> Bool
    /// Deletes the row with a key, following the delete rules. Returns false if no row has the key.
    func delete(_ key: Cell, from entity: Int) throws -> Bool

    /// Makes all durable, as far as the store was asked to, and ends the transaction. If it throws, nothing was changed;
    /// `commitOutcomeUnknown` alone says that this could not be found out.
    ///
    /// - Returns: The number of the last commit: this one's, or if it changed nothing, the one's before.
    @discardableResult func commit() throws -> UInt64
}

/// Undoing a part of a transaction.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginSavepoint` | savepoints nest as deep as the capabilities' limits say, at least 100; one more throws `limit` and changes nothing: see ``Capabilities/Limits/checkSavepoint(insideOf:)`` |
/// | `releaseSavepoint` | the innermost savepoint ends; what was written in it belongs to the one around it, or to the transaction |
/// | `rollbackSavepoint` | nothing is left of what was written in it: rows, assigned keys, history, deferred references, cursors |
///
/// `releaseSavepoint` and `rollbackSavepoint` are called only while a savepoint is open; otherwise the stores of this library
/// throw `closed`.
public protocol SavepointWriting: AnyObject {
    /// Begins a savepoint inside the innermost one that is open.
    ///
    /// - Throws: `limit` where it would nest too deep.
    func beginSavepoint() throws
    /// Ends the innermost savepoint, and keeps what was written in it.
    func releaseSavepoint() throws
    /// Undoes what was written since the innermost savepoint began, and ends that savepoint.
    func rollbackSavepoint() throws
}

/// Writing records that refer to each other, in whatever order: references are checked once they are all there.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `deferReferences` | from here references may dangle; all other rules hold as before; may be called again before the check |
/// | `checkReferences` | looks at each row that was written since the innermost `deferReferences`, and that is there still |
///
/// Both are called inside one savepoint, which is rolled back if the check throws.
public protocol ReferenceDeferring: AnyObject {
    /// From here to ``checkReferences()`` references may dangle. Called only inside a savepoint, which is rolled back if
    /// the check throws.
    func deferReferences() throws
    /// Checks what was written since the innermost ``deferReferences()``, and ends that part.
    ///
    /// - Throws: `danglingReference` naming the entity and the attribute.
    func checkReferences() throws
}

/// Statements about many rows, or about one that may be there. By default they are made of the others, row by row:
/// so rows that deny each other's deletion in a circle cannot be deleted together, as the suite asks.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `upsert` | what `update` does if a row has the key, else what `insert` does; their rules, errors and new keys |
/// | `updateAll` | changes the rows that the request named before the statement, each once, or none of them |
/// | `deleteAll` | deletes the rows that the request named before the statement, with the delete rules, or none of them |
///
/// The counts are of the rows that the request named. Rows that only a delete rule changed are not counted.
public protocol StatementWriting: AnyObject {
    /// Inserts the row, or replaces the one with the same key. Returns the key made, as `insert`.
    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64?
    /// Sets attributes, never the key, of all rows a request names, or adds to them; each attribute once. Returns how many
    /// rows matched.
    ///
    /// A store may check uniqueness row by row: the writer's caller does it again in a way that ends where it should.
    ///
    /// - Throws: `overflow` if a sum does not fit its attribute.
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int
    /// Deletes all rows a request names, following the delete rules. Returns how many matched.
    func deleteAll(_ request: FetchRequest) throws -> Int
}

/// What a store tells about its writes, if it has ``Capability/changeRecording``. By default it cannot tell.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `record` | each row that a statement inserts, changes or deletes is noted, also by delete rules and requests; no other row |
/// | savepoints | begin, end and are rolled back in the recorder with the writer's own |
/// | `prepareCommit` | when it returns, all that the transaction changed is noted; it commits nothing |
public protocol ChangeRecording: AnyObject {
    /// From here on every row that is inserted, changed or deleted is noted, whatever statement does it. Called before the
    /// first write.
    ///
    /// - Throws: `unsupported` if the engine cannot tell.
    func record(into recorder: ChangeRecorder) throws
    /// Called once before ``StoreWriter/commit()``, after the last statement: a writer that holds statements back runs them
    /// now, so that what is noted is whole. Nothing by default.
    func prepareCommit() throws
}

extension ChangeRecording {
    public func record(into recorder: ChangeRecorder) throws {
        throw GranaryError(
            .unsupported,
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
            // A row may be denied its deletion by another one that is to be deleted, too.
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

    /// Copies of the rows: writing ends the cursors of before.
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
