import GranaryCore

/// A statement with its values: one parameter each, and lists that are too long for parameters.
struct SQLText {
    var text = ""
    var parameters: [Parameter] = []
    /// Of the lists kept in the temporary table.
    var lists: [[StoredValue]] = []
    /// How much of a list, and of everything, may be parameters.
    var bounds: Bounds

    enum Parameter {
        case value(StoredValue)
        /// The number that a list gets in the temporary table.
        case list(Int)
    }

    struct Bounds {
        /// Longer lists go to a table.
        var listedValues = 1_000
        /// The most parameters that a statement of this library can have.
        var parameters = 32_766
    }

    /// Whether the text is likely to be met again.
    var isWorthKeeping: Bool { parameters.count <= 64 }

    mutating func bind(_ value: StoredValue) {
        parameters.append(.value(value))
        text += "?"
    }
}

extension SQLText {
    /// The rows of a request, in its order.
    static func rows(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        selecting(layout.sql.columns, request, layout, bounds)
    }

    static func count(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        var sql = SQLText(bounds: bounds)
        if request.limit == nil && request.offset == 0 {
            sql.text = "SELECT count(*) FROM \(layout.sql.table)"
            sql.append(request.condition, layout)
        } else {
            sql.text = "SELECT count(*) FROM (SELECT 1 FROM \(layout.sql.table)"
            sql.append(request.condition, layout)
            sql.appendLimit(request)
            sql.text += ")"
        }
        return sql
    }

    static func keys(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        selecting(layout.sql.key, request, layout, bounds)
    }

    static func updateAll(
        _ request: FetchRequest, setting values: [Assignment], _ layout: EntityLayout, _ bounds: Bounds
    ) -> SQLText {
        var sql = SQLText(bounds: bounds)
        sql.text = "UPDATE \(layout.sql.table) SET "
        for (index, assignment) in values.enumerated() {
            sql.text += "\(index == 0 ? "" : ", ")\(layout.sql.names[assignment.position]) = "
            sql.bind(assignment.value)
        }
        sql.appendSelection(request, layout)
        return sql
    }

    static func deleteAll(_ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds) -> SQLText {
        var sql = SQLText(bounds: bounds)
        sql.text = "DELETE FROM \(layout.sql.table)"
        sql.appendSelection(request, layout)
        return sql
    }

    private static func selecting(
        _ columns: String, _ request: FetchRequest, _ layout: EntityLayout, _ bounds: Bounds
    ) -> SQLText {
        var sql = SQLText(bounds: bounds)
        sql.text = "SELECT \(columns) FROM \(layout.sql.table)"
        sql.append(request.condition, layout)
        sql.appendOrder(request, layout)
        sql.appendLimit(request)
        return sql
    }

    /// The rows of a request as a `WHERE` of a statement that changes them; an order without a limit says nothing.
    private mutating func appendSelection(_ request: FetchRequest, _ layout: EntityLayout) {
        guard request.limit != nil || request.offset != 0 else { return append(request.condition, layout) }
        text += " WHERE \(layout.sql.key) IN (SELECT \(layout.sql.key) FROM \(layout.sql.table)"
        append(request.condition, layout)
        appendOrder(request, layout)
        appendLimit(request)
        text += ")"
    }

    private mutating func append(_ condition: ResolvedCondition?, _ layout: EntityLayout) {
        guard let condition else { return }
        text += " WHERE "
        write(condition, layout)
    }

    /// Ties are broken by key in the direction of the last term, so that the order can be an index's.
    private mutating func appendOrder(_ request: FetchRequest, _ layout: EntityLayout) {
        text += " ORDER BY "
        for term in request.order {
            guard let position = term.plainPosition else { continue }
            text += "\(layout.sql.names[position])\(term.isDescending ? " DESC" : "")"
            // Nothing after the key can matter.
            if position == layout.keyPosition { return }
            text += ", "
        }
        text += "\(layout.sql.key)\(request.order.last?.isDescending == true ? " DESC" : "")"
    }

    private mutating func appendLimit(_ request: FetchRequest) {
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
