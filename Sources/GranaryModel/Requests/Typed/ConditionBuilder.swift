/// Makes one condition of the statements in a closure: all of them must hold. A Bool is a condition, too; nil is not
/// true.
///
/// ```swift
/// Song.where {
///     $0.isLive
///     $0.plays > 3
///     if let genre { $0.genre == genre }                  // of every record where there is no genre
///     for word in words { $0.title.contains(word) }
/// }
/// ```
///
/// Each statement is checked by itself: the compiler is faster than with `&&`, and reports an error in its own line.
/// For an `if` or a `switch`, the condition of the branch taken applies. At least one statement is needed:
/// ``Condition/always`` holds for every record. A closure with `return` returns a condition unchanged, and there a Bool
/// is written `Condition($0.isLive)`.
@resultBuilder public enum ConditionBuilder<Root: Record> {
    public static func buildExpression(_ condition: Condition<Root>) -> Condition<Root> { condition }

    @_disfavoredOverload
    public static func buildExpression<Flag: QueryExpression>(_ flag: Flag) -> Condition<Root>
    where Flag.Root == Root, Flag.Value.Unwrapped == Bool { Condition(flag) }

    public static func buildBlock(_ first: Condition<Root>, _ others: Condition<Root>...) -> Condition<Root> {
        others.isEmpty ? first : .all([first] + others)
    }

    public static func buildEither(first condition: Condition<Root>) -> Condition<Root> { condition }
    public static func buildEither(second condition: Condition<Root>) -> Condition<Root> { condition }
    public static func buildOptional(_ condition: Condition<Root>?) -> Condition<Root> { condition ?? .always }
    public static func buildArray(_ conditions: [Condition<Root>]) -> Condition<Root> { .all(conditions) }
}
