import GranaryStoreKit

extension SQLText {
    /// A `SELECT` of columns. For an empty list it selects one constant that is not read.
    ///
    /// - Parameter name: The name of the last column.
    mutating func select(
        _ columns: [TypedExpression], _ request: FetchRequest, _ scope: SQLScope, name: String? = nil
    ) {
        text += request.isDistinct ? "SELECT DISTINCT " : "SELECT "
        for (index, column) in columns.enumerated() {
            if index > 0 { text += ", " }
            write(column.expression, scope)
        }
        if columns.isEmpty { text += "1" }
        if let name { text += " AS \(name)" }
        text += " FROM \(scope.table.table)"
        if scope.name != scope.table.table { text += " AS \(scope.name)" }
        append(request.condition, scope)
        if request.isDistinct {
            appendDistinctOrder(columns, request)
        } else if scope.level == 0 || request.limit != nil || request.offset != 0 {
            // The order of a list that is only searched is irrelevant, unless it decides which rows are in the list.
            appendOrder(request, scope)
        }
        appendLimit(request)
    }

    /// By the numbers of the columns: an expression with parameters would not be recognised as the same one.
    private mutating func appendDistinctOrder(_ columns: [TypedExpression], _ request: FetchRequest) {
        guard !columns.isEmpty else { return }
        text += " ORDER BY "
        var named: Set<Int> = []
        for term in request.order {
            guard let index = columns.firstIndex(where: { $0.expression == term.value.expression }),
                named.insert(index).inserted
            else { continue }
            if named.count > 1 { text += ", " }
            text += "\(index + 1)"
            appendDirection(term)
        }
        for index in columns.indices where named.insert(index).inserted {
            text += "\(named.count > 1 ? ", " : "")\(index + 1)"
        }
    }
}
