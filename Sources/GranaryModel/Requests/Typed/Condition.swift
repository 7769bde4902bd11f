/// A condition on records of one type. It is built with operators on fields, and is data that a store translates, never
/// a closure that it runs.
///
/// ```swift
/// Artist.where { $0.rating >= 4.5 && !($0.name == "Prince") || $0.id.in([1, 2, 3]) }
/// ```
public struct Condition<Root: Record>: Sendable, Hashable, CustomStringConvertible {
    /// The same condition without its type.
    public var untyped: AnyCondition

    public init(_ untyped: AnyCondition) { self.untyped = untyped }

    public var description: String { untyped.description }

    public static func && (left: Condition, right: Condition) -> Condition {
        Condition(AnyCondition.all([left.untyped, right.untyped]))
    }
    public static func || (left: Condition, right: Condition) -> Condition {
        Condition(AnyCondition.any([left.untyped, right.untyped]))
    }
    public static prefix func ! (condition: Condition) -> Condition { Condition(.not(condition.untyped)) }

    /// True if all conditions are true. Without conditions, true. For lists made at run time.
    ///
    /// ```swift
    /// Song.where { song in .all(words.map { song.title.contains($0) }) }
    /// ```
    public static func all(_ conditions: some Sequence<Condition>) -> Condition {
        Condition(AnyCondition.all(conditions.map(\.untyped)))
    }

    /// True if at least one condition is true. Without conditions, false. For lists made at run time.
    public static func any(_ conditions: some Sequence<Condition>) -> Condition {
        Condition(AnyCondition.any(conditions.map(\.untyped)))
    }

    /// True for every record.
    public static var always: Condition { Condition(.always(true)) }
    /// True for no record.
    public static var never: Condition { Condition(.always(false)) }
}
