/// The results of a request, one at a time.
///
/// A write in the same transaction ends it: the next step throws `cursorInvalidated`.
public final class RequestCursor<Root: Fetchable, Output: Sendable> {
    /// The number of records that are gathered before their related records are loaded.
    private static var batchSize: Int { 500 }

    private let making: Making<Root, Output>
    private let context: ReadContext
    /// Nil once all rows have been read, and for values that are in memory already.
    private var source: (rows: any RowCursor, entity: Int)?
    /// Outputs that have been made and not returned yet, the next one last.
    private var waiting: [Output]

    init(rows request: FetchRequest, _ making: Making<Root, Output>, in context: ReadContext) throws {
        self.making = making
        self.context = context
        source = (try context.rows(request), request.entity)
        waiting = []
    }

    /// A cursor over values that are in memory already.
    init(_ values: [Output], _ making: Making<Root, Output>, in context: ReadContext) {
        self.making = making
        self.context = context
        waiting = values.reversed()
    }

    /// The next result, or nil at the end.
    public func next() throws -> Output? {
        try context.checkOpen()
        if let next = waiting.popLast() { return next }
        guard let (rows, position) = source else { return nil }
        // A row points into its cursor. This is also true of the row that an error is about.
        defer { withExtendedLifetime(rows) {} }
        switch making {
        case .values(let selection):
            guard let row = try rows.next() else { return nil }
            return try selection.value(of: row, context.schema.entities[position].name)
        case .records(let related):
            guard let one = related.one else { return try nextLoaded(related, rows, position) }
            guard let row = try rows.next() else { return nil }
            do {
                return try one(try Root._read(row, context.schema.entities[position]))
            } catch {
                throw context.explain(error, position, row)
            }
        }
    }

    private func nextLoaded(
        _ related: LoadedRelationships<Root, Output>, _ rows: any RowCursor, _ position: Int
    ) throws -> Output? {
        let entity = context.schema.entities[position]
        var batch = RecordBatch<Root>(of: position, isWhole: false, in: context.schema)
        while batch.records.count < RequestCursor.batchSize {
            guard let row = try rows.next() else {
                source = nil
                break
            }
            batch.keep(row)
            do {
                try Root._append(row, entity, to: &batch.records)
            } catch {
                throw context.explain(error, position, row)
            }
        }
        if batch.records.isEmpty { return nil }
        waiting = try related.joined(batch, in: context).reversed()
        return waiting.popLast()
    }
}
