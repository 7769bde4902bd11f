// Lists of what is not the expression's own type. Disfavored, so that a literal, the empty one too, is a list of the own type.

extension QueryExpression {
    /// True of records whose value is one of these; never of nil. As many as `in(_:)` of a list of values takes.
    ///
    /// ```swift
    /// Song.where { $0.mood.in(colours.keys) }      // mood: String?, colours: [String: Colour]
    /// ```
    @_disfavoredOverload
    public func `in`<Wrapped: AttributeValue>(_ values: some Sequence<Wrapped>) -> Condition<Root>
    where Value == Wrapped? { Computed<Root, Wrapped>(untyped).in(values) }
}

extension QueryExpression where Value: ReferenceValue {
    /// True of records that refer to one of these; never of nil. As many as `in(_:)` of a list of values takes.
    ///
    /// ```swift
    /// Song.where { $0.genre.in(genres) }           // genres: [Genre]
    /// ```
    @_disfavoredOverload
    public func `in`(_ records: some Sequence<Value.Target>) -> Condition<Root> { self.in(records.lazy.map(\.id)) }

    /// True of records that refer to one with one of these keys; never of nil. As many as `in(_:)` of a list of values takes.
    @_disfavoredOverload
    public func `in`(_ keys: some Sequence<Value.Target.Key>) -> Condition<Root> {
        Computed<Root, Value.Target.Key>(untyped).in(keys)
    }
}

extension QueryExpression {
    /// What the compiler says of a list of another type, where it would say nothing.
    @available(
        *, unavailable,
        message:
            "The values are of another type than the field. A reference is looked for among references, records or keys."
    )
    @_disfavoredOverload
    public func `in`<Other>(_ values: some Sequence<Other>) -> Condition<Root> { Condition.never }
}
