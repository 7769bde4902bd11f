/// A place that keeps records: the protocol for an engine with queries of its own. An engine with ordered keys alone
/// implements `OrderedKeyValueEngine` instead and gets all of this.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginRead` | the newest committed state, repeatable until `end()`; does not wait for the writer; as many at once as asked |
/// | `beginWrite` | waits its turn up to the time-out, then `busy`; sees its own writes; begun and ended on one thread |
/// | `replaceGeneration` | no transaction is lost or disturbed; a process that is killed leaves the old files or the new |
/// | `close` | called once, with nothing open |
///
/// Every call may block, and is made on threads that may: never on Swift's cooperative pool.
public protocol Store: AnyObject, Sendable {
    /// A short name: `sqlite`, `lmdb`, `memory`.
    var kind: String { get }
    /// The schema the store was opened with, with the numbers the store gives.
    var schema: Schema { get }
    var capabilities: Capabilities { get }
    /// Where the engine's files are, for people who want to look inside; nil if there are none.
    var location: String? { get }
    /// Made when the store is opened, one for all that use it in this process.
    var coordinator: StoreCoordinator { get }

    /// Begins to read. The flag is looked at while the store works; once it is set, calls throw `cancelled`.
    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader
    func beginWrite() throws -> any StoreWriter
    /// Checks every row, index and page it can, and says what is wrong, one line a fault.
    func verify() throws -> [String]
    /// Puts new files in the place of those the store has, under the stacks and contexts of this process that have it
    /// open. Reads that are under way finish on the old files; writes wait, and then go to the new ones. The content's
    /// number of the last commit goes on.
    ///
    /// A store without files has nothing to replace, and by default does nothing.
    ///
    /// - Throws: `busy` if another process has the store open, `reentrantWrite` inside a write of the same thread,
    ///   `readOnly`, `full`. The old files stay then.
    func replaceGeneration(with content: GenerationContent) throws
    func close() throws
}

extension Store {
    public func replaceGeneration(with content: GenerationContent) throws {}
}

/// What the new files of a store are to hold.
public enum GenerationContent: Sendable, Hashable {
    /// All that is in the store, and no free space.
    case compacted
}

/// One consistent state of a store. For one thread at a time.
public protocol StoreReader: AnyObject {
    /// The number of the last commit this state holds; grows by one with each commit that changed something.
    var transactionNumber: UInt64 { get }

    /// The row with a key, or nil. The row is lent until the next call to this reader.
    func find(_ key: Cell, in entity: Int) throws -> Row?
    /// The rows a request names, one at a time: every attribute in its place, or the request's columns.
    func rows(_ request: FetchRequest) throws -> any RowCursor
    /// How many rows a request names, its limit and offset included.
    func count(_ request: FetchRequest) throws -> Int
    /// Aggregates of the rows a request names, a row a group.
    func aggregate(_ request: AggregateRequest) throws -> any RowCursor
    /// How the store would answer.
    func explain(_ request: FetchRequest) throws -> QueryPlan
    func explain(_ request: AggregateRequest) throws -> QueryPlan
    /// The greatest key an entity with assigned keys has had, 0 if none.
    func lastAssignedKey(of entity: Int) throws -> Int64
    /// What is kept of commits after a number, in their order, at most so many; see ``StoreWriter/keepHistory(_:)``.
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry]
    /// Ends it (a writer: rolls back). Further calls throw `closed`; ending again does nothing.
    func end()
}

/// Rows one at a time.
public protocol RowCursor: AnyObject {
    /// The next row, lent until the next call; nil at the end, and from then on.
    ///
    /// - Throws: `cursorInvalidated` if its transaction has written since the cursor was made, `closed` if it has ended.
    func next() throws -> Row?
}

extension RowCursor {
    /// What is made of the next row; nil at the end.
    ///
    /// A row points into its cursor. One that is read after the last use of the cursor is read after its end, for which
    /// nothing but this keeps it: reading a single row goes through here.
    package func firstRow<T>(_ make: (borrowing Row) throws -> T) throws -> T? {
        try withExtendedLifetime(self) {
            guard let row = try next() else { return nil }
            return try make(row)
        }
    }
}

/// The one write transaction.
///
/// Each call is a statement: when it throws, nothing of it has been done, and the transaction goes on. Only after `full`,
/// `io` and `corrupt` can it only be ended.
public protocol StoreWriter: StoreReader {
    /// Adds a row. Where the entity's key is assigned and the row's is 0, the store makes one.
    ///
    /// - Returns: The key made, or nil if the row had its own.
    /// - Throws: `uniqueness`, `danglingReference`, `limit`.
    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64?
    /// Replaces the row with the same key. Returns false, having done nothing, if there is none.
    func update(_ row: borrowing Row, in entity: Int) throws -> Bool
    /// Inserts the row, or replaces the one with the same key. Returns the key made, as `insert`.
    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64?
    /// Deletes the row with a key, following the delete rules. Returns false if there is none.
    func delete(_ key: Cell, from entity: Int) throws -> Bool
    /// Sets attributes, never the key, of all rows a request names, or adds to them; each attribute once. Returns how many
    /// rows matched.
    ///
    /// A store may check uniqueness row by row: the writer's caller does it again in a way that ends where it should.
    ///
    /// - Throws: `overflow` if a sum does not fit its attribute.
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int
    /// Deletes all rows a request names, following the delete rules. Returns how many matched.
    func deleteAll(_ request: FetchRequest) throws -> Int

    /// From here to ``checkReferences()`` references may dangle. Called only inside a savepoint, which is rolled back if
    /// the check throws.
    func deferReferences() throws
    /// Checks what was written since ``deferReferences()``.
    ///
    /// - Throws: `danglingReference` naming the entity and the attribute.
    func checkReferences() throws

    /// At least 100 deep.
    func beginSavepoint() throws
    func releaseSavepoint() throws
    /// Undoes what was written since the innermost savepoint began, and ends that savepoint.
    func rollbackSavepoint() throws

    /// From here on every row that is inserted, changed or deleted is noted, whatever statement does it. Called before the
    /// first write.
    ///
    /// - Throws: `unsupported` if the engine cannot tell.
    func record(into recorder: ChangeRecorder) throws
    /// Keeps an entry in the store with the rest of the transaction, until ``deleteHistory(through:)``.
    func keepHistory(_ entry: HistoryEntry) throws
    /// Forgets the entries up to a number. Counts as no change.
    func deleteHistory(through number: UInt64) throws

    /// Called once before ``commit()``, after the last statement: a writer that holds statements back runs them now, so that
    /// what is noted is whole. Nothing by default.
    func prepareCommit() throws
    /// Makes all durable, as far as the store was asked to, and ends the transaction. If it throws, nothing was changed;
    /// `commitOutcomeUnknown` alone says that this could not be found out.
    ///
    /// - Returns: The number of the last commit: this one's, or if it changed nothing, the one's before.
    @discardableResult func commit() throws -> UInt64
}

extension StoreWriter {
    public func prepareCommit() throws {}
}

/// What a store keeps of a commit.
public struct HistoryEntry: Sendable, Hashable {
    /// The commit's number.
    public var number: UInt64
    /// Seconds since 2001-01-01 00:00:00 UTC.
    public var time: Double
    /// Who wrote it, if named.
    public var author: String?
    /// The changes, in core's own form.
    public var changes: [UInt8]

    public init(number: UInt64, time: Double, author: String?, changes: [UInt8]) {
        self.number = number
        self.time = time
        self.author = author
        self.changes = changes
    }
}
