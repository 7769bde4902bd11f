// Lists of another type than the expression's. Disfavored, so that a literal, even an empty one, is a list of the
// expression's type.

extension QueryExpression {
    /// True for records whose value is in the list; never for nil. The limit is that of `in(_:)` for a list of values.
    ///
    /// ```swift
    /// Song.where { $0.mood.in(colours.keys) }      // mood: String?, colours: [String: Colour]
    /// ```
    @_disfavoredOverload
    public func `in`<Wrapped: AttributeValue>(_ values: some Sequence<Wrapped>) -> Condition<Root>
    where Value == Wrapped? { Computed<Root, Wrapped>(untyped).in(values) }
}

extension QueryExpression where Value: ReferenceValue {
    /// True for records that refer to a record in the list; never for nil. The limit is that of `in(_:)` for a list of
    /// values.
    ///
    /// ```swift
    /// Song.where { $0.genre.in(genres) }           // genres: [Genre]
    /// ```
    @_disfavoredOverload
    public func `in`(_ records: some Sequence<Value.Target>) -> Condition<Root> { self.in(records.lazy.map(\.id)) }

    /// True for records that refer to a record with a key in the list; never for nil. The limit is that of `in(_:)` for
    /// a list of values.
    @_disfavoredOverload
    public func `in`(_ keys: some Sequence<Value.Target.Key>) -> Condition<Root> {
        Computed<Root, Value.Target.Key>(untyped).in(keys)
    }
}

extension QueryExpression {
    /// Gives a compiler message for a list of another type; without this there would be none.
    @available(
        *, unavailable,
        message:
            "The values are of another type than the field. A reference is looked for among references, records or keys."
    )
    @_disfavoredOverload
    public func `in`<Other>(_ values: some Sequence<Other>) -> Condition<Root> { Condition.never }
}

// A list or a range asks whether it contains the value, as in Swift: the same condition as ``QueryExpression/in(_:)``.

extension Sequence where Element: AttributeValue {
    /// True of records whose value is in the sequence; never of nil.
    ///
    /// ```swift
    /// Song.where { titles.contains($0.title) }         // titles: [String], or a set of them
    /// ```
    public func contains<Value: QueryExpression>(_ value: Value) -> Condition<Value.Root>
    where Value.Value.Unwrapped.Widened == Element.Widened { Computed<Value.Root, Element>(value.untyped).in(self) }
}

extension Sequence where Element: Record {
    /// True of records whose reference leads to a record in the sequence; never of nil.
    public func contains<Value: QueryExpression>(_ value: Value) -> Condition<Value.Root>
    where Value.Value: ReferenceValue, Value.Value.Target == Element {
        Computed<Value.Root, Element.Key>(value.untyped).in(lazy.map(\.id))
    }
}

extension ClosedRange where Bound: AttributeValue {
    /// True of records whose value is within the range, both ends included; never of nil.
    ///
    /// ```swift
    /// Song.where { (3...5).contains($0.rating) }
    /// ```
    public func contains<Value: QueryExpression>(_ value: Value) -> Condition<Value.Root>
    where Value.Value.Unwrapped.Widened == Bound.Widened { Computed<Value.Root, Bound>(value.untyped).in(self) }
}

extension Range where Bound: AttributeValue {
    /// True of records whose value is within the range, its upper end left out; never of nil.
    public func contains<Value: QueryExpression>(_ value: Value) -> Condition<Value.Root>
    where Value.Value.Unwrapped.Widened == Bound.Widened { Computed<Value.Root, Bound>(value.untyped).in(self) }
}
