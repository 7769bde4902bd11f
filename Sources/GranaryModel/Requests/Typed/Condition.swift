/// What a query asks of records of one type. Built with operators on fields, walked as data, never run as a closure.
///
/// ```swift
/// Artist.where { $0.rating >= 4.5 && !($0.name == "Prince") || $0.id.in([1, 2, 3]) }
/// ```
public struct Condition<Root: Record>: Sendable, Hashable, CustomStringConvertible {
    /// The same without its type.
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

    /// True where every one is; of no conditions at all, true. For lists made at run time.
    ///
    /// ```swift
    /// Song.where { song in .all(words.map { song.title.contains($0) }) }
    /// ```
    public static func all(_ conditions: some Sequence<Condition>) -> Condition {
        Condition(AnyCondition.all(conditions.map(\.untyped)))
    }

    /// True where at least one is; of no conditions at all, false. For lists made at run time.
    public static func any(_ conditions: some Sequence<Condition>) -> Condition {
        Condition(AnyCondition.any(conditions.map(\.untyped)))
    }

    /// True of every record.
    public static var always: Condition { Condition(.always(true)) }
    /// True of no record.
    public static var never: Condition { Condition(.always(false)) }
}
