public import GranaryStoreKit

/// A row that an SQL statement returned: values by the names of columns, and by position.
public struct SQLRow: Sendable, Hashable {
    /// The columns' names. Give names to computed columns: `count(*) AS songs`.
    public let columns: [String]
    /// The values as stored, in the order of ``columns``.
    public let values: [StoredValue]

    init(columns: [String], values: [StoredValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value of a column.
    ///
    /// - Throws: `invalidQuery` if no column or several have the name, `typeMismatch` if the column holds another type
    ///   (NULL, if the type is not optional), `range` if the value does not fit.
    public func value<Value: AttributeValue>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try value(at: columns.position(ofColumn: name), as: type)
    }

    /// The value at a position, counted from 0.
    ///
    /// - Throws: Like ``value(_:as:)``.
    public func value<Value: AttributeValue>(at position: Int, as type: Value.Type = Value.self) throws -> Value {
        guard values.indices.contains(position) else {
            throw GranaryError(.invalidQuery, "There is no column \(position): the row has \(values.count), from 0 on.")
        }
        return try values[position].withCell { cell in
            let isKind = cell.isNull ? Value.isOptional : cell.kind == Value.attributeType.storage
            guard isKind else {
                throw GranaryError(
                    .typeMismatch,
                    "Column \(columns[position]) holds \(cell.kind), not \(Value.attributeType)\(Value.isOptional ? " or null" : ""). Ask for another type, or use CAST."
                )
            }
            return try Value.decode(cell)
        }
    }
}

extension [String] {
    /// The position of the only column with a name.
    func position(ofColumn name: String) throws -> Int {
        guard let first = firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) else {
            throw GranaryError(
                .invalidQuery, "There is no column \(name). There are: \(joined(separator: ", ")). Name one with AS.")
        }
        guard !self[(first + 1)...].contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
            throw GranaryError(.invalidQuery, "There are several columns \(name). Select one, or name them with AS.")
        }
        return first
    }
}
