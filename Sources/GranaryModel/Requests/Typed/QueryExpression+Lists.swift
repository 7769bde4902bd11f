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
