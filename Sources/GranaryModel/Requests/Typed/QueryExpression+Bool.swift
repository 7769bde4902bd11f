// What is true or false is a condition by itself: `$0.isLive` for `$0.isLive == true`. nil is not true.
// What makes it one as a whole is ``ConditionBuilder``, here is what joins it with others.
//
// The forms of `&&` and `||` are disfavored: where one that takes conditions fits it is taken, and these are not tried, so
// that they cost the compiler nothing.

extension Condition {
    /// True of records of which a Bool is true. Nil is not true.
    ///
    /// Where a condition is expected the Bool itself will do: `Song.where { $0.isLive && $0.plays > 3 }`. In a list it is
    /// written out: `.any([Condition($0.isLive), $0.plays > 3])`.
    public init<Flag: QueryExpression>(_ flag: Flag) where Flag.Root == Root, Flag.Value.Unwrapped == Bool {
        self.init(.relation(flag.untyped, .equal, AnyExpression(true)))
    }
}

extension QueryExpression where Value.Unwrapped == Bool {
    /// True where the Bool is not: of false and of nil.
    public static prefix func ! (flag: Self) -> Condition<Root> { !Condition(flag) }

    @_disfavoredOverload
    public static func && (left: Self, right: Condition<Root>) -> Condition<Root> { Condition(left) && right }
    @_disfavoredOverload
    public static func && (left: Condition<Root>, right: Self) -> Condition<Root> { left && Condition(right) }
    @_disfavoredOverload
    public static func && <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Bool { Condition(left) && Condition(right) }

    @_disfavoredOverload
    public static func || (left: Self, right: Condition<Root>) -> Condition<Root> { Condition(left) || right }
    @_disfavoredOverload
    public static func || (left: Condition<Root>, right: Self) -> Condition<Root> { left || Condition(right) }
    @_disfavoredOverload
    public static func || <Other: QueryExpression>(left: Self, right: Other) -> Condition<Root>
    where Other.Root == Root, Other.Value.Unwrapped == Bool { Condition(left) || Condition(right) }
}
