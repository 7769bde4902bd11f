/// A cursor over rows that a store finds by itself, one at a time.
///
/// It keeps what ``RowCursor`` promises: the row that it lends stays until the next call, a write ends it, and so does the end of
/// the transaction.
public final class StoredRowCursor: RowCursor {
    private let source: any RowSource
    private let version: Int
    private let find: () throws -> StoredRow?
    private var lent: StoredRow?
    private var isAtEnd = false

    /// - Parameters:
    ///   - source: What is asked whether the read was cancelled, or a write has ended the cursor.
    ///   - find: Gives the next row in the order of the request, with limit and offset taken; nil at the end. A long search in it
    ///     calls ``RowSource/check()`` now and then.
    public init(_ source: any RowSource, _ find: @escaping () throws -> StoredRow?) {
        self.source = source
        self.find = find
        version = source.version
    }

    public func next() throws -> Row? {
        try source.check()
        guard source.version == version else { throw GranaryError.cursorInvalidated }
        lent = isAtEnd ? nil : try find()
        isAtEnd = lent == nil
        return lent?.row
    }
}
