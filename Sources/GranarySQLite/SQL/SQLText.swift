import GranaryStoreKit

/// A statement with its values: one parameter for each, and lists that are too long for parameters.
struct SQLText {
    var text = ""
    var parameters: [Parameter] = []
    /// The lists kept in the temporary table.
    var lists: [[StoredValue]] = []
    /// The greatest numbers of parameters, for a list and for the whole statement.
    var bounds: Bounds
    /// The tables of every entity of the schema.
    let tables: [EntitySQL]
    /// The entities of the numbers in nested `SELECT`s.
    var aliases: [Int] = []
    /// Named `SELECT`s that come before the statement, each before those that use it.
    var common: [Common] = []
    /// The number of its tables of kept answers.
    var keptCount = 0
    /// The approximate number of open parentheses.
    var open = 0
    /// Why the statement cannot be run.
    var failure: GranaryError?

    enum Parameter {
        case value(StoredValue)
        /// The number of a list in the temporary table.
        case list(Int)
        /// The pattern for `granary_matches`.
        case pattern(TextPattern)
        /// The expression for `granary_compute`; its attributes are the arguments. Its errors name the entity.
        case program(ResolvedExpression, arguments: Int, entity: Entity)
        /// The table in which `granary_keep` keeps answers. Equal numbers mean the same table, which is empty at the
        /// start of each run.
        case answers(Int)
        /// A `SELECT` of one value, which `granary_ask` runs for each ``key``.
        indirect case query(SQLText)
        /// The second argument of `granary_ask`, in the query that it runs.
        case key
    }

    struct Common {
        var name: String
        var text: String
        var parameters: [Parameter]
    }

    struct Bounds {
        /// Longer lists are put into a table.
        var listedValues = 1_000
        /// The greatest number of parameters of a statement of this library.
        var parameters = 32_766
    }

    init(_ layout: EntityLayout, _ bounds: Bounds) {
        self.init(layout.tables, bounds)
    }

    init(_ tables: [EntitySQL], _ bounds: Bounds) {
        self.tables = tables
        self.bounds = bounds
    }

    /// A statement with the given text.
    init(_ text: String, binding values: [StoredValue], _ bounds: Bounds) {
        self.text = text
        parameters = values.map { .value($0) }
        tables = []
        self.bounds = bounds
    }

    /// Whether the same text is likely to be used again.
    var isWorthKeeping: Bool { parameters.count <= 64 }

    mutating func bind(_ value: StoredValue) {
        parameters.append(.value(value))
        text += "?"
    }

    /// A name for the table of a nested `SELECT`.
    mutating func alias(_ entity: Int) -> String {
        aliases.append(entity)
        return aliases.count == 1 ? "\"1\"" : "\"\(aliases.count)\""
    }

    /// Puts the named `SELECT`s before the statement.
    mutating func finish() {
        guard !common.isEmpty else { return }
        text = "WITH " + common.map { "\($0.name) AS (\($0.text))" }.joined(separator: ", ") + " " + text
        parameters = common.flatMap(\.parameters) + parameters
        common = []
    }
}

extension SQLText {
    /// The rows of a request, in its order: every attribute, or the request's columns.
    static func rows(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        guard let columns = request.columns else { return selecting(layout.sql.selectRows, request, layout, bounds) }
        var sql = SQLText(layout, bounds)
        sql.select(columns, request, SQLScope(layout.sql, request))
        sql.finish()
        return sql
    }

    static func count(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        var sql = SQLText(layout, bounds)
        let scope = SQLScope(layout.sql, request)
        if request.isDistinct, let columns = request.columns {
            sql.text = "SELECT count(*) FROM ("
            sql.select(columns, request, scope)
            sql.text += ")"
        } else if request.limit == nil && request.offset == 0 {
            sql.text = "SELECT count(*) FROM \(layout.sql.table)"
            sql.append(request.condition, scope)
        } else {
            sql.text = "SELECT count(*) FROM (SELECT 1 FROM \(layout.sql.table)"
            sql.append(request.condition, scope)
            sql.appendLimit(request)
            sql.text += ")"
        }
        sql.finish()
        return sql
    }

    static func keys(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        selecting(layout.sql.selectKeys, request, layout, bounds)
    }

    static func updateAll(
        _ request: FetchRequest, setting values: [Assignment], _ layout: EntityLayout, _ bounds: Bounds
    ) -> SQLText {
        var sql = SQLText(layout, bounds)
        sql.text = "UPDATE \(layout.sql.table) SET "
        for (index, assignment) in values.enumerated() {
            sql.text += "\(index == 0 ? "" : ", ")\(layout.sql.names[assignment.position]) = "
            sql.write(assignment, layout)
        }
        sql.appendSelection(request, SQLScope(layout.sql, request))
        sql.finish()
        return sql
    }

    /// Gives a row if the request has a row without these values.
    static func anyOther(
        _ request: FetchRequest, than values: [Assignment], _ layout: EntityLayout, _ bounds: Bounds
    ) -> SQLText {
        var sql = SQLText(layout, bounds)
        let names = values.map { layout.sql.names[$0.position] }
        sql.text = "SELECT 1 FROM (SELECT \(names.joined(separator: ", ")) FROM \(layout.sql.table)"
        sql.appendSelection(request, SQLScope(layout.sql, request))
        sql.text += ") WHERE "
        for (index, assignment) in values.enumerated() {
            sql.text += "\(index == 0 ? "" : " OR ")\(names[index]) IS NOT "
            sql.write(assignment, layout)
        }
        sql.text += " LIMIT 1"
        sql.finish()
        return sql
    }

    static func deleteAll(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        var sql = SQLText(layout, bounds)
        sql.text = "DELETE FROM \(layout.sql.table)"
        sql.appendSelection(request, SQLScope(layout.sql, request))
        sql.finish()
        return sql
    }

    private static func selecting(
        _ start: String, _ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds
    ) -> SQLText {
        var sql = SQLText(layout, bounds)
        let scope = SQLScope(layout.sql, request)
        // Most statements are no longer than this, and are written without a reallocation.
        sql.text.reserveCapacity(start.utf8.count + 256)
        sql.text += start
        sql.append(request.condition, scope)
        sql.appendOrder(request, scope)
        sql.appendLimit(request)
        sql.finish()
        return sql
    }

    /// The rows of a request as the `WHERE` of a statement over them. An order without a limit is left out.
    mutating func appendSelection(_ request: FetchRequest, _ scope: SQLScope) {
        guard request.limit != nil || request.offset != 0 else { return append(request.condition, scope) }
        text += " WHERE \(scope.key) IN (SELECT \(scope.key) FROM \(scope.table.table)"
        append(request.condition, scope)
        appendOrder(request, scope)
        appendLimit(request)
        text += ")"
    }

    mutating func append(_ condition: ResolvedCondition?, _ scope: SQLScope) {
        guard let condition else { return }
        text += " WHERE "
        write(condition, scope)
    }

    /// Ties are broken by key in the direction of the last term, so that an index can give the order.
    mutating func appendOrder(_ request: FetchRequest, _ scope: SQLScope) {
        text += " ORDER BY "
        if request.order.isEmpty { return text += scope.key }
        for term in request.order {
            write(term.value.expression, scope)
            appendDirection(term)
            // Terms after the key have no effect.
            if term.value.position == scope.table.keyPosition { return }
            text += ", "
        }
        text += scope.key
        if request.order.last?.isDescending == true { text += " DESC" }
    }

    mutating func appendDirection(_ term: FetchRequest.OrderTerm) {
        if term.isDescending { text += " DESC" }
        if !term.hasDefaultNils { text += term.nilsFirst ? " NULLS FIRST" : " NULLS LAST" }
    }

    mutating func appendLimit(_ request: FetchRequest) {
        if let limit = request.limit {
            text += " LIMIT "
            bind(.integer(Int64(limit)))
        } else if request.offset != 0 {
            text += " LIMIT -1"
        }
        if request.offset != 0 {
            text += " OFFSET "
            bind(.integer(Int64(request.offset)))
        }
    }
}
