/// A value that a query computes from a record: a ``Field``, or an expression of operators and functions over fields.
///
/// ```swift
/// Song.where { $0.plays * 2 > $0.skips + 10 && $0.released.year == 1967 }
/// Song.where { 100 < $0.plays && -$0.gain > 0.5 }
/// Song.sorted { $0.title.folded(.caseInsensitive) }
/// ```
///
/// A value may stand on either side of a comparison. Integers of different types compare with each other and combine in
/// arithmetic; the result is an `Int`.
///
/// It is data that a store translates, never a closure run for each row. An expression with nil as input is nil.
public protocol QueryExpression<Root, Value>: Sendable {
    associatedtype Root: Record
    associatedtype Value: AttributeValue

    /// The same expression without its types.
    var untyped: AnyExpression { get }
}

/// An expression that is computed from others.
public struct Computed<Root: Record, Value: AttributeValue>: QueryExpression, Hashable {
    public var untyped: AnyExpression

    public init(_ untyped: AnyExpression) { self.untyped = untyped }
}

extension AnyExpression {
    /// A value in its stored form.
    package init<Value: AttributeValue>(_ value: Value) {
        do {
            self = .value(try StoredValue(encoding: value))
        } catch let error as GranaryError {
            self = .invalid(error)
        } catch {
            self = .invalid(GranaryError(.range, "The value cannot be part of a query: \(type(of: error))."))
        }
    }
}
