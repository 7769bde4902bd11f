import GranaryStoreKit

// A condition on related records has one of two forms. `IN` first finds the related records, and then the records
// themselves: good if an index finds the related ones. `EXISTS` looks at the related records of each record: good if an
// index finds the records themselves, or a limit ends the search soon. The form must be chosen here: SQLite does not
// turn one into the other.
//
// 10 000 artists with 10 songs each, milliseconds:
//
// | | IN | EXISTS |
// |---|---|---|
// | songs of an artist by name, indexed | 0.1 | 39 |
// | songs of artists by an attribute without an index | 29 | 45 |
// | the same with a title, or the first ten | 1 to 4 | 0.1 |
// | artists of a song by title, indexed | 0.1 | 70 |
// | artists with any song | 13 | 6 |

extension SQLText {
    /// If more entries of the parser's stack are needed, or more parentheses enclose it, the `SELECT` is put before the
    /// statement.
    private static let mostInline = 20
    /// The same for a condition that may fail: before the statement it would be tested for all records.
    private static let mostInlineFailing = 40

    static func mostInline(_ condition: ResolvedCondition) -> Int {
        condition.mayFail ? mostInlineFailing : mostInline
    }

    private static let mostLevels = 3
    /// About how many entries of the parser's stack a `SELECT` takes for one value that is in another one, and how many
    /// may be taken around such a one.
    private static let needOfLevel = 11
    private static let mostAround = 40

    /// Writes: a record of an entity, whose attribute at a position equals an attribute here, meets a condition.
    mutating func related(
        _ link: Int, to entity: Int, by position: Int, _ condition: ResolvedCondition, _ isNegated: Bool,
        _ scope: SQLScope
    ) {
        let table = tables[entity]
        let isInline = canBeInline(condition.stackNeed, scope, atMost: SQLText.mostInline(condition))
        let isIndexed = table.isIndexed(condition, tables)
        // A condition that may fail is tested only for the related records.
        if isInline, table.isIndexed(position),
            condition == .always(true) || condition.mayFail || (!isIndexed && scope.isNarrow(tables))
        {
            let inner = SQLScope(table, alias: alias(entity), level: scope.level + 1, isLimited: true)
            text += isNegated ? "NOT EXISTS (" : "EXISTS ("
            text += "SELECT 1 FROM \(table.table) AS \(inner.name) WHERE "
            text += "\(inner.column(position)) = \(scope.outerColumn(link))"
            if condition != .always(true) {
                text += " AND "
                if case .any = condition {
                    parenthesized { $0.write(condition, inner) }
                } else {
                    write(condition, inner)
                }
            }
            text += ")"
            return
        }
        let isGuarded =
            isNegated
            && (scope.table.entity.attributes[link].isOptional || table.entity.attributes[position].isOptional)
        if isGuarded { text += "(" }
        text += scope.column(link)
        text += isNegated && !isGuarded ? " NOT IN " : " IN "
        nested(condition.stackNeed, scope) { sql, level in
            let inner = SQLScope(table, alias: sql.alias(entity), level: level, isLimited: isIndexed)
            sql.text += position == table.keyPosition ? table.selectKeys : table.selecting(position)
            sql.text += " AS "
            sql.text += inner.name
            if condition != .always(true) { sql.append(condition, inner) }
        }
        if isGuarded { text += ") IS NOT TRUE" }
    }

    private func canBeInline(_ need: Int, _ scope: SQLScope, atMost bound: Int = SQLText.mostInline) -> Bool {
        need <= bound && scope.level < SQLText.mostLevels && open < SQLText.mostInline
    }

    /// A `SELECT` of one value for a column of the outside. It is written in place, or becomes a statement of its own,
    /// run for each value of the column, if it would be too deep for SQLite's parser.
    ///
    /// - Parameter body: Writes it, with what it is given for the column.
    mutating func question(
        about column: String, _ scope: SQLScope, _ body: (inout SQLText, _ outer: Outer, _ level: Int) -> Void
    ) {
        // The first is always in place: SQLite tests all rows before it changes one if it sees a nested `SELECT`.
        guard scope.level > 0, scope.level * SQLText.needOfLevel + open > SQLText.mostAround else {
            text += "("
            body(&self, .column(column), scope.level + 1)
            text += ")"
            return
        }
        var query = SQLText(tables, bounds)
        body(&query, .key, 1)
        query.finish()
        failure = failure ?? query.failure
        text += "granary_ask(?, \(column))"
        parameters.append(.query(query))
    }

    /// What stands for a column of the outside.
    enum Outer {
        case column(String)
        case key
    }

    mutating func write(_ outer: Outer) {
        switch outer {
        case .column(let name): text += name
        case .key:
            text += "?"
            parameters.append(.key)
        }
    }

    /// A `SELECT` without references to the outside, after `IN`. It is written in place, or before the statement if it
    /// would be too deep for SQLite's parser.
    mutating func nested(_ need: Int, _ scope: SQLScope, _ body: (inout SQLText, _ level: Int) -> Void) {
        if canBeInline(need, scope) {
            text += "("
            body(&self, scope.level + 1)
            text += ")"
            return
        }
        let (outerText, outerParameters, outerOpen) = (text, parameters, open)
        (text, parameters, open) = ("", [], 0)
        body(&self, 0)
        let name = "\"s\(common.count + 1):\""
        common.append(Common(name: name, text: text, parameters: parameters))
        (text, parameters, open) = (outerText + name, outerParameters, outerOpen)
    }
}
