/// Values that a request gives instead of records: the expressions, and the conversion of a row into Swift values. The
/// forms of `select` make one.
public struct Selection<Output: Sendable>: Sendable {
    package let columns: [AnyExpression]
    private let read: @Sendable (inout ColumnReader) throws -> Output

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

    /// Values in stored form.
    package init(stored columns: [AnyExpression]) where Output == [StoredValue] {
        self.columns = columns
        let count = columns.count
        read = { columns in (0..<count).map { _ in columns.nextStored() } }
    }

    /// Values in stored form, under names.
    package init(stored columns: [AnyExpression], named names: [String]) where Output == [String: StoredValue] {
        self.columns = columns
        read = { columns in Dictionary(names.map { ($0, columns.nextStored()) }) { first, _ in first } }
    }

    /// The output for a row that a store has returned.
    ///
    /// - Throws: An error that names the entity, and the attribute if the column is an attribute or an aggregate of
    ///   one.
    package func value(of row: borrowing Row, _ entity: String) throws -> Output {
        var reader = ColumnReader(row, entity)
        do {
            return try read(&reader)
        } catch var error as GranaryError where error.attributes.isEmpty {
            let column = reader.position - 1
            if columns.indices.contains(column), let name = columns[column].root.attribute { error.attributes = [name] }
            throw error
        }
    }

    /// The outputs for rows in their stored form.
    package func values(of rows: [[StoredValue]], _ entity: String) throws -> [Output] {
        var writer = RowWriter(count: columns.count)
        return try rows.map { try value(of: $0, entity, &writer) }
    }

    /// The output for one row in its stored form.
    package func value(of row: [StoredValue], _ entity: String) throws -> Output {
        var writer = RowWriter(count: columns.count)
        return try value(of: row, entity, &writer)
    }

    private func value(of row: [StoredValue], _ entity: String, _ writer: inout RowWriter) throws -> Output {
        writer.reset(count: columns.count)
        for (position, value) in row.enumerated() { try value.encode(into: &writer, at: position) }
        return try writer.withRow { try self.value(of: $0, entity) }
    }
}

/// Expressions without their types.
func untyped<each Value: QueryExpression>(_ values: repeat each Value) -> [AnyExpression] {
    var list: [AnyExpression] = []
    repeat list.append((each values).untyped)
    return list
}

extension AnyExpression.Node {
    /// The attribute or path, if the value is an attribute or an aggregate of one.
    fileprivate var attribute: String? {
        switch self {
        case .attribute(let path): path
        case .aggregate(_, let value, let relationship, _, _):
            value?.attribute.map { name in relationship.map { "\($0).\(name)" } ?? name }
        case .value, .literal, .arithmetic, .function, .ifNil, .rank, .invalid: nil
        }
    }
}
