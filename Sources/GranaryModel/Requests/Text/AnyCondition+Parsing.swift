extension AnyCondition {
    /// Parses a condition: the syntax of `NSPredicate`, and Swift's operators.
    ///
    /// ```swift
    /// try AnyCondition(parsing: #"rating >= 4.5 AND genre.name CONTAINS[cd] "rock""#)
    /// try AnyCondition(parsing: "born BETWEEN {%@, %@} OR %K IN %@", arguments: [from, to, .attribute("id"), [1, 2]])
    /// try AnyCondition(parsing: "ANY songs (plays > $least AND year(released) == 1967)", named: ["least": 3])
    /// ```
    ///
    /// Keywords are written in upper or lower case; names as they are declared, or in backquotes if they are keywords.
    ///
    /// | written | means |
    /// |---|---|
    /// | `a AND b`, `a && b`; `OR`, <code>\|\|</code>; `NOT`, `!` | NOT binds tighter than AND, and AND tighter than OR |
    /// | `=` `==` `!=` `<>` `<` `<=` `=<` `>` `>=` `=>` | comparisons; nil equals nil and has no order |
    /// | `x BETWEEN {a, b}`, `x BETWEEN a AND b` | both ends included |
    /// | `x IN {a, b}`, `(a, b)`, `[a, b]`, `%@` | equal to one of these; nil equals nil |
    /// | `x IN (SELECT name FROM Artist WHERE ... ORDER BY rating DESC NILS LAST LIMIT 5 OFFSET 2)`, `SELECT DISTINCT` | one of another query's values |
    /// | `CONTAINS` `BEGINSWITH` `ENDSWITH` `LIKE` `MATCHES` | see ``TextMatch`` |
    /// | `CONTAINS[cd]`, `==[c]`, `!=[d]`, `IN[c] {...}` | without regard to case (c), diacritics (d) or both, see ``TextFolding`` |
    /// | `ANY songs.plays > 3`, `SOME`, `ALL`, `NONE` | over the records of a to-many relationship; ALL is true without records, NONE is NOT ANY |
    /// | `ANY songs (plays > 3 AND title LIKE "a*")` | the whole condition holds for one record |
    /// | `SUBQUERY(songs, $s, $s.plays > 3).@count > 2` | the same as a count |
    /// | `songs.isEmpty`, `songs.@count == 0` | no related record |
    /// | `TRUEPREDICATE`, `FALSEPREDICATE`, `TRUE`, `FALSE` | every record, none |
    ///
    /// Expressions are those of ``AnyExpression/init(parsing:)``. `%@` is the next argument, `%K` the next one as the
    /// name of an attribute, `$name` a named argument; `%d` and similar formats are refused.
    ///
    /// A value in the text has the type of the expression beside it: a number may be a decimal, a text a date, a UUID
    /// or a URL. An argument keeps its own type, except that a double beside a `Float` is the nearest `Float`. A date
    /// is a day, `"2024-05-01"`, or a day and a time with `T` or a blank between them: `"2024-05-01 12:30"`,
    /// `"2024-05-01T12:30:00.25Z"`, `"2024-05-01T12:30+02:00"`. Without a zone it is in UTC. A number added to or
    /// subtracted from a date is in seconds, also as an argument; a difference of two dates is in seconds.
    ///
    /// - Throws: `invalidQuery` with the column, counted in characters from 1, and what was expected there; also for
    ///   text longer than 1 MB, for more than ``maximumDepth`` nested parentheses, and for a wrong number of arguments.
    public init(
        parsing text: String, arguments: [QueryArgument] = [], named: [String: QueryArgument] = [:]
    ) throws {
        var parser = try QueryParser(text, arguments: arguments, named: named)
        let condition = try parser.condition()
        try parser.finish()
        self = condition
    }
}

extension AnyExpression {
    /// Parses an expression, for orders and chosen values.
    ///
    /// ```swift
    /// try AnyExpression(parsing: "plays * 2 + skips")
    /// try AnyExpression(parsing: #"json(settings, "theme.size", int) ?? 12"#)
    /// ```
    ///
    /// | written | means |
    /// |---|---|
    /// | `name`, `album.artist.name`, `#in` or a name between backticks, `%K` | an attribute, perhaps through to-one relationships |
    /// | `5`, `-4.50`, `1e6` | a number |
    /// | `"text"`, `'text'` | a text; `\"` `\'` `\\` `\n` `\r` `\t` `\0` `\u00E9` `\u{1F600}` inside |
    /// | `TRUE`, `YES`, `FALSE`, `NO`, `NIL`, `NULL` | |
    /// | `x'00FF'`, `integer(5)`, `real(4.5)`, `text("x")` | a value in this stored form |
    /// | `date(86400)` | a date by its seconds since 2001-01-01 00:00:00 UTC |
    /// | `+` `-` `*` `/` `%`, parentheses | with the usual precedence; `x ?? y` binds less tightly |
    /// | `-plays`, `-(a + b)` | a number with its sign changed |
    /// | `year(born)`, `month` ... `weekday`; `year(born, 3600)` | a ``DateComponent``, in UTC or at an offset in seconds east |
    /// | `length(name)`, `folded(name)`, `folded[c](name)`, `double(plays)`, `abs(gain)`, `ifnil(a, b)` | |
    /// | `json(settings, "theme.name")`, `json(settings, "size", int)`, `json:int(settings, "size")` | see ``JSONPath`` |
    /// | `songs.@count`, `songs.@sum.plays`, `@avg`, `@min`, `@max` | of the records of a to-many relationship |
    /// | `songs.@sum(plays * 2)`, `songs.@count(DISTINCT genre WHERE plays > 3)` | |
    /// | `@count`, `@sum.plays` | of a group's records, in a grouped query |
    ///
    /// - Throws: `invalidQuery`, like ``AnyCondition/init(parsing:arguments:named:)``.
    public init(parsing text: String) throws {
        var parser = try QueryParser(text, arguments: [], named: [:])
        let expression = try parser.expression()
        try parser.finish()
        self = expression
    }
}
