// A Bool where a condition is expected: `Song.where { $0.isLive }`, `Song.where(\.isLive)`. Nil is not true.
//
// Disfavored, so that the compiler tries them only of what is no condition.

extension Query {
    /// Records of which this is true, in addition to what held before.
    @_disfavoredOverload
    public func `where`<Flag: QueryExpression>(_ flag: (Root.Fields) -> Flag) -> Query
    where Flag.Root == Root, Flag.Value.Unwrapped == Bool { self.where(Condition(flag(Root.fields))) }
}

extension Record {
    /// The query for the records of which a Bool is true.
    @_disfavoredOverload
    public static func `where`<Flag: QueryExpression>(_ flag: (Fields) -> Flag) -> Query<Self>
    where Flag.Root == Self, Flag.Value.Unwrapped == Bool { Query().where(Condition(flag(fields))) }
}

extension GroupedQuery {
    /// Keeps the groups of which this is true, in addition to what held before.
    @_disfavoredOverload
    public func having<Flag: QueryExpression>(_ flag: (Root.Fields) -> Flag) -> GroupedQuery
    where Flag.Root == Root, Flag.Value.Unwrapped == Bool { having { Condition(flag($0)) } }
}

extension Related {
    /// True of records with at least one related record of which the Bool is true.
    @_disfavoredOverload
    public func contains<Flag: QueryExpression>(_ flag: (Target.Fields) -> Flag) -> Condition<Root>
    where Flag.Root == Target, Flag.Value.Unwrapped == Bool { contains { Condition(flag($0)) } }

    /// True of records of which the Bool is true of every related record; also where there are none.
    @_disfavoredOverload
    public func allSatisfy<Flag: QueryExpression>(_ flag: (Target.Fields) -> Flag) -> Condition<Root>
    where Flag.Root == Target, Flag.Value.Unwrapped == Bool { allSatisfy { Condition(flag($0)) } }

    /// The number of related records of which the Bool is true.
    @_disfavoredOverload
    public func count<Flag: QueryExpression>(where flag: (Target.Fields) -> Flag) -> Computed<Root, Int>
    where Flag.Root == Target, Flag.Value.Unwrapped == Bool { count(where: { Condition(flag($0)) }) }
}

extension RelatedRecords {
    /// The query for the related records of which a Bool is true.
    @_disfavoredOverload
    public func `where`<Flag: QueryExpression>(_ flag: (Target.Fields) -> Flag) -> Query<Target>
    where Flag.Root == Target, Flag.Value.Unwrapped == Bool { query.where(Condition(flag(Target.fields))) }

    /// The related records of which a Bool is true, in the relationship's order if it has one, else by key.
    @_disfavoredOverload
    public func fetch<Flag: QueryExpression>(
        in context: some ReadContext, where flag: (Target.Fields) -> Flag
    ) throws -> [Target] where Flag.Root == Target, Flag.Value.Unwrapped == Bool {
        try fetch(in: context, where: { Condition(flag($0)) })
    }
}
