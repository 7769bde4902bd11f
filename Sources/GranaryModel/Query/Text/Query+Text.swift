extension Query {
    /// Records of which a condition in text form holds, in addition to what held before.
    ///
    /// ```swift
    /// try Artist.where(#"rating >= %@ AND genre.name CONTAINS[cd] "rock""#, 4.5)
    /// try Artist.where("id IN %@", ids)
    /// ```
    ///
    /// The arguments are values, arrays and sets of them, see ``QueryArgumentConvertible``. `[UInt8]` is data.
    ///
    /// - Throws: `invalidQuery`, see ``AnyCondition/init(parsing:arguments:named:)``. Names are looked up when the query is
    ///   run.
    public func `where`(_ text: String, _ arguments: any QueryArgumentConvertible...) throws -> Query {
        try self.where(text, arguments: arguments.map(\._queryArgument))
    }

    /// The same with arguments by name: `$least` in the text.
    public func `where`(_ text: String, named: [String: any QueryArgumentConvertible]) throws -> Query {
        try self.where(text, arguments: [], named: named.mapValues(\._queryArgument))
    }

    /// The same with lists and names of attributes among the arguments.
    public func `where`(
        _ text: String, arguments: [QueryArgument], named: [String: QueryArgument] = [:]
    ) throws -> Query {
        self.where(Condition(try AnyCondition(parsing: text, arguments: arguments, named: named)))
    }
}

extension Record {
    /// The query for the records of which a condition in text form holds.
    ///
    /// - Throws: `invalidQuery`, see ``AnyCondition/init(parsing:arguments:named:)``.
    public static func `where`(_ text: String, _ arguments: any QueryArgumentConvertible...) throws -> Query<Self> {
        try Query().where(text, arguments: arguments.map(\._queryArgument))
    }

    /// The same with arguments by name.
    public static func `where`(_ text: String, named: [String: any QueryArgumentConvertible]) throws -> Query<Self> {
        try Query().where(text, named: named)
    }

    /// The same with lists and names of attributes among the arguments.
    public static func `where`(
        _ text: String, arguments: [QueryArgument], named: [String: QueryArgument] = [:]
    ) throws -> Query<Self> {
        try Query().where(text, arguments: arguments, named: named)
    }
}
