/// A whole query as text: records of an entity, or values chosen of them, with or without groups.
///
/// ```swift
/// let all = try TextQuery(parsing: #"Artist WHERE rating >= 4.5 ORDER BY name LIMIT 20"#)
/// let some = try TextQuery(parsing: "SELECT name, songs.@count AS songs FROM Artist ORDER BY name")
/// let sums = try TextQuery(parsing: "SELECT genre.name, @sum.plays FROM Song GROUP BY genre.name HAVING @count > 3")
/// ```
///
/// | part | written |
/// |---|---|
/// | chosen values; whole records without it | `SELECT name, plays * 2 AS double FROM`, `SELECT DISTINCT name FROM` |
/// | the entity | `Artist` |
/// | the records | `WHERE` and a condition as in ``AnyCondition/init(parsing:arguments:named:)`` |
/// | groups | `GROUP BY genre.name, year(released)`, then `HAVING` and a condition |
/// | the order | `ORDER BY name DESC NILS LAST, born`; a name given with `AS` stands for its value |
/// | limits | `LIMIT 20`, then `OFFSET 40` |
///
/// The parts come in this order. Only the entity is required.
public struct TextQuery: Sendable, Hashable {
    /// The request.
    public var request: AnyRequest
    /// The names and values of the chosen columns; empty for whole records.
    public var columns: [Column]

    /// A chosen value.
    public struct Column: Sendable, Hashable {
        /// The name given with `AS`, or the text of the expression.
        public var name: String
        public var value: AnyExpression
    }

    /// - Throws: `invalidQuery` with the column, counted in characters from 1, and what was expected there.
    public init(parsing text: String) throws {
        var parser = try QueryParser(text, arguments: [], named: [:])
        self = try parser.question()
        try parser.finish()
    }

    init(_ request: AnyRequest, _ columns: [Column]) { (self.request, self.columns) = (request, columns) }
}

extension QueryParser {
    fileprivate mutating func question() throws -> TextQuery {
        var columns: [TextQuery.Column] = []
        var named: [String: AnyExpression] = [:]
        var isDistinct = false
        if try takeWord("select") {
            isDistinct = try takeWord("distinct")
            guard token != .symbol(.asterisk) else {
                throw failure("expected a value, and not \"*\": whole records have no SELECT and FROM in front")
            }
            repeat {
                let (column, isNamed) = try column()
                columns.append(column)
                if isNamed { named[column.name] = column.value }
            } while try take(.comma)
            guard try takeWord("from") else { throw expected("FROM and the name of an entity") }
        }
        let entity = try name()
        let condition = try takeWord("where") ? try condition() : nil
        var grouping: AnyGrouping?
        let place = start
        if try takeWord("group") {
            guard try takeWord("by") else { throw expected("BY") }
            var groups: [AnyExpression] = []
            repeat { groups.append(try expression()) } while try take(.comma)
            grouping = AnyGrouping(by: groups, columns: columns.map(\.value))
            grouping?.having = try takeWord("having") ? try self.condition() : nil
        } else if columns.contains(where: \.value.root.isOfGroup) {
            grouping = AnyGrouping(by: [], columns: columns.map(\.value))
        }
        guard grouping == nil || !columns.isEmpty && !isDistinct else {
            throw failure("groups have SELECT in front, without DISTINCT", at: place)
        }
        var (order, limit, offset) = try ordersAndCuts()
        for (place, ordering) in order.enumerated() {
            guard case .attribute(let name) = ordering.expression, let value = named[name] else { continue }
            order[place].expression = value.root
        }
        var request = AnyRequest(entity, where: condition)
        if let grouping {
            request.output = .groups(grouping)
        } else if !columns.isEmpty {
            request.output = .columns(columns.map(\.value), isDistinct: isDistinct)
        }
        (request.givenOrder, request.givenLimit, request.givenOffset) = (order, limit, offset)
        return TextQuery(request, columns)
    }

    /// Parses a column. `isNamed` says whether the text gives it a name with `AS`.
    private mutating func column() throws -> (TextQuery.Column, isNamed: Bool) {
        let begin = start
        let value = try expression()
        let text = lexer.spelling(begin..<previousEnd)
        let isNamed = try takeWord("as")
        return (TextQuery.Column(name: isNamed ? try name() : text, value: value), isNamed)
    }
}

extension AnyExpression.Node {
    /// Whether it contains an aggregate over a group's records.
    fileprivate var isOfGroup: Bool {
        switch self {
        case .aggregate(_, _, let relationship, _, _): relationship == nil
        case .arithmetic(_, let left, let right), .ifNil(let left, let right): left.isOfGroup || right.isOfGroup
        case .function(_, let argument): argument.isOfGroup
        case .attribute, .value, .literal, .rank, .invalid: false
        }
    }
}
