/// The fields that ``Request/updateAll(in:_:)`` sets or adds to, one after the other.
///
/// ```swift
/// try Song.all.updateAll(in: tx) { $0.set(\.rating, to: 5) }
/// try Song.all.updateAll(in: tx) { $0.plays += 1 }
/// try Line.all.updateAll(in: tx) { $0.set(\.total, to: $0.price * $0.quantity) }
/// ```
///
/// A field of the changes is the field of a query: what is computed from it is computed from the record as it was before the call,
/// whatever else the call changes. So two assignments may exchange two fields.
@dynamicMemberLookup
public struct Changes<R: Record> {
    enum Change {
        case assign(Assignment.Operation, Result<StoredValue, GranaryError>)
        case compute(AnyExpression)
    }

    var changes: [(name: String, change: Change)] = []

    /// A field of the record as it was, to compute with.
    public subscript<Value>(dynamicMember field: KeyPath<R.Fields, Field<R, Value>>) -> Field<R, Value> {
        R.fields[keyPath: field]
    }

    /// A to-many relationship of the record as it was, to compute with: `$0.set(\.songCount, to: $0.songs.count)`.
    public subscript<Target: Record>(
        dynamicMember relationship: KeyPath<R.Fields, Related<R, Target>>
    ) -> Related<R, Target> { R.fields[keyPath: relationship] }

    /// A field to add to or subtract from: `$0.plays += 1`.
    public subscript<Value: AddableAttributeValue>(
        dynamicMember field: KeyPath<R.Fields, Field<R, Value>>
    ) -> AddableField<R, Value> {
        get { AddableField(name: R.fields[keyPath: field].attributePath) }
        set { changes += newValue.changes }
    }

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

    /// Sets a field of each record to a value computed from that record.
    ///
    /// ```swift
    /// try Song.all.updateAll(in: tx) {
    ///     $0.set(\.score, to: $0.plays - $0.skips)
    ///     $0.set(\.albumTitle, to: $0.album.title)
    /// }
    /// ```
    ///
    /// Nil for a field that is not optional throws `required`, an integer that does not fit a narrower one throws `range`; then no
    /// record has changed. Cost: each record is read and written, as if one by one; the changed records are held in memory.
    public mutating func set<Value, Expression: QueryExpression>(
        _ field: KeyPath<R.Fields, Field<R, Value>>, to expression: Expression
    ) where Expression.Root == R, Expression.Value.Unwrapped.Widened == Value.Unwrapped.Widened {
        compute(R.fields[keyPath: field].attributePath, expression.untyped)
    }

    /// Sets a decimal field of each record to a decimal of another kind, computed from that record. A number with more places than
    /// the field has throws `range`; nothing is rounded.
    @_disfavoredOverload
    public mutating func set<Value, Expression: QueryExpression>(
        _ field: KeyPath<R.Fields, Field<R, Value>>, to expression: Expression
    )
    where
        Expression.Root == R, Value.Unwrapped: ExactAttributeValue, Expression.Value.Unwrapped: ExactAttributeValue
    { compute(R.fields[keyPath: field].attributePath, expression.untyped) }

    /// Adds to a number; a negative amount subtracts. `$0.plays += 1` and `$0.plays -= 1` say the same.
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
    ) { changes.append(Changes.addition(R.fields[keyPath: field].attributePath) { try Value._stored(amount) }) }

    private mutating func set(_ name: String, to value: some AttributeValue) {
        changes.removeAll { $0.name == name }
        changes.append((name, .assign(.set, Changes.stored(name) { try StoredValue(encoding: value) })))
    }

    private mutating func compute(_ name: String, _ expression: AnyExpression) {
        changes.removeAll { $0.name == name }
        changes.append((name, .compute(expression)))
    }

    fileprivate static func addition(
        _ name: String, _ amount: () throws -> StoredValue
    ) -> (name: String, change: Change) { (name, .assign(.add, stored(name, amount))) }

    private static func stored(
        _ name: String, _ value: () throws -> StoredValue
    ) -> Result<StoredValue, GranaryError> {
        Result(catching: value).mapError {
            $0 as? GranaryError
                ?? GranaryError(
                    .range,
                    "The value for \(name) cannot be encoded: \(type(of: $0)). Give a value that its type can encode.")
        }
    }
}

/// A field of ``Changes`` that is added to.
///
/// ```swift
/// try Song.all.updateAll(in: tx) { $0.plays += 1 }
/// ```
public struct AddableField<R: Record, Value: AddableAttributeValue> {
    let name: String
    var changes: [(name: String, change: Changes<R>.Change)] = []

    /// Adds to the field; see ``Changes/add(_:_:)``.
    public static func += (field: inout AddableField, amount: Value.Amount) {
        field.changes.append(Changes<R>.addition(field.name) { try Value._stored(amount) })
    }

    /// Subtracts from the field; see ``Changes/add(_:_:)``.
    public static func -= (field: inout AddableField, amount: Value.Amount) {
        field.changes.append(Changes<R>.addition(field.name) { try Value._stored(amount).negated() })
    }
}

extension StoredValue {
    /// The number with its sign changed.
    ///
    /// - Throws: `overflow` for the least integer.
    fileprivate func negated() throws -> StoredValue {
        switch self {
        case .integer: try apply(.subtract, .integer(0), self, as: .integer)
        case .real(let number): .real(-number)
        case .bytes: try apply(.subtract, .bytes(DecimalNumber.zero.bytes), self, as: .decimal)
        case .null, .text: self
        }
    }
}
