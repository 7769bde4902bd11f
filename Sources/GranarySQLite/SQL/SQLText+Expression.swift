import GranaryStoreKit

// SQL is used for columns, values, nested `SELECT`s, `CASE`, `coalesce`, a cast, and folded text. Everything else
// (arithmetic, parts of dates, JSON, lengths) is one call of `granary_compute` with the input values, so that it has the
// same meaning and the same errors in every store, and takes none of the parser's stack at any depth.

extension SQLText {
    /// SQLite allows at most 127 arguments.
    private static let mostArguments = 100
    private static let mostJoined = 40
    private static let mostNested = 4

    mutating func write(_ expression: ResolvedExpression, _ scope: SQLScope) {
        guard expression.nesting <= SQLText.mostNested else { return compute(expression, scope) }
        switch expression {
        case .attribute(let position): text += scope.column(position)
        case .value(let value): bind(value)
        case .toOne: writeThrough(expression, scope)
        case .aggregate(let aggregate): write(aggregate, scope)
        case .function(.folded(let folding), let inner):
            text += "granary_fold("
            write(inner, scope)
            text += ", \(folding.rawValue))"
        case .function(.real, let inner):
            text += "CAST("
            write(inner, scope)
            text += " AS REAL)"
        case .ifNil(let first, let second):
            text += "coalesce("
            write(first, scope)
            text += ", "
            write(second, scope)
            text += ")"
        case .given(let condition, let inner):
            text += "CASE WHEN "
            write(condition, scope)
            text += " THEN "
            write(inner, scope)
            text += " END"
        case .arithmetic, .function, .words: compute(expression, scope)
        }
    }

    /// An expression of the record at the end of references: one `SELECT` over all tables on the path. SQLite runs it
    /// for each row. If it reads many records, its value is kept for each value of the reference.
    private mutating func writeThrough(_ expression: ResolvedExpression, _ scope: SQLScope) {
        guard case .toOne(let position, let entity, let inner) = expression, gathersMany(inner, of: entity) else {
            return selectThrough(expression, scope)
        }
        keptCount += 1
        let kept = Parameter.answers(keptCount)
        let reference = scope.outerColumn(position)
        text += "CASE WHEN granary_is_kept(?, \(reference)) THEN granary_kept(?) ELSE granary_keep(?, \(reference), "
        parameters += [kept, kept, kept]
        selectThrough(expression, scope)
        text += ") END"
    }

    /// Whether it reads more than the end of an index for the value of a record.
    private func gathersMany(_ expression: ResolvedExpression, of entity: Int) -> Bool {
        switch expression {
        case .toOne(_, let next, let inner): return gathersMany(inner, of: next)
        case .aggregate(let aggregate): return !tables[aggregate.entity].hasEnd(of: aggregate)
        default: return expression.gathers
        }
    }

    private mutating func selectThrough(_ expression: ResolvedExpression, _ scope: SQLScope) {
        var way: [(position: Int, entity: Int, name: String)] = []
        var end = expression
        while case .toOne(let position, let entity, let inner) = end, way.count < SQLText.mostJoined {
            way.append((position, entity, alias(entity)))
            end = inner
        }
        guard let first = way.first, let last = way.last else { return }
        question(about: scope.outerColumn(first.position), scope) { sql, outer, level in
            let inner = SQLScope(
                sql.tables[last.entity], alias: last.name, level: level, isLimited: true, isQualified: way.count > 1)
            sql.text += "SELECT "
            sql.write(end, inner)
            // In this order: each record is found through the one before.
            let tables = way.map { "\(sql.tables[$0.entity].table) AS \($0.name)" }
            sql.text += " FROM " + tables.joined(separator: " CROSS JOIN ")
            let key = sql.tables[first.entity].key
            sql.text += way.count > 1 ? " WHERE \(first.name).\(key) = " : " WHERE \(key) = "
            sql.write(outer)
            for (earlier, later) in zip(way, way.dropFirst()) {
                let reference = "\(earlier.name).\(sql.tables[earlier.entity].names[later.position])"
                sql.text += " AND \(later.name).\(sql.tables[later.entity].key) = \(reference)"
            }
        }
    }

    private mutating func compute(_ expression: ResolvedExpression, _ scope: SQLScope) {
        var arguments: [ResolvedExpression] = []
        var program = expression.lowered(to: &arguments, atMost: SQLText.mostArguments)
        if arguments.count > SQLText.mostArguments {
            // Its operands are computed by separate calls.
            arguments = []
            program = expression.map { operand in
                arguments.append(operand)
                return .attribute(arguments.count - 1)
            } condition: {
                $0
            }
        }
        text += "granary_compute(?"
        parameters.append(.program(program, arguments: arguments.count, entity: scope.table.entity))
        for argument in arguments {
            text += ", "
            write(argument, scope)
        }
        text += ")"
    }
}

extension ResolvedExpression {
    /// The depth of nested calls when it is written as SQL.
    fileprivate var nesting: Int {
        switch self {
        case .function(.folded, let inner), .function(.real, let inner): inner.nesting + 1
        case .ifNil(let first, let second): max(first.nesting, second.nesting) + 1
        case .attribute, .value, .toOne, .aggregate, .given, .arithmetic, .function, .words: 0
        }
    }

    /// The expression with parts that only SQL can compute replaced by attributes. If there are too many, the number of
    /// arguments is one more than the limit and the expression is incomplete.
    fileprivate func lowered(to arguments: inout [ResolvedExpression], atMost limit: Int) -> ResolvedExpression {
        guard arguments.count <= limit else { return self }
        switch self {
        case .attribute, .toOne, .aggregate, .given:
            if let index = arguments.firstIndex(of: self) { return .attribute(index) }
            arguments.append(self)
            return .attribute(arguments.count - 1)
        case .value, .arithmetic, .function, .ifNil, .words:
            return map {
                $0.lowered(to: &arguments, atMost: limit)
            } condition: {
                $0
            }
        }
    }
}
