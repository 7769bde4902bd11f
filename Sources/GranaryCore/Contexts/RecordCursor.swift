/// The records of a query, one at a time.
///
/// A write in the same transaction ends it: the next step throws `cursorInvalidated`.
public final class RecordCursor<R: Record> {
    @usableFromInline let rows: any RowCursor
    @usableFromInline let context: ReadContext
    @usableFromInline let entity: Int

    @usableFromInline init(rows: any RowCursor, context: ReadContext, entity: Int) {
        self.rows = rows
        self.context = context
        self.entity = entity
    }

    /// The next record, or nil at the end.
    @inlinable public func next() throws -> R? {
        try context.checkOpen()
        guard let row = try rows.next() else { return nil }
        do {
            return try R(row: row)
        } catch {
            throw context.explain(error, entity, row)
        }
    }
}
