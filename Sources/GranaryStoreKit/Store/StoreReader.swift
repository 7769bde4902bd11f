/// One consistent state of a store. For one thread at a time.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `find` | the row with exactly this key, as it was written, bit for bit |
/// | `rows` | exactly the rows for which the condition holds, in the requested order, after limit and offset; lent one by one |
/// | `count` | the number of rows that `rows` gives |
/// | `lastAssignedKey` | never becomes smaller, even when rows are deleted |
/// | `transactionNumber` | grows by one with each commit that changed something, in every process |
/// | `end` | may be called at any time and again; afterwards every call throws `closed` |
///
/// After the flag given to ``Store/beginRead(_:)`` is set, calls throw `cancelled`, within about a thousand rows.
public protocol StoreReader: HistoryReading {
    /// The schema of the store.
    var schema: Schema { get }
    /// The number of the newest commit in this state.
    var transactionNumber: UInt64 { get }

    /// The row with a key, or nil. The row is lent until the next call to this reader.
    func find(_ key: Cell, in entity: Int) throws -> Row?
    /// The rows of a request, one at a time: every attribute at its position, or the request's columns, or one row for
    /// each group of its aggregation.
    func rows(_ request: FetchRequest) throws -> any RowCursor
    /// The greatest key that an entity with assigned keys has had, or 0.
    func lastAssignedKey(of entity: Int) throws -> Int64
    /// Ends the reader (a writer rolls back). Further calls throw `closed`; ending again does nothing.
    func end()

    /// The number of rows of a request, after its limit and offset. By default all rows are read.
    func count(_ request: FetchRequest) throws -> Int
    /// How the store would answer. By default a plan that scans.
    func explain(_ request: FetchRequest) throws -> QueryPlan
}

extension StoreReader {
    public func count(_ request: FetchRequest) throws -> Int {
        let rows = try rows(request)
        var count = 0
        while try rows.next() != nil { count += 1 }
        return count
    }

    public func explain(_ request: FetchRequest) throws -> QueryPlan {
        guard schema.entities.indices.contains(request.entity) else { throw GranaryError.noEntity(at: request.entity) }
        return QueryPlan([QueryPlan.Step(.scan, schema.entities[request.entity].name)])
    }
}

/// Rows one at a time.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | order | the request's, then that of the keys; each row once, as it was in the state that is read |
/// | `next` | the row and the bytes that its cells point at stay valid until the next call to this cursor, or its end |
/// | the end | nil, also when `next` is called again |
/// | other cursors | of the same reader may be read in between, and keep their positions |
/// | writing | any write of the transaction ends the cursor, and so does rolling a savepoint back |
/// | cancellation | once the reader's flag is set, `next` throws `cancelled`, within about a thousand rows |
public protocol RowCursor: AnyObject {
    /// The next row, lent until the next call; nil at the end, and in all further calls.
    ///
    /// - Throws: `cursorInvalidated` if its transaction has written since the cursor was made, `closed` if it has
    ///   ended.
    func next() throws -> Row?
}

extension RowCursor {
    /// The result of `make` for the next row; nil at the end.
    ///
    /// A row points into its cursor. The last use of a cursor ends its lifetime, so a row that is read afterwards would
    /// be invalid. This function keeps the cursor alive: use it to read a single row.
    package func firstRow<T>(_ make: (borrowing Row) throws -> T) throws -> T? {
        try withExtendedLifetime(self) {
            guard let row = try next() else { return nil }
            return try make(row)
        }
    }
}
