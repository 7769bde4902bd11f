// What chooses values: once as a parameter pack, for any number of them, and once more written out for one to six.
//
// In Swift 6 mode the compiler does not find a member of an array in a place that takes `Any`, such as
// `print(try context.fetch(query.select(\.name)).count)`, while it infers a pack from a closure: a method may be meant, and
// whether that is `Sendable` depends on the type it does not know yet. There it takes what is written out. That is disfavored,
// so that nothing else is tried wherever the pack will do: each further form costs an expression with operators up to 0.1 s.

/// Chooses values in place of whole records: what ``Query/select`` and ``Record/select`` are.
///
/// ```swift
/// let names = try snapshot.fetch(Artist.select(\.name))                           // [String]
/// let rows = try snapshot.fetch(Song.all.select { ($0.title, $0.album.title) })   // [(String, String)]
/// ```
///
/// It is called as a function, with a closure or a key path. One value comes as it is, several come as a tuple.
public struct SelectClause<Root: Record>: Sendable {
    let query: Query<Root>

    /// Chooses any number of values.
    ///
    /// The compiler (6.3) does not find a member of the answer for seven values or more in a place that takes `Any`, such as an
    /// argument of `print`: give the answer a name first.
    public func callAsFunction<each Value: QueryExpression>(
        _ values: (Root.Fields) -> (repeat each Value)
    ) -> Projection<Root, (repeat (each Value).Value)> {
        Projection(query, Selection(tuple: repeat each values(Root.fields)))
    }

    /// Chooses one value.
    @_disfavoredOverload
    public func callAsFunction<A: QueryExpression>(_ value: (Root.Fields) -> A) -> Projection<Root, A.Value> {
        Projection(query, Selection(value(Root.fields)))
    }

    /// Chooses two values.
    @_disfavoredOverload
    public func callAsFunction<A: QueryExpression, B: QueryExpression>(
        _ values: (Root.Fields) -> (A, B)
    ) -> Projection<Root, (A.Value, B.Value)> {
        let (a, b) = values(Root.fields)
        return Projection(query, Selection(tuple: a, b))
    }

    /// Chooses three values.
    @_disfavoredOverload
    public func callAsFunction<A: QueryExpression, B: QueryExpression, C: QueryExpression>(
        _ values: (Root.Fields) -> (A, B, C)
    ) -> Projection<Root, (A.Value, B.Value, C.Value)> {
        let (a, b, c) = values(Root.fields)
        return Projection(query, Selection(tuple: a, b, c))
    }

    /// Chooses four values.
    @_disfavoredOverload
    public func callAsFunction<A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression>(
        _ values: (Root.Fields) -> (A, B, C, D)
    ) -> Projection<Root, (A.Value, B.Value, C.Value, D.Value)> {
        let (a, b, c, d) = values(Root.fields)
        return Projection(query, Selection(tuple: a, b, c, d))
    }

    /// Chooses five values.
    @_disfavoredOverload
    public func callAsFunction<
        A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression, E: QueryExpression
    >(
        _ values: (Root.Fields) -> (A, B, C, D, E)
    ) -> Projection<Root, (A.Value, B.Value, C.Value, D.Value, E.Value)> {
        let (a, b, c, d, e) = values(Root.fields)
        return Projection(query, Selection(tuple: a, b, c, d, e))
    }

    /// Chooses six values.
    @_disfavoredOverload
    public func callAsFunction<
        A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression, E: QueryExpression,
        F: QueryExpression
    >(
        _ values: (Root.Fields) -> (A, B, C, D, E, F)
    ) -> Projection<Root, (A.Value, B.Value, C.Value, D.Value, E.Value, F.Value)> {
        let (a, b, c, d, e, f) = values(Root.fields)
        return Projection(query, Selection(tuple: a, b, c, d, e, f))
    }
}

/// Groups records: what ``Query/grouped`` and ``Record/grouped`` are. See ``GroupedQuery``.
///
/// It is called as a function. One value of a group comes as it is, several come as a tuple.
public struct GroupClause<Root: Record>: Sendable {
    let query: Query<Root>

    /// Groups by any number of values, and gives any number of values of each group; for seven or more, give the answer a name
    /// before a member of it is used in a place that takes `Any`.
    public func callAsFunction<each Group: QueryExpression, each Value: QueryExpression>(
        by groups: (Root.Fields) -> (repeat each Group), select values: (Root.Fields) -> (repeat each Value)
    ) -> GroupedQuery<Root, (repeat (each Value).Value)> {
        GroupedQuery(
            query, by: untyped(repeat each groups(Root.fields)), Selection(tuple: repeat each values(Root.fields)))
    }

    /// Groups by any number of values, and gives one value of each group.
    @_disfavoredOverload
    public func callAsFunction<each Group: QueryExpression, A: QueryExpression>(
        by groups: (Root.Fields) -> (repeat each Group), select value: (Root.Fields) -> A
    ) -> GroupedQuery<Root, A.Value> {
        GroupedQuery(query, by: untyped(repeat each groups(Root.fields)), Selection(value(Root.fields)))
    }

    /// Groups by any number of values, and gives two values of each group.
    @_disfavoredOverload
    public func callAsFunction<each Group: QueryExpression, A: QueryExpression, B: QueryExpression>(
        by groups: (Root.Fields) -> (repeat each Group), select values: (Root.Fields) -> (A, B)
    ) -> GroupedQuery<Root, (A.Value, B.Value)> {
        let (a, b) = values(Root.fields)
        return GroupedQuery(query, by: untyped(repeat each groups(Root.fields)), Selection(tuple: a, b))
    }

    /// Groups by any number of values, and gives three values of each group.
    @_disfavoredOverload
    public func callAsFunction<each Group: QueryExpression, A: QueryExpression, B: QueryExpression, C: QueryExpression>(
        by groups: (Root.Fields) -> (repeat each Group), select values: (Root.Fields) -> (A, B, C)
    ) -> GroupedQuery<Root, (A.Value, B.Value, C.Value)> {
        let (a, b, c) = values(Root.fields)
        return GroupedQuery(query, by: untyped(repeat each groups(Root.fields)), Selection(tuple: a, b, c))
    }

    /// Groups by any number of values, and gives four values of each group.
    @_disfavoredOverload
    public func callAsFunction<
        each Group: QueryExpression, A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression
    >(
        by groups: (Root.Fields) -> (repeat each Group), select values: (Root.Fields) -> (A, B, C, D)
    ) -> GroupedQuery<Root, (A.Value, B.Value, C.Value, D.Value)> {
        let (a, b, c, d) = values(Root.fields)
        return GroupedQuery(query, by: untyped(repeat each groups(Root.fields)), Selection(tuple: a, b, c, d))
    }

    /// Groups by any number of values, and gives five values of each group.
    @_disfavoredOverload
    public func callAsFunction<
        each Group: QueryExpression, A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression,
        E: QueryExpression
    >(
        by groups: (Root.Fields) -> (repeat each Group), select values: (Root.Fields) -> (A, B, C, D, E)
    ) -> GroupedQuery<Root, (A.Value, B.Value, C.Value, D.Value, E.Value)> {
        let (a, b, c, d, e) = values(Root.fields)
        return GroupedQuery(query, by: untyped(repeat each groups(Root.fields)), Selection(tuple: a, b, c, d, e))
    }

    /// Groups by any number of values, and gives six values of each group.
    @_disfavoredOverload
    public func callAsFunction<
        each Group: QueryExpression, A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression,
        E: QueryExpression, F: QueryExpression
    >(
        by groups: (Root.Fields) -> (repeat each Group), select values: (Root.Fields) -> (A, B, C, D, E, F)
    ) -> GroupedQuery<Root, (A.Value, B.Value, C.Value, D.Value, E.Value, F.Value)> {
        let (a, b, c, d, e, f) = values(Root.fields)
        return GroupedQuery(query, by: untyped(repeat each groups(Root.fields)), Selection(tuple: a, b, c, d, e, f))
    }
}
