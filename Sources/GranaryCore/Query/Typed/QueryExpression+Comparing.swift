extension QueryExpression {
    public static func == (left: Self, right: Value) -> Condition<Root> { left.compared(.equal, right) }
    public static func != (left: Self, right: Value) -> Condition<Root> { left.compared(.notEqual, right) }
    public static func < (left: Self, right: Value) -> Condition<Root> { left.compared(.less, right) }
    public static func <= (left: Self, right: Value) -> Condition<Root> { left.compared(.lessOrEqual, right) }
    public static func > (left: Self, right: Value) -> Condition<Root> { left.compared(.greater, right) }
    public static func >= (left: Self, right: Value) -> Condition<Root> { left.compared(.greaterOrEqual, right) }

    private func compared(_ comparison: Comparison, _ value: Value) -> Condition<Root> {
        Condition(.relation(untyped, comparison, AnyExpression(value)))
    }
}

// Two expressions: of one type, where nil of either does not matter.
extension QueryExpression {
    public static func == <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.compared(.equal, with: right) }

    public static func != <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.compared(.notEqual, with: right) }

    public static func < <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.compared(.less, with: right) }

    public static func <= <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.compared(.lessOrEqual, with: right) }

    public static func > <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped { left.compared(.greater, with: right) }

    public static func >= <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Value.Unwrapped {
        left.compared(.greaterOrEqual, with: right)
    }

    private func compared(_ comparison: Comparison, with other: some QueryExpression) -> Condition<Root> {
        Condition(.relation(untyped, comparison, other.untyped))
    }
}

extension QueryExpression {
    /// True of records whose value is one of these; nil matches nil. Up to 100 000 values.
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> {
        if case .attribute(let name) = untyped.root {
            return Condition(.among(name, encoded: values.map { value in Result { try StoredValue(encoding: value) } }))
        }
        return Condition(.listed(untyped, values.map { AnyExpression($0) }))
    }

    /// True of values within the range, both ends included.
    public func `in`(_ range: ClosedRange<Value>) -> Condition<Root> where Value: Comparable {
        between(range.lowerBound, range.upperBound)
    }

    /// True of values within the range, its upper end left out.
    public func `in`(_ range: Range<Value>) -> Condition<Root> where Value: Comparable {
        self >= range.lowerBound && self < range.upperBound
    }

    /// True of values within the range, both ends included; never of nil.
    public func `in`<Wrapped: Comparable>(_ range: ClosedRange<Wrapped>) -> Condition<Root> where Value == Wrapped? {
        between(range.lowerBound, range.upperBound)
    }

    /// True of values within the range, its upper end left out; never of nil.
    public func `in`<Wrapped: Comparable>(_ range: Range<Wrapped>) -> Condition<Root> where Value == Wrapped? {
        self >= range.lowerBound && self < range.upperBound
    }

    /// True of values from one to the other, both included; of none if the first is the greater.
    public func between(_ lower: Value, _ upper: Value) -> Condition<Root> {
        self >= lower && self <= upper
    }

    /// True of records whose value is among those another query gives; nil matches nil.
    ///
    /// ```swift
    /// Song.where { $0.artistName.in(Artist.where { $0.rating > 4 }.select(\.name)) }
    /// ```
    public func `in`<Other: Record, Listed: AttributeValue>(_ query: Projection<Other, Listed>) -> Condition<Root>
    where Listed.Unwrapped == Value.Unwrapped {
        Condition(query.query.subquery(column: query.columns[0]).among(untyped))
    }
}

extension QueryExpression where Value: ReferenceValue {
    /// True of records that refer to one of those another query gives.
    ///
    /// ```swift
    /// Song.where { $0.artist.in(Artist.sorted(by: \.rating, .descending).limit(10)) }
    /// ```
    public func `in`(_ query: Query<Value.Target>) -> Condition<Root> {
        Condition(query.subquery(column: .attribute(Value.Target.entity.key)).among(untyped))
    }

    /// True of records that refer to this one.
    public static func == (left: Self, right: Value.Target) -> Condition<Root> {
        Condition(.relation(left.untyped, .equal, AnyExpression(right.id)))
    }

    /// True of records that do not refer to this one.
    public static func != (left: Self, right: Value.Target) -> Condition<Root> {
        Condition(.relation(left.untyped, .notEqual, AnyExpression(right.id)))
    }
}

/// A subquery with its measures.
struct Subquery {
    var query: AnySubquery
    var depth: Int
    var terms: Int

    func among(_ expression: AnyExpression) -> AnyCondition {
        .amongRows(expression, query, depth: depth, terms: terms)
    }
}

extension Query {
    func subquery(column: AnyExpression) -> Subquery {
        Subquery(
            query: AnySubquery(
                Root.entityName, column: column, condition: condition, order: order, limit: limit, offset: offset),
            depth: max(condition?.depth ?? 0, column.depth) + 1, terms: (condition?.terms ?? 0) + column.terms)
    }
}
