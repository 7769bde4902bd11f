/// Values that a query gives in place of records: what is asked for, and how a row of them becomes Swift values.
package struct Selection<Output: Sendable>: Sendable {
    package let columns: [AnyExpression]
    package let read: @Sendable (inout ColumnReader) throws -> Output

    /// One value, as it is.
    package init<Value: QueryExpression>(_ value: Value) where Output == Value.Value {
        columns = [value.untyped]
        read = { try $0.next(Value.Value.self) }
    }

    /// Several values, as a tuple.
    package init<each Value: QueryExpression>(tuple values: repeat each Value)
    where Output == (repeat (each Value).Value) {
        columns = GranaryModel.untyped(repeat each values)
        read = { columns in (repeat try columns.next((each Value).Value.self)) }
    }

    /// What it makes of rows in their stored form.
    package func values(of rows: [[StoredValue]], _ entity: String) throws -> [Output] {
        var writer = RowWriter(count: columns.count)
        return try rows.map { try value(of: $0, entity, &writer) }
    }

    /// What it makes of one row in its stored form.
    package func value(of row: [StoredValue], _ entity: String) throws -> Output {
        var writer = RowWriter(count: columns.count)
        return try value(of: row, entity, &writer)
    }

    private func value(of row: [StoredValue], _ entity: String, _ writer: inout RowWriter) throws -> Output {
        writer.reset(count: columns.count)
        for (position, value) in row.enumerated() { try value.encode(into: &writer, at: position) }
        return try writer.withRow { row in
            var columns = ColumnReader(row, entity)
            return try read(&columns)
        }
    }
}

/// Expressions without their types.
func untyped<each Value: QueryExpression>(_ values: repeat each Value) -> [AnyExpression] {
    var list: [AnyExpression] = []
    repeat list.append((each values).untyped)
    return list
}
