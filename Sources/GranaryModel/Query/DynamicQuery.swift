/// A query by names: the same questions as ``Query`` asks, of an entity that need not have a Swift type.
///
/// ```swift
/// let query = DynamicQuery("Song", where: .compare("plays", .greater, .integer(100))).sorted(by: "artist.name,-plays")
/// for song in try snapshot.fetch(query) { print(song) }
/// ```
///
/// Names are looked up in the schema when it is run: a wrong one throws `unknownEntity` or `unknownAttribute` and lists
/// those there are.
public struct DynamicQuery: Sendable, Hashable {
    public var entity: String
    public var condition: AnyCondition?
    public var order: [Ordering]
    public var limit: Int?
    public var offset: Int

    public init(
        _ entity: String, where condition: AnyCondition? = nil, order: [Ordering] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.entity = entity
        self.condition = condition
        self.order = order
        self.limit = limit
        self.offset = offset
    }

    /// A query of a record type without the type.
    public init<R: Record>(_ query: Query<R>) {
        self.init(
            R.entityName, where: query.condition, order: query.order, limit: query.limit, offset: query.offset)
    }

    /// Records of which this holds, in addition to what held before.
    public func `where`(_ condition: AnyCondition) -> DynamicQuery {
        var query = self
        query.condition = self.condition.map { AnyCondition.all([$0, condition]) } ?? condition
        return query
    }

    /// Records of which a condition in text form holds, in addition to what held before.
    ///
    /// ```swift
    /// try DynamicQuery("Artist").where("rating >= %@ AND id IN %@", 4.5, ids)
    /// ```
    ///
    /// - Throws: `invalidQuery`, see ``AnyCondition/init(parsing:arguments:named:)``.
    public func `where`(_ text: String, _ arguments: any QueryArgumentConvertible...) throws -> DynamicQuery {
        try self.where(text, arguments: arguments.map(\._queryArgument))
    }

    /// The same with arguments by name: `$least` in the text.
    public func `where`(_ text: String, named: [String: any QueryArgumentConvertible]) throws -> DynamicQuery {
        try self.where(text, arguments: [], named: named.mapValues(\._queryArgument))
    }

    /// The same with arguments of both kinds.
    public func `where`(
        _ text: String, arguments: [QueryArgument], named: [String: QueryArgument] = [:]
    ) throws -> DynamicQuery {
        self.where(try AnyCondition(parsing: text, arguments: arguments, named: named))
    }

    /// Orders by attribute names separated by commas, descending with `-` in front: `"artist.name,-plays"`.
    /// What the names leave equal comes by key, in the direction of the last one.
    public func sorted(by text: String) -> DynamicQuery {
        var query = self
        query.order += Ordering.list(text)
        return query
    }

    /// The order turned round: what came last comes first. Limit and offset stay as they are.
    public func reversed() -> DynamicQuery {
        var query = self
        // Without an order the key gives it, whose name the schema has: ties take the direction of the last term.
        query.order = order.isEmpty ? [Ordering(.value(.null), .descending)] : order.map(\.reversed)
        return query
    }

    /// At most this many records.
    public func limit(_ count: Int) -> DynamicQuery {
        var query = self
        query.limit = count
        return query
    }

    /// Leaves out this many records from the front.
    public func offset(_ count: Int) -> DynamicQuery {
        var query = self
        query.offset = count
        return query
    }
}
