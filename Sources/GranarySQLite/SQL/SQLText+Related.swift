import GranaryStoreKit

// A condition on related records is one of two forms. `IN` first finds the related records, then these: right where an
// index finds the related ones. `EXISTS` looks at the related records of each of these: right where an index finds these,
// or a limit ends the search soon. Neither form is given up to chance: SQLite does not turn the one into the other.
//
// 10 000 artists of 10 songs each, milliseconds:
//
// | | IN | EXISTS |
// |---|---|---|
// | songs of an artist by name, indexed | 0.1 | 39 |
// | songs of artists by an attribute without an index | 29 | 45 |
// | the same with a title, or the first ten | 1 to 4 | 0.1 |
// | artists of a song by title, indexed | 0.1 | 70 |
// | artists with any song | 13 | 6 |

extension SQLText {
    /// More entries of the parser's stack, or parentheses around it, put a `SELECT` before the statement.
    private static let mostInline = 20
    /// For a condition that may fail: before the statement it would be tested of all records.
    private static let mostInlineFailing = 40

    static func mostInline(_ condition: ResolvedCondition) -> Int {
        condition.mayFail ? mostInlineFailing : mostInline
    }

    private static let mostLevels = 3

    /// Some record of an entity, whose attribute at a position has the value of an attribute here, meets a condition.
    mutating func related(
        _ link: Int, to entity: Int, by position: Int, _ condition: ResolvedCondition, _ isNegated: Bool,
        _ scope: SQLScope
    ) {
        let table = tables[entity]
        let isInline = canBeInline(condition.stackNeed, scope, atMost: SQLText.mostInline(condition))
        let isIndexed = table.isIndexed(condition, tables)
        // What may fail is tested of the related records, and of no others.
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

    /// A `SELECT` that refers to nothing around it, after `IN`: in its place, or before the statement where it would be
    /// too deep for SQLite's parser.
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
