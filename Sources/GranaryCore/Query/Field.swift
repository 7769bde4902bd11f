/// One attribute of a record type, by name and with its type: what `$0.name` is inside a query.
///
/// Comparing a field gives a ``Condition``. nil has two-valued logic as everywhere in Swift: `$0.rating == nil` is true of
/// nil, `$0.rating < 5` false, `$0.rating != 5` true, and `!condition` is exactly the rest.
public struct Field<Root: Record, Value: AttributeValue>: Sendable, Hashable {
    public let name: String

    public init(_ name: String) { self.name = name }
}

extension Field {
    public static func == (field: Field, value: Value) -> Condition<Root> { field.compared(.equal, value) }
    public static func != (field: Field, value: Value) -> Condition<Root> { field.compared(.notEqual, value) }
    public static func < (field: Field, value: Value) -> Condition<Root> { field.compared(.less, value) }
    public static func <= (field: Field, value: Value) -> Condition<Root> { field.compared(.lessOrEqual, value) }
    public static func > (field: Field, value: Value) -> Condition<Root> { field.compared(.greater, value) }
    public static func >= (field: Field, value: Value) -> Condition<Root> { field.compared(.greaterOrEqual, value) }

    /// True of records whose value is one of these; nil matches nil. Up to 100 000 values.
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> {
        Condition(AnyCondition.among(name, encoded: values.map { Field.stored($0) }))
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

    private func compared(_ comparison: Comparison, _ value: Value) -> Condition<Root> {
        switch Field.stored(value) {
        case .success(let stored): Condition(.compare(name, comparison, stored))
        case .failure(let error): Condition(.invalid(error, attribute: name))
        }
    }

    private static func stored(_ value: Value) -> Result<StoredValue, GranaryError> {
        do {
            return .success(try StoredValue(encoding: value))
        } catch let error as GranaryError {
            return .failure(error)
        } catch {
            return .failure(GranaryError(.range, "The value cannot be compared: \(type(of: error))."))
        }
    }
}

/// The six comparisons.
public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// What holds of exactly those values, nil apart, of which this does not.
    public var complement: Comparison {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }

    /// Whether the comparison holds of two things that are ordered so (negative, zero or positive).
    @inlinable public func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}
