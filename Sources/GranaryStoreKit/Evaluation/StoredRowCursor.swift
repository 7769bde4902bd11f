/// A cursor over rows that a store finds itself, one at a time.
///
/// It keeps the guarantees of ``RowCursor``: the lent row stays valid until the next call; a write, and the end of the
/// transaction, end the cursor.
public final class StoredRowCursor: RowCursor {
    private let source: any RowSource
    private let version: Int
    private let find: () throws -> StoredRow?
    private var lent: StoredRow?
    private var isAtEnd = false

    /// - Parameters:
    ///   - source: The source that says whether the read was cancelled or a write has ended the cursor.
    ///   - find: Returns the next row in the order of the request, after limit and offset; nil at the end. A long
    ///     search should call ``RowSource/check()`` now and then.
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
