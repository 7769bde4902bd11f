/// What lets a Bool stand where a closure gives a condition: `Song.where { $0.isLive }`. nil is not true.
///
/// It takes one expression, or one on each branch of an `if` or a `switch`. A closure that says `return` gives a condition as it is, and there a Bool is written
/// `Condition($0.isLive)`.
@resultBuilder public enum ConditionBuilder<Root: Record> {
    public static func buildExpression(_ condition: Condition<Root>) -> Condition<Root> { condition }

    @_disfavoredOverload
    public static func buildExpression<Flag: QueryExpression>(_ flag: Flag) -> Condition<Root>
    where Flag.Root == Root, Flag.Value.Unwrapped == Bool { Condition(flag) }

    public static func buildBlock(_ condition: Condition<Root>) -> Condition<Root> { condition }

    public static func buildEither(first condition: Condition<Root>) -> Condition<Root> { condition }
    public static func buildEither(second condition: Condition<Root>) -> Condition<Root> { condition }
}
