import GranaryStoreKit

extension SQLText {
    /// A `SELECT` of columns. An empty list stands for one column that is not read.
    ///
    /// - Parameter name: For the last of them.
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
            // The order of a list to look in says nothing, unless it decides which rows are in it.
            appendOrder(request, scope)
        }
        appendLimit(request)
    }

    /// By the numbers of the columns: what has parameters is the same expression only by its number.
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
