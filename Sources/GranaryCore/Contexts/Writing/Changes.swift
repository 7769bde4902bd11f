/// The fields that ``Request/updateAll(in:_:)`` sets or adds to, one after the other.
public struct Changes<R: Record> {
    typealias Value = Result<StoredValue, GranaryError>
    var values: [(name: String, operation: Assignment.Operation, value: Value)] = []

    /// Sets a field; the last value given for a field counts.
    public mutating func set<Value>(_ field: KeyPath<R.Fields, Field<R, Value>>, to value: Value) {
        set(R.fields[keyPath: field].attributePath, to: value)
    }

    /// Sets a field kept as a ``ScaledDecimal``. A Decimal that the field cannot hold throws `range`; nothing is
    /// rounded.
    public mutating func set<Value: ScaledAttributeValue>(
        _ field: KeyPath<R.Fields, Field<R, Value>>, to value: some DecimalAttributeValue
    ) { set(R.fields[keyPath: field].attributePath, to: Value(value._decimal)) }

    /// Sets an optional field kept as a ``ScaledDecimal``. A Decimal that the field cannot hold throws `range`; nothing
    /// is rounded.
    public mutating func set<Value: ScaledAttributeValue>(
        _ field: KeyPath<R.Fields, Field<R, Value?>>, to value: (some DecimalAttributeValue)?
    ) { set(R.fields[keyPath: field].attributePath, to: value.map { Value($0._decimal) }) }

    /// Adds to a number; a negative amount subtracts.
    ///
    /// ```swift
    /// try Song.where { $0.id == key }.updateAll(in: context) { $0.add(\.plays, 1) }
    /// ```
    ///
    /// The result does not depend on a value that was read, so additions never conflict. When a context is saved or
    /// refreshed, the sum of its additions is added to the value that the record then has. If the same context also
    /// sets the field with ``set(_:to:)-(_,Value)``, before or after, the field becomes an ordinary change.
    ///
    /// Nil stays nil. Integers and decimals are exact. Doubles are rounded at each addition, so their last digit
    /// depends on the order. The call throws `overflow` if a sum does not fit its field, and `range` for a decimal of
    /// more than 38 digits; then no record has changed. A save throws the same if the sum no longer fits.
    public mutating func add<Value: AddableAttributeValue>(
        _ field: KeyPath<R.Fields, Field<R, Value>>, _ amount: Value.Amount
    ) { append(R.fields[keyPath: field].attributePath, .add) { try Value._stored(amount) } }

    private mutating func set(_ name: String, to value: some AttributeValue) {
        values.removeAll { $0.name == name }
        append(name, .set) { try StoredValue(encoding: value) }
    }

    private mutating func append(
        _ name: String, _ operation: Assignment.Operation, _ value: () throws -> StoredValue
    ) {
        let value = Result(catching: value).mapError {
            $0 as? GranaryError
                ?? GranaryError(
                    .range,
                    "The value for \(name) cannot be encoded: \(type(of: $0)). Give a value that its type can encode.")
        }
        values.append((name, operation, value))
    }
}
