// The methods that choose values, of records and of groups: once as a parameter pack, for any number of values, and
// once written out for one to six.
//
// In Swift 6 mode the compiler does not find a member of an array in a place that takes `Any`, such as
// `print(try query.select(\.name).fetch(in: context).count)`, while it infers a pack from a closure: the member
// may be a method, and whether a method is `Sendable` depends on the type that is not known yet. There it takes the
// written-out form. These forms are disfavored, so that the compiler tries only the pack wherever the pack works: each
// further form costs an expression with operators up to 0.1 s.

/// Something of which values can be chosen: a ``Request`` for whole records, or ``Groups`` of records.
public protocol Selectable<Root> {
    associatedtype Root: Fetchable

    /// The request for what was chosen. The forms of `select` call it.
    func choosing<Value: Sendable>(_ selection: Selection<Value>) -> Request<Root, Value>
}

extension Selectable where Root: Record {
    /// Chooses values in place of whole records, or of each group: group values and aggregates. One value comes as it
    /// is, several come as a tuple.
    ///
    /// ```swift
    /// let names = try Artist.all.select(\.name).fetch(in: snapshot)                          // [String]
    /// let rows = try Song.all.select { ($0.title, $0.album.title) }.fetch(in: snapshot)      // [(String, String)]
    /// let plays = Song.all.grouped(by: { $0.artist.name }).select { ($0.artist.name, $0.plays.sum) }
    /// for (name, total) in try plays.fetch(in: snapshot) { print(name, total) }
    /// ```
    ///
    /// Reads only the chosen values; if an index has them all, reads only the index.
    ///
    /// The compiler (6.3) does not find a member of the answer for seven values or more in a place that takes `Any`,
    /// such as an argument of `print`: give the answer a name first.
    public func select<each Value: QueryExpression>(
        _ values: (Root.Fields) -> (repeat each Value)
    ) -> Request<Root, (repeat (each Value).Value)> {
        choosing(Selection(tuple: repeat each values(Root.fields)))
    }

    /// Chooses one value.
    @_disfavoredOverload
    public func select<A: QueryExpression>(
        _ value: (Root.Fields) -> A
    ) -> Request<Root, A.Value> {
        choosing(Selection(value(Root.fields)))
    }

    /// Chooses two values.
    @_disfavoredOverload
    public func select<A: QueryExpression, B: QueryExpression>(
        _ values: (Root.Fields) -> (A, B)
    ) -> Request<Root, (A.Value, B.Value)> {
        let (a, b) = values(Root.fields)
        return choosing(Selection(tuple: a, b))
    }

    /// Chooses three values.
    @_disfavoredOverload
    public func select<A: QueryExpression, B: QueryExpression, C: QueryExpression>(
        _ values: (Root.Fields) -> (A, B, C)
    ) -> Request<Root, (A.Value, B.Value, C.Value)> {
        let (a, b, c) = values(Root.fields)
        return choosing(Selection(tuple: a, b, c))
    }

    /// Chooses four values.
    @_disfavoredOverload
    public func select<A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression>(
        _ values: (Root.Fields) -> (A, B, C, D)
    ) -> Request<Root, (A.Value, B.Value, C.Value, D.Value)> {
        let (a, b, c, d) = values(Root.fields)
        return choosing(Selection(tuple: a, b, c, d))
    }

    /// Chooses five values.
    @_disfavoredOverload
    public func select<
        A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression, E: QueryExpression
    >(
        _ values: (Root.Fields) -> (A, B, C, D, E)
    ) -> Request<Root, (A.Value, B.Value, C.Value, D.Value, E.Value)> {
        let (a, b, c, d, e) = values(Root.fields)
        return choosing(Selection(tuple: a, b, c, d, e))
    }

    /// Chooses six values.
    @_disfavoredOverload
    public func select<
        A: QueryExpression, B: QueryExpression, C: QueryExpression, D: QueryExpression, E: QueryExpression,
        F: QueryExpression
    >(
        _ values: (Root.Fields) -> (A, B, C, D, E, F)
    ) -> Request<Root, (A.Value, B.Value, C.Value, D.Value, E.Value, F.Value)> {
        let (a, b, c, d, e, f) = values(Root.fields)
        return choosing(Selection(tuple: a, b, c, d, e, f))
    }
}

extension Request: Selectable where Root: Fetchable, Output == Root {
    /// The request for what was chosen.
    public func choosing<Value: Sendable>(_ selection: Selection<Value>) -> Request<Root, Value> {
        var untyped = untyped
        untyped.output = .columns(selection.columns, isDistinct: false)
        return Request<Root, Value>(untyped, .values(selection))
    }
}

extension Request where Root: Record, Output == Root {
    /// The records group by group. ``Groups`` says what can be chosen of each group.
    ///
    /// ```swift
    /// Song.all.grouped(by: { ($0.genre.name, $0.released.year) }).select { ($0.genre.name, $0.id.count) }
    /// ```
    public func grouped<each Group: QueryExpression>(
        by groups: (Root.Fields) -> (repeat each Group)
    ) -> Groups<Root> {
        var list: [AnyExpression] = []
        repeat list.append((each groups(Root.fields)).untyped)
        return Groups(rows: untyped, grouping: AnyGrouping(by: list, columns: []))
    }
}

/// The records of a request group by group, before `select` chooses values of each group.
///
/// ```swift
/// let genres = try Song.all.grouped(by: { $0.genre.name })
///     .having { $0.id.count > 10 }
///     .select { ($0.genre.name, $0.id.count, $0.plays.sum) }
///     .sorted(by: { $0.plays.sum }, .descending)
///     .limit(5)
///     .fetch(in: snapshot)
/// ```
///
/// `select`, `having` and `sorted` take group values and aggregates. Any other value throws `invalidQuery` when the
/// request is run. Nil is a group value like any other. Without an order, groups come by their values, ascending. A
/// request without records has no groups. Memory: one row for each group.
public struct Groups<Root: Fetchable>: Selectable, Sendable {
    var rows: AnyRequest
    var grouping: AnyGrouping

    /// Keeps the groups for which the condition holds, in addition to earlier conditions.
    public func having(_ condition: AnyCondition) -> Groups {
        var groups = self
        groups.grouping.having = grouping.having.map { AnyCondition.all([$0, condition]) } ?? condition
        return groups
    }

    /// The request for what was chosen of each group.
    public func choosing<Value: Sendable>(_ selection: Selection<Value>) -> Request<Root, Value> {
        var (untyped, grouping) = (rows, grouping)
        grouping.columns = selection.columns
        untyped.output = .groups(grouping)
        return Request(untyped, .values(selection))
    }
}

extension Groups where Root: Record {
    /// Keeps the groups for which the condition holds, in addition to earlier conditions.
    ///
    /// ```swift
    /// Song.all.grouped(by: { $0.artist.name }).having { $0.plays.sum > 3 }.select { ($0.artist.name, $0.plays.sum) }
    /// ```
    public func having(@ConditionBuilder<Root> _ condition: (Root.Fields) -> Condition<Root>) -> Groups {
        having(condition(Root.fields).untyped)
    }
}

// By names, values come in their stored form.
extension Selectable where Root == DynamicRecord {
    /// Chooses values in place of whole records, or of each group: names, paths or any expressions.
    public func select(_ columns: [AnyExpression]) -> Request<DynamicRecord, [StoredValue]> {
        choosing(Selection(stored: columns))
    }

    /// Chooses values in place of whole records, or of each group; each row is a dictionary with these names.
    public func select(
        named columns: [(name: String, value: AnyExpression)]
    ) -> Request<DynamicRecord, [String: StoredValue]> {
        choosing(Selection(stored: columns.map(\.value), named: columns.map(\.name)))
    }
}

extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// The records group by group. An empty list of expressions makes one group of all records, even if there are no
    /// records.
    public func grouped(by groups: [AnyExpression]) -> Groups<DynamicRecord> {
        Groups(rows: untyped, grouping: AnyGrouping(by: groups, columns: []))
    }
}
