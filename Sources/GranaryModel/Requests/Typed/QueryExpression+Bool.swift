// A Bool is a condition by itself: `$0.isLive` means `$0.isLive == true`. Nil is not true. ``ConditionBuilder`` turns a
// whole Bool into a condition; the operators here join a Bool with conditions.
//
// The forms of `&&` and `||` are disfavored: if the form for conditions fits, the compiler takes it and does not try
// these, so they cost it nothing.

extension Condition {
    /// True for records for which a Bool is true. Nil is not true.
    ///
    /// Where a condition is expected, the Bool itself is enough: `Song.where { $0.isLive && $0.plays > 3 }`. In a list
    /// it is written out: `.any([Condition($0.isLive), $0.plays > 3])`.
    public init<Flag: QueryExpression>(_ flag: Flag) where Flag.Root == Root, Flag.Value.Unwrapped == Bool {
        self.init(.relation(flag.untyped, .equal, AnyExpression(true)))
    }
}

extension QueryExpression where Value.Unwrapped == Bool {
    /// True where the Bool is not true: for false and for nil.
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
